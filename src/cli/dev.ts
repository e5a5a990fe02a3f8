/** `verbena dev`: runs an app, and restarts it on each save. A save loses no request. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noop } from '../values/noop.js'
import { readVariables } from '../values/mode.js'
import {
  CommandError,
  EXIT,
  readMessage,
  readString,
  readStrings,
  type Command,
  type CommandInput,
  type ExitCode,
} from './command.js'
import { programUrl, type Program } from './dev/app-process.js'
import { DevLoop, type DevEvent } from './dev/dev-loop.js'
import { DevRecords } from './dev/dev-records.js'
import { STATE_VERSION } from './dev/dev-state.js'
import { listEnvFiles, readEnvFiles, withoutFiles } from './dev/env-files.js'
import { findPreload } from './dev/node-options.js'
import { selectTests } from './dev/select-tests.js'
import type { SpareOptions } from './dev/spare-process.js'
import { StateServer } from './dev/state-server.js'
import { formatTests, TestRuns, type SelectTests, type SlowTestsEvent, type TestsEvent } from './dev/test-runs.js'
import { FileWatcher, findRoot } from './dev/watch-files.js'
import { checkFile, findTypeScriptLoader } from './load-module.js'
import type { ProblemEvent } from '../devconsole/wire/describe-record.js'
import { escapeLine } from '../devconsole/wire/record-text.js'
import { showPath } from '../prove/source-places.js'
import type { Terminal } from './terminal.js'

const INSPECTOR_PORT = 9229
const TEST_PART = '.test.'
/** Folder below `node_modules`, for the compiled code of V8. The preload removes the variable that names it. */
const COMPILE_CACHE = '.cache/verbena-compile-cache'

export const dev: Command = {
  name: 'dev',
  summary: 'Run an app, and restart it on each save',
  args: ['<file>'],
  options: {
    inspect: {
      type: 'boolean',
      value: '<port>',
      help: `Open the inspector of the newest process; default ${INSPECTOR_PORT}`,
    },
    test: { type: 'boolean', multiple: true, value: '<text>', help: 'Run the tests that import a saved file' },
    'env-file': {
      type: 'string',
      multiple: true,
      value: '<file>',
      help: 'Read variables from a file at each start',
    },
    warm: { type: 'string', value: '<packages>', help: 'Load these packages before a save, such as "pg,jose"' },
    'no-spare': { type: 'boolean', help: 'Keep no process that waits for the next save' },
    restart: { type: 'boolean', help: 'Wait for the end of the earlier process, as on Windows' },
  },
  rest: '<arguments>',
  details:
    '<file> starts the app with <arguments>. Connections wait while new code starts. Enter also restarts it. ' +
    `Tests have <text> in their path, by default "${TEST_PART}". ` +
    'NODE_ENV is "development" if it is not set. Ctrl+C ends the app, with exit code 0.',
  example: 'dev src/server.ts --inspect',
  run: runDev,
}

async function runDev(input: CommandInput, terminal: Terminal): Promise<ExitCode> {
  const [file = ''] = input.args
  const path = resolve(file)
  checkFile(file, path)
  const isJson = input.values['json'] === true
  const handsOver = process.platform !== 'win32' && input.values['restart'] !== true
  const root = findRoot(path)
  const envFiles = readStrings(input, 'env-file').map((name) => `--env-file=${name}`)
  const node = readNode([...findLoaders(file, path), ...envFiles])
  const emit = (event: CommandEvent): void => {
    void terminal.print(isJson ? JSON.stringify(event) : formatEvent(event, terminal))
    if (event.event === 'tests')
      for (const line of formatTests(event)) loop.log(event.failures.length > 0 ? 'error' : 'info', line)
    else if (event.event === 'restart' || event.event === 'failed') tests?.start()
  }
  const inspectorPort = readPort(input)
  const program = createProgram(path, input.rest, node, { root, handsOver, isJson })
  const warning = handsOver ? findSlowness(input, node) : 'Restarts without hand-over: requests during a restart fail'
  const wantsSpare = warning === null && input.values['no-spare'] !== true
  const spare = wantsSpare ? readSpare(input, node, [root, process.cwd()]) : null
  const records = new DevRecords(process.cwd(), (line) => void server.send(line))
  const loop = new DevLoop(program, { inspectorPort, spare, records, emit })
  const server = createServer(file, loop, records)
  const watcher = new FileWatcher(root, path, {
    onEvent: () => loop.hold(),
    onSave: (files) => {
      for (const changed of files) tests?.change(changed)
      loop.save(files.map(showPath))
    },
    onLimit: (reason) => terminal.warn(`Saves in some folders of ${root} are not seen: ${reason}`),
  })
  const parts = readStrings(input, 'test')
  const testParts = parts.length === 0 ? [TEST_PART] : parts
  const select: SelectTests = (changed) => selectTests({ root, files: watcher.findFiles(), testParts }, changed)
  const tests = input.values['test'] === undefined ? null : new TestRuns(node, select, emit)
  if (warning !== null) terminal.warn(warning)
  if (!isJson) void terminal.print(terminal.style('dim', `Watching ${root}`))
  await serveState(server, file, terminal)
  void loop.start()
  // The terminal may close.
  process.stdin.on('error', noop).on('data', () => void loop.start())
  await firstSignal()
  watcher.close()
  server.close()
  onSignals(() => loop.kill())
  await Promise.all([loop.end(), tests?.end()])
  return EXIT.fine
}

