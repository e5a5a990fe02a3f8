/** A process that runs the code of an app for `verbena dev`. */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { noop } from '../../values/noop.js'
import type { ToApp, ToParent } from './message-types.js'

/** Maximum length of the kept output on standard error. */
export const MAX_OUTPUT = 8_192
/** Maximum time for an app to end, in ms: the default of `timeouts.close`, and half of it for the code after it. */
const END_TIMEOUT = 15_000
/** The same for an app without a connection. */
const UNUSED_TIMEOUT = 1_000
const REQUEST = /^[A-Z]+ [!->@-~]{1,100}/

export interface Program {
  /** Options of Node. */
  readonly options: readonly string[]
  /** File, and arguments of the app. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Target of the app's standard output: `inherit`, or 2 for standard error. */
  readonly output: 'inherit' | 2
}

/** A connection, with the bytes that were read from it. */
export interface ChildConnection {
  readonly socket: Socket
  readonly bytes: Buffer
}

/** Returns the address of a program that another process runs: a file of this folder, or its bundle in the package. */
export function programUrl(source: string, built: string): URL {
  /* c8 ignore next -- one is for the source, the other for the package */
  return new URL(import.meta.url.endsWith('.ts') ? source : built, import.meta.url)
}

export class AppProcess {
  /** `null` until it has ended. */
  exitCode: number | string | null = null
  /** Whether it must not start further work, because newer code runs or `verbena dev` ends. */
  isEnding = false
  /** Last output on standard error. */
  errors = ''
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  /** Sent connections that the process has not taken yet. */
  readonly #sent = new Map<number, ChildConnection>()
  /** Open connections of the process: the requests without their queries. */
  readonly #open = new Map<number, string>()
  #lastConnection = 0
  #kill: NodeJS.Timeout | undefined

  constructor({ options, args, env, output }: Program, onMessage: (message: ToParent, from: AppProcess) => void) {
    const child = spawn(process.execPath, [...options, ...args], { env, stdio: ['ignore', output, 'pipe', 'ipc'] })
    this.#child = child
    child.on('message', (message) => {
      if (typeof message !== 'object' || message === null || !('verbena' in message)) return
      // Proof: the preload sends only these messages with this property.
      onMessage(message as ToParent, this)
    })
    // `close` reports the same, and messages to an ended process fail.
    child.on('error', noop)
    child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk)
      const errors = this.errors + chunk.toString()
      // Half a secret would not be recognized, so a cut line is removed.
      this.errors = errors.length > MAX_OUTPUT ? errors.slice(-MAX_OUTPUT).replace(/^.*\n?/, '') : errors
    })
    this.ended = new Promise((resolve) => {
      const settle = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.exitCode ??= signal ?? Number(code)
        clearTimeout(this.#kill)
        resolve()
      }
      child.once('close', settle)
      // A process that the app has started may keep its output open.
      child.once('exit', (code, signal) => setTimeout(settle, 200, code, signal))
    })
  }

  /** Process id; `NaN` if the process did not start. */
  get pid(): number {
    return Number(this.#child.pid)
  }

  send(message: ToApp): void {
    if (this.#child.connected) this.#child.send(message, noop)
  }

  /** Sends a connection to a server of the process. Its socket stays open here until the process has taken it. */
  sendConnection(id: number, connection: ChildConnection): void {
    const number = ++this.#lastConnection
    this.#sent.set(number, connection)
    const { socket, bytes } = connection
    const message: ToApp = { verbena: 'connection', id, connection: number, bytes: bytes.toString('base64') }
    // A socket would be copied together with its server. `node:cluster` also sends the handle.
    const handle = Reflect.get(socket, '_handle')
    if (this.#child.connected && handle !== null) this.#child.send(message, handle, noop)
  }

  takeConnection(number: number, isOpen: boolean): ChildConnection | undefined {
    const connection = this.#sent.get(number)
    this.#sent.delete(number)
    const [request = 'a connection'] = REQUEST.exec(String(connection?.bytes)) ?? []
    if (isOpen) this.#open.set(number, request)
    return connection
  }

  closeConnection(number: number): void {
    this.#open.delete(number)
  }

  get openRequests(): readonly string[] {
    return [...this.#open.values()]
  }

  /** Returns the connections that an ended process has not taken. */
  takeConnections(): ChildConnection[] {
    const connections = [...this.#sent.values()]
    this.#sent.clear()
    return connections
  }

  /** Whether it has received no connection. */
  get isUnused(): boolean {
    return this.#lastConnection === 0
  }

  /** Asks the app to close. Calls `onTimeout` if it does not end in time. */
  end(onTimeout: () => void, isServer: boolean): void {
    if (this.isEnding || this.exitCode !== null) return
    this.isEnding = true
    this.send({ verbena: 'end' })
    this.#kill = setTimeout(onTimeout, isServer && this.isUnused ? UNUSED_TIMEOUT : END_TIMEOUT)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
