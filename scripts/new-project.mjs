/** Uses a project that `verbena new` creates, as its author would: checks and tests it, builds it, starts it, and sends requests. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, executable } from './tools.mjs'

/** Libraries for `--validator`. */
export const VALIDATORS = ['zod', 'valibot', 'arktype']

/**
 * Starts a script of the project, sends requests, and stops it with SIGTERM. Under `dev`, saves a change of the app before. Prints the
 * statuses, the name of the changed app, and the exit code.
 */
const VISIT = `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const env = { ...process.env, PORT: '0', PATH: 'node_modules/.bin:' + process.env.PATH }
const options = { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true }
const server = spawn('sh', ['-c', 'exec env ' + scripts[process.argv[2]]], options)
process.on('exit', () => {
  try {
    process.kill(-server.pid, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
})
setTimeout(() => process.exit(1), 60_000).unref()

let log = ''
let address
for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
  log += text
  address = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(log)?.[0]
  if (address !== undefined) break
}
server.stdout.resume()

const send = (body) =>
  fetch(address + '/tasks', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const created = await send('{ "title": "Buy tea" }')
const responses = [
  created,
  await fetch(address + created.headers.get('location')),
  await send('{ "title": "" }'),
  await send('{'),
  await fetch(address + '/tasks/unknown'),
  await fetch(address + '/openapi.json'),
]
for (const response of responses) {
  const [type] = response.headers.get('content-type').split(';')
  console.log(response.status, type)
  await response.text()
}
if (process.argv[2] === 'dev') {
  const app = readFileSync('src/app.ts', 'utf8')
  writeFileSync('src/app.ts', app.replace("version: '0.1.0'", "version: '0.2.0'"))
  // The request after the next event of the file system waits for the new code.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { info } = await (await fetch(address + '/openapi.json')).json()
  console.log('saved', info.version)
}
server.kill('SIGTERM')
const [code, signal] = await once(server, 'exit')
console.log('exit', code ?? signal)
`

const RESPONSES = [
  '201 application/json',
  '200 application/json',
  '422 application/problem+json',
  '400 application/problem+json',
  '404 application/problem+json',
  '200 application/json',
]
const PRINTED = {
  start: [...RESPONSES, 'exit 0'].join('\n'),
  dev: [...RESPONSES, 'saved 0.2.0', 'exit 0'].join('\n'),
}

/**
 * Creates a project, and links its packages: the installed Verbena, and packages of this checkout. Needs no network.
 *
 * @param folder a new folder outside of this checkout, so that the project finds no other package
 * @param packed folder of the installed Verbena
 * @param run runs a program, and fails if its exit code is not 0
 */
export function createProject({ folder, packed, validator, run }) {
  const { bin } = readJson(join(packed, 'package.json'))
  const program = join(packed, bin.verbena)
  run(process.execPath, [program, 'new', folder, '--validator', validator])
  const { dependencies, devDependencies } = readJson(join(folder, 'package.json'))
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    link(join(folder, 'node_modules', name), name === 'verbena' ? packed : join(ROOT, 'node_modules', name))
  }
  const programs = { verbena: program, tsc: executable('typescript', 'tsc'), tsx: executable('tsx') }
  for (const [name, path] of Object.entries(programs)) link(join(folder, 'node_modules/.bin', name), path)
}

/**
 * Compiles a project with each compiler, runs its scripts, and calls the started app.
 *
 * @returns the script and its output if the started app sends other responses
 */
export function useProject({ folder, compilers, run }) {
  for (const compiler of compilers) run(process.execPath, [executable(compiler, 'tsc'), '-p', '.'], { cwd: folder })
  for (const script of ['check', 'test', 'build']) run('npm', ['run', script, '--no-update-notifier'], { cwd: folder })
  writeFileSync(join(folder, 'visit.mjs'), VISIT)
  return ['start', 'dev']
    .map((script) => ({ script, printed: run(process.execPath, ['visit.mjs', script], { cwd: folder }) }))
    .find(({ script, printed }) => printed.trim() !== PRINTED[script])
}

function link(path, target) {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