function createServer(file: string, loop: DevLoop, records: DevRecords): StateServer {
  return new StateServer(() => {
    const { isRunning, origins } = loop
    return { v: STATE_VERSION, pid: process.pid, file, isRunning, origins, ...records.read() }
  })
}

/** The app also runs if the commands beside it cannot read its records. */
async function serveState(server: StateServer, file: string, { warn }: Terminal): Promise<void> {
  try {
    await server.open(process.cwd(), file)
  } catch (error) {
    warn(`Commands such as "verbena last" cannot read this app: ${readMessage(error)}`)
  }
}

function firstSignal(): Promise<void> {
  return new Promise((settle) => onSignals(settle))
}

function onSignals(listener: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener)
}

function readPort({ values }: CommandInput): number | null {
  const { inspect } = values
  if (inspect === undefined) return null
  const port = inspect === true ? INSPECTOR_PORT : Number(inspect)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CommandError(
    `Cannot open the inspector: "--inspect" must be a port, not "${String(inspect)}". Write "--inspect=9230"`,
  )
}

/** Returns a message if no process can wait for the next save. */
function findSlowness({ values }: CommandInput, { options, env }: NodeProgram): string | null {
  const preload = findPreload(options, env['NODE_OPTIONS'])
  const reason =
    values['inspect'] === undefined ? preload && `"${preload}" is loaded before the app` : '"--inspect" is set'
  return reason === undefined ? null : `Restarts load all packages again, because ${reason}`
}

function readSpare(input: CommandInput, { options }: NodeProgram, folders: readonly string[]): SpareOptions {
  const warm = readString(input, 'warm')?.split(',') ?? []
  return { warm, folders, files: listEnvFiles(options) }
}

type CommandEvent = DevEvent | TestsEvent | SlowTestsEvent
type NodeProgram = Pick<Program, 'options' | 'env'>

interface ProgramOptions {
  readonly root: string
  readonly handsOver: boolean
  readonly isJson: boolean
}

function findLoaders(file: string, path: string): string[] {
  const loader = findTypeScriptLoader(file, path)
  const inherited = process.execArgv.filter((arg) => !arg.startsWith('--inspect'))
  const isInherited = loader === null || inherited.some((arg) => arg.endsWith(loader))
  return isInherited ? inherited : [...inherited, `--import=${loader}`]
}

/** Returns the options of Node and the environment of all processes. */
function readNode(options: readonly string[]): NodeProgram {
  return { options, env: withoutFiles(readVariables(), readEnvFiles(options)) }
}

function createProgram(
  path: string,
  rest: readonly string[],
  { options, env }: NodeProgram,
  { root, handsOver, isJson }: ProgramOptions,
): Program {
  const preload = `--import=${programUrl('preload.ts', 'cli-dev.js').href}${handsOver ? '' : '?restart'}`
  const mode = readEnvFiles(options)['NODE_ENV'] === undefined && { NODE_ENV: 'development' }
  return {
    options: [...options, preload],
    args: [path, ...rest],
    env: { ...mode, ...compileCache(root), ...env },
    output: isJson ? 2 : 'inherit',
  }
}

/** The variable of Node 22.1 and later. A value of the environment takes precedence. */
function compileCache(root: string): Readonly<Record<string, string>> {
  const packages = join(root, 'node_modules')
  return existsSync(packages) ? { NODE_COMPILE_CACHE: join(packages, COMPILE_CACHE) } : {}
}

function formatEvent(event: CommandEvent, { style }: Terminal): string {
  if (event.event === 'save') return style('dim', `Changed ${event.file}${formatMore(event.more)}`)
  if (event.event === 'restart') return style('green', `Restarted in ${event.ms} ms`)
  if (event.event === 'tests') {
    const [summary = '', ...failures] = formatTests(event)
    return [style(failures.length === 0 ? 'green' : 'red', summary), ...failures].join('\n')
  }
  if (event.event === 'slow-tests') {
    return style('yellow', `No test has ended for 10 s. Running: ${event.tests.join(', ')}`)
  }
  if (event.event === 'spare') {
    const memory = Math.round(event.memory / 1_000_000)
    return style(
      'dim',
      `A process waits for the next save, with ${memory} MB of memory. "--no-spare" restarts without it`,
    )
  }
  if (event.event === 'unused') {
    const fix = 'If the app or a test writes this file, move it to a folder that is not watched, such as ".data"'
    return style('yellow', `${event.restarts} restarts without a request, the last for ${event.file}. ${fix}`)
  }
  if (event.event === 'problem') return formatProblem(event, style)
  if (event.event === 'cut') {
    return style('yellow', `Ended earlier code that had not finished ${event.request}${formatMore(event.more)}`)
  }
  const fix = event.isServed ? 'The earlier code continues to respond' : 'Save a file to start it again'
  return style('red', `${event.message}. ${fix}`)
}

function formatProblem(event: ProblemEvent, style: Terminal['style']): string {
  const { status, request, problem, place, query, id } = event
  const title = style(
    status >= 500 || status === 0 ? 'red' : 'yellow',
    `${status || 'no response'} ${escapeLine(request)}`,
  )
  const parts = [problem, place, query].flatMap((text) => (text === null ? [] : [escapeLine(text)]))
  return [title, ...parts, style('dim', id)].join('  ')
}

function formatMore(count: number): string {
  return count === 0 ? '' : ` and ${count} more`
}
