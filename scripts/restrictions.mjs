/**
 * Runs an app on the installed package with restrictions of Node.js, by `import` and by `require`, and `verbena audit` too. For each
 * restriction, a planted violation must fail with it and pass without it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from './tools.mjs'

/** Sends requests to an app with a method that can contain a violation. Prints the responses. */
const BODY = `
const violations = {
  none: () => {},
  code: () => new Function('return 1')(),
  proto: () => ({}).__proto__,
  intrinsics: () => void (Array.prototype.first = 1),
  files: () => readFileSync(process.execPath),
  processes: () => spawnSync(process.execPath, ['--version'], { encoding: 'utf8' }).output.length,
}
const title = {
  '~standard': {
    version: 1,
    vendor: 'restrictions',
    validate: (value) =>
      typeof value?.title === 'string' ? { value } : { issues: [{ message: 'must be a string', path: ['title'] }] },
  },
}

class Tasks extends Route {
  static path = '/tasks'
  static post = this.contract({ body: title, status: 201 })
  get() {
    violations[process.argv[2] ?? 'none']()
    return [{ title: 'Buy tea' }]
  }
  post({ body }) {
    return body
  }
}

const app = createApp({ routes: { Tasks }, devConsole: false, logger: false, signals: false })
const send = (port, method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request({ port, method, path, headers, agent: false }, async (response) => {
      let text = ''
      for await (const part of response) text += part
      resolve(response.statusCode + ' ' + text)
    })
    sent.on('error', reject)
    sent.end(body)
  })

async function visit() {
  const { port } = await app.listen()
  console.log(await send(port, 'GET', '/tasks'))
  console.log(await send(port, 'POST', '/tasks', '{"title":"Buy milk"}'))
  console.log((await send(port, 'POST', '/tasks', '{"title":1}')).slice(0, 3))
  console.log((await send(port, 'GET', '/unknown')).slice(0, 3))
  await app.close()
}
visit()
`

const IMPORTS = [
  ['createApp, Route', 'verbena'],
  ['spawnSync', 'node:child_process'],
  ['readFileSync', 'node:fs'],
  ['request', 'node:http'],
]
const PROGRAMS = {
  'restricted.mjs': IMPORTS.map(([names, module]) => `import { ${names} } from '${module}'`).join('\n') + BODY,
  'restricted.cjs': IMPORTS.map(([names, module]) => `const { ${names} } = require('${module}')`).join('\n') + BODY,
}

const RESPONSES = '200 [{"title":"Buy tea"}]\n201 {"title":"Buy milk"}\n422\n404\n'

/** Flags, with the violations that they must prevent. */
const FLAGS = [
  { flags: ['--disallow-code-generation-from-strings'], prevents: ['code'] },
  { flags: ['--disable-proto=throw'], prevents: ['proto'] },
  { flags: ['--frozen-intrinsics'], prevents: ['intrinsics'] },
  {
    flags: ['--disallow-code-generation-from-strings', '--disable-proto=throw', '--frozen-intrinsics'],
    prevents: ['code', 'proto', 'intrinsics'],
  },
]

/**
 * Runs the programs in a folder that has the package in its `node_modules`. If the binary has the permission model (`--permission`), also
 * with it. It restricts the network since Node.js 25.
 *
 * Returns a description of the first problem, or `undefined`.
 */
export function findRestricted({ folder, binary }) {
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text)
  const violations = [...FLAGS.at(-1).prevents]
  const restrictions = [{ flags: [], prevents: [] }, ...FLAGS]
  if (accepts('--permission')) {
    const permissions = ['--permission', '--allow-fs-read=.']
    const hasNetwork = accepts('--allow-net')
    restrictions.push({
      flags: [...permissions, ...(hasNetwork ? ['--allow-net'] : [])],
      prevents: ['files', 'processes'],
    })
    if (hasNetwork && start(permissions, 'none').printed === RESPONSES) return 'The app listens without --allow-net'
    violations.push('files', 'processes')
  }
  return restrictions.map(findProblem).find((problem) => problem !== undefined)

  function accepts(flag) {
    return capture(binary, [flag, '--version']).code === 0
  }

  function findProblem({ flags, prevents }) {
    const title = flags.join(' ') || 'no restriction'
    for (const file of Object.keys(PROGRAMS)) {
      const { printed, output } = start(flags, 'none', file)
      if (printed !== RESPONSES) return `${file} with ${title} printed\n${output}`
    }
    const audit = capture(binary, [...flags, 'node_modules/verbena/dist/cli.js', 'audit'], { cwd: folder })
    if (audit.code !== 0 || !audit.stdout.includes('No violations'))
      return `verbena audit with ${title}\n${audit.output}`
    const wrong = violations.find((each) => prevents.includes(each) === (start(flags, each).printed === RESPONSES))
    return wrong && `${title}: the planted violation "${wrong}" ${prevents.includes(wrong) ? 'passed' : 'failed'}`
  }

  function start(flags, violation, file = 'restricted.mjs') {
    const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }
    const { output, stdout } = capture(binary, [...flags, file, violation], { cwd: folder, env })
    return { printed: stdout, output }
  }
}
