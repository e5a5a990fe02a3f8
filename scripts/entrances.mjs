/**
 * Checks each way to start this repository in a fresh copy, because git ignores the page of the console: without it, the
 * command builds it, does not need it, or says how to build it.
 *
 *   node scripts/entrances.mjs
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, capture, filesBelow, seconds } from './tools.mjs'

const PAGE = 'src/devconsole/serve/page.generated.js'
const BUILD = 'node ../../console/build.mjs && '
const URL_OF_APP = /http:\/\/127\.0\.0\.1:\d+/
const TIME_TO_START = 60_000
const folder = mkdtempSync(join(tmpdir(), 'verbena-entrances-'))

try {
  copyFiles()
  run('npm ci --ignore-scripts', { needsPage: null })
  await start('npm start', 200)
  await start('npm run dev', 200)
  await start('npx tsx examples/users/main.ts', 404)
  run('npx tsc --noEmit -p tsconfig.json', { needsPage: false })
  run('npm test -- test/devconsole/serve/pages.test.ts', { needsPage: true })
  run('npm run build', { needsPage: true })
  run('npm pack --dry-run', { needsPage: null })
  for (const manifest of manifests()) checkExample(manifest)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Copies all files that git does not ignore. */
function copyFiles() {
  const { stdout } = capture('git', ['ls-files', '-co', '--exclude-standard', '-z'])
  for (const path of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, path), join(folder, path))
  }
}

/** @param needsPage whether the command must build the page; `null` if it does not matter */
function run(command, { needsPage }) {
  const begin = performance.now()
  if (needsPage !== null) rmSync(join(folder, PAGE), { force: true })
  const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot run ${command}:\n${stdout}${stderr}`)
  if (needsPage !== null && existsSync(join(folder, PAGE)) !== needsPage)
    throw new Error(`${command}: wrong state of the page`)
  console.log(`ok  ${command}  ${seconds(begin)}`)
}

/** Starts the app, and compares the status of its console. Without a page, the output must say how to build it. */
async function start(command, status) {
  const begin = performance.now()
  rmSync(join(folder, PAGE), { force: true })
  const env = { ...process.env, NODE_ENV: 'development', PORT: '0' }
  const app = spawn(command, { cwd: folder, shell: true, env, detached: true })
  let output = ''
  for (const stream of [app.stdout, app.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  try {
    const url = await untilUrl(() => output)
    const { status: found } = await fetch(`${url}/__dev__`)
    if (found !== status) throw new Error(`${command}: /__dev__ responds ${found}, not ${status}\n${output}`)
    const isSaid = output.includes('its page is not built. Run npm run build:console')
    if (isSaid !== (status === 404)) throw new Error(`${command}: wrong message about the page\n${output}`)
  } finally {
    process.kill(-app.pid, 'SIGKILL')
  }
  console.log(`ok  ${command}  ${seconds(begin)}`)
}

async function untilUrl(read) {
  const end = performance.now() + TIME_TO_START
  while (performance.now() < end) {
    const [url] = URL_OF_APP.exec(read()) ?? []
    if (url !== undefined) return url
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The app did not start:\n${read()}`)
}

function manifests() {
  return filesBelow('examples', (path) => /^examples\/[a-z-]+\/package\.json$/.test(path))
}

/** The packages of examples are not installed here, so only their commands are read. */
function checkExample(path) {
  const { scripts } = JSON.parse(readFileSync(join(folder, path), 'utf8'))
  for (const [name, command] of Object.entries(scripts)) {
    if (name !== 'types' && !command.startsWith(BUILD))
      throw new Error(`${path}: "${name}" does not begin with ${BUILD}`)
  }
}
