/** A `verbena dev` without an app, which sends a given state to the commands beside it. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { DevFailure, DevRun, DevState, OfRun } from '#src/cli/dev/dev-state.js'
import { writeAddress, type DevAddress } from '#src/cli/dev/run-folder.js'
import { StateServer } from '#src/cli/dev/state-server.js'
import type { LogLine, RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { ShownRecord } from '#src/devconsole/wire/view-types.js'
import { run, type CommandResult, type RunOptions } from '#test/command-line.js'
import { createRecord } from '#test/console-records.js'
import { PLAIN_COMMAND } from '#test/repository.js'
import { createDirectory } from '#test/temp-directory.js'

export const EMPTY_STATE: DevState = {
  ...{ v: 1, pid: process.pid, file: 'src/server.ts', isRunning: true, origins: [], runs: [], records: [], lines: [] },
  ...{ incidents: [], dropped: 0 },
}

/** Builds a request as the app sends it, with the given changes. */
export function createShown(given: Partial<ShownRecord> = {}, run = 1): OfRun<ShownRecord> {
  return { ...createRecord(given), callOuts: given.callOuts ?? [], about: given.about ?? [], run }
}

export function createRun(given: Partial<DevRun> = {}): DevRun {
  return { number: 1, pid: 10, started: 500, ended: null, failure: null, ...given }
}

export function createFailure(given: Partial<DevFailure> = {}): DevFailure {
  const output = 'file:///project/src/app.ts:2\nconst a = ;\n'
  return {
    time: 2_000,
    message: 'The saved code does not start (exit code 1)',
    output,
    place: null,
    source: null,
    ...given,
  }
}

export function createLine(given: Partial<LogLine> = {}, run = 1): OfRun<LogLine> {
  return { seq: 1, time: 1_000, level: 'info', message: 'hello', fields: null, request: null, ...given, run }
}

/** An error in a file of the project, with its source. */
export const FAILED: Partial<RequestRecord> = {
  'http.response.status_code': 500,
  'dev.flags': ['error'],
  'error.type': 'TypeError',
  'code.file.path': 'src/app.ts',
  'code.line.number': 9,
  error: {
    ...{ name: 'TypeError', code: 'E_NONE', message: 'No such book' },
    frames: [
      { n: 0, function: 'read', file: 'node_modules/a/index.js', line: 1, column: 1, kind: 'library' },
      { n: 1, function: 'Books.get', file: 'src/app.ts', line: 12, column: 5, kind: 'app' },
    ],
    source: {
      file: 'src/app.ts',
      line: 12,
      first: 9,
      lines: ['nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen'],
    },
    cause: { name: 'Error', message: 'The shelf is empty', frames: [], source: null, cause: null, members: [] },
    members: [],
  },
}

export interface StateCommands {
  readonly folder: string
  readonly server: StateServer
  /** Adds the address of another `verbena dev` in the same folder, which does not answer. */
  readonly addAddress: (address: DevAddress) => void
  /** Variables with which a command finds this `verbena dev`. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command in the folder of this `verbena dev`. */
  readonly verbena: (...args: readonly string[]) => Promise<CommandResult>
}

/** Opens a `verbena dev` with a state. */
export async function openState(t: TestContext, state: Partial<DevState> = {}): Promise<StateCommands> {
  const runtime = createDirectory({})
  const folder = createDirectory({})
  const server = new StateServer(() => ({ ...EMPTY_STATE, ...state }))
  await inRuntime(runtime, () => server.open(folder, 'src/server.ts'))
  t.after(() => server.close())
  const env = { XDG_RUNTIME_DIR: runtime }
  return {
    folder,
    server,
    env,
    addAddress: (address) => void writeAddress(join(runtime, 'verbena'), folder, address),
    verbena: (...args) => plainVerbena(args, { cwd: folder, env }),
  }
}

/** Runs a command that loads no module of a user. Its message is one line, which is broken for terminals. */
export async function plainVerbena(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  const result = await run([...PLAIN_COMMAND, ...args], options)
  return { ...result, err: result.err.replaceAll(/\n(?=.)/g, ' ') }
}

/** Calls a function with the folder of run files. It reads the variable before it waits. */
export function inRuntime<Result>(runtime: string, run: () => Result): Result {
  const { XDG_RUNTIME_DIR: inherited } = process.env
  process.env['XDG_RUNTIME_DIR'] = runtime
  try {
    return run()
  } finally {
    if (inherited === undefined) delete process.env['XDG_RUNTIME_DIR']
    else process.env['XDG_RUNTIME_DIR'] = inherited
  }
}
