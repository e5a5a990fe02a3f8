/** Tools that import the app. Each call runs a command in a new process, because a module is imported only once in a process. */
import { execFile } from 'node:child_process'
import { escapeControls, fence } from '../../devconsole/wire/record-text.js'
import { Secrets } from '../../secrets/secrets.js'
import { readVariables } from '../../values/mode.js'
import { CommandError, readString } from '../command.js'
import { readArgument, readTexts, type Tool, type ToolContext } from './tool.js'

/** Time for the start of the process and the import of the app, in ms. */
const TIMEOUT = 30_000
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
/** Characters of the messages of a command that fails. */
const MAX_ERROR_LENGTH = 4_000
const SHARED = { required: [], isReadOnly: true, narrow: '' } as const

const routes: Tool = {
  ...SHARED,
  name: 'routes',
  description: 'All endpoints of the current code, with guards and the file:line of each method.',
  args: { text: { type: 'string', description: 'Only endpoints with this text, such as a path' } },
  narrow: 'Or narrow the list with "text".',
  async run(args, context) {
    const [title, ...lines] = (await runAppCommand(['routes', findModule('routes', context)], context)).split('\n')
    const wanted = readArgument(args, 'text').toLowerCase()
    return fence([title, ...lines.filter((line) => line.toLowerCase().includes(wanted))].join('\n'))
  },
}

const explain: Tool = {
  ...SHARED,
  name: 'explain',
  description:
    'The steps of a request in the current code, without running them: guards, possible error statuses, file:line.',
  args: {
    method: { type: 'string' },
    path: { type: 'string', description: 'Such as /users/1?full=true' },
    headers: { type: 'array', items: { type: 'string' }, description: 'Such as "Accept: text/html"' },
  },
  required: ['method', 'path'],
  async run(args, context) {
    const [method, path] = [readArgument(args, 'method'), readArgument(args, 'path')]
    // Not an option of the command.
    if (!/^[A-Za-z]+$/.test(method))
      throw new CommandError(`Cannot explain "${method} ${path}": the method must be a word`)
    if (!path.startsWith('/'))
      throw new CommandError(`Cannot explain "${method} ${path}": the path must begin with "/"`)
    const options = readTexts(args, 'headers').map((line) => `--header=${line}`)
    return fence(await runAppCommand(['explain', ...options, findModule('explain', context), method, path], context))
  },
}

const check: Tool = {
  ...SHARED,
  name: 'check',
  description:
    'Probable mistakes in the current code, and the setup error if the app does not start, with fix and file:line.',
  args: {},
  run: async (_args, context) => fence(await runAppCommand(['check', findModule('check', context)], context)),
}

export const APP_TOOLS: readonly Tool[] = [routes, explain, check]

function findModule(tool: string, { input }: ToolContext): string {
  const module = readString(input, 'app')
  if (module !== undefined) return module
  const fix = 'Start the server as "npx verbena agent --app src/app.ts", or run'
  throw new CommandError(
    `Cannot call "${tool}": the module of the app is not known. ${fix} "npx verbena ${tool} src/app.ts"`,
  )
}

/**
 * Runs a command of this program, and returns its result. Throws a `CommandError` with its messages if it fails.
 *
 * @param timeout in ms
 */
export function runAppCommand(
  words: readonly string[],
  { signal }: Pick<ToolContext, 'signal'>,
  timeout: number = TIMEOUT,
): Promise<string> {
  const { execPath, execArgv, argv } = process
  const program = [...execArgv.filter((arg) => !arg.startsWith('--inspect')), ...argv.slice(1, 2)]
  const env = { ...readVariables(), FORCE_COLOR: undefined, NO_COLOR: '1' }
  const options = { env, signal, timeout, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' } as const
  return new Promise((resolve, reject) => {
    const child = execFile(execPath, [...program, ...words], options, (error, out, err) => {
      // 1 means findings.
      if (out !== '' && (error === null || error.code === 1)) resolve(out.trimEnd())
      else reject(new CommandError(`Cannot run "verbena ${words[0]}": ${describeEnd(error, err, timeout)}`))
    })
    child.stdin?.end()
  })
}

function describeEnd(error: { killed?: boolean } | null, err: string, timeout: number): string {
  if (error?.killed === true) return `it was ended after ${timeout / 1_000} s, or after 8 MB of output`
  const text = escapeControls(new Secrets().hide(err.trim()))
  return `it has failed\n\n${fence(text.slice(-MAX_ERROR_LENGTH))}`
}
