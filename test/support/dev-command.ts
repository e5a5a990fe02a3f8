/** Starts `verbena dev` as a child process, and reads its events. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { get, request, type Agent, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DevEvent } from '#src/cli/dev/dev-loop.js'
import type { SlowTestsEvent, TestsEvent } from '#src/cli/dev/test-runs.js'
import { COMMAND, COMMAND_CONFIG, PLAIN_COMMAND } from './repository.js'

const MAX_WAIT_MS = 60_000

type CommandEvent = DevEvent | TestsEvent | SlowTestsEvent
type EventNamed<Name> = Extract<CommandEvent, { event: Name }>

export interface DevCommand extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything that was printed on standard error, with the output of the app. */
  readonly errors: () => string
  /** Waits for the next event of this name. Events before the call do not count. */
  readonly next: <Name extends CommandEvent['event']>(name: Name) => Promise<EventNamed<Name>>
  /** Waits for the first event of this name. Events before the call count. */
  readonly first: <Name extends CommandEvent['event']>(name: Name) => Promise<EventNamed<Name>>
  /** Waits for the first event of this name after another event. */
  readonly after: <Name extends CommandEvent['event']>(event: CommandEvent, name: Name) => Promise<EventNamed<Name>>
  /** All events until now. */
  readonly events: readonly CommandEvent[]
  /** Waits until standard error matches, and returns the match. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Sends a signal, and returns the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>
}

interface DevOptions {
  /** Path of an installed command; default: the source. */
  readonly program?: string
  /** Whether events are text instead of JSON. They are then part of `errors`. */
  readonly text?: boolean
  /** Options of Node. */
  readonly nodeOptions?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the command in a folder. */
export function startDev(
  folder: string,
  args: readonly string[],
  { program, text, nodeOptions = [], env: extra = {} }: DevOptions = {},
): DevCommand {
  // Without the variable, Node runs tests in a process of a test.
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const env = {
    ...inherited,
    TSX_TSCONFIG_PATH: COMMAND_CONFIG,
    NODE_ENV: 'development',
    NO_COLOR: '1',
    ...extra,
  }
  const own = program === undefined ? env : { ...env, NODE_V8_COVERAGE: '' }
  const source = args.some((arg) => arg.endsWith('.ts')) ? COMMAND : PLAIN_COMMAND
  const node = program === undefined ? source : [program]
  const child = spawn(
    process.execPath,
    [...nodeOptions, ...node, 'dev', ...(text === true ? [] : ['--json']), ...args],
    {
      cwd: folder,
      env: own,
    },
  )
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
  if (text === true) child.stdout.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const lines = createInterface({ input: text === true ? new PassThrough() : child.stdout })
  const events: CommandEvent[] = []
  lines.on('line', (line) => events.push(JSON.parse(line)))
  const eventFrom = async <Name extends CommandEvent['event']>(
    name: Name,
    start: number,
  ): Promise<EventNamed<Name>> => {
    for (;;) {
      const found = events.slice(start).find((event): event is EventNamed<Name> => event.event === name)
      if (found !== undefined) return found
      await once(lines, 'line', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    }
  }
  return {
    child,
    events,
    errors: () => errors,
    next: (name) => eventFrom(name, events.length),
    first: (name) => eventFrom(name, 0),
    after: (event, name) => eventFrom(name, events.indexOf(event) + 1),
    printed: async (pattern) => {
      for (let left = 2_400; left > 0; left--) {
        const match = pattern.exec(errors)
        if (match !== null) return match
        await sleep(25)
      }
      throw new Error(`${pattern} is missing in ${errors}`)
    },
    end: (signal = 'SIGINT') => end(child, signal),
    [Symbol.asyncDispose]: async () => void (await end(child, 'SIGTERM')),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  const [code] = await exited
  return code
}

/**
 * Saves a file in one step. `writeFileSync` empties the file first, and may be suspended before it writes: `verbena dev` would start the
 * empty file, and report two saves.
 */
export function saveFile(path: string, text: string): void {
  writeFileSync(`${path}~`, text)
  renameSync(`${path}~`, path)
}

export interface DevResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

interface DevRequest {
  readonly port: number
  readonly path?: string
  readonly agent?: Agent | false
  readonly body?: string
  readonly headers?: OutgoingHttpHeaders
}

/** Sends a GET, or a POST with a JSON body. `fetch` would send failed requests again. */
export async function ask({ port, path = '/', agent = false, body, headers = {} }: DevRequest): Promise<DevResponse> {
  const options = { port, path, agent, host: '127.0.0.1' }
  const json = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body ?? '') }
  const sent =
    body === undefined
      ? get({ ...options, headers })
      : request({ ...options, headers: { ...json, ...headers }, method: 'POST' }).end(body)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('No response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: Number(response.statusCode), headers: response.headers, text }
}
