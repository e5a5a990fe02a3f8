/** A server for a test: a process with a temporary folder and a port of 127.0.0.1, removed after the test. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ATTEMPTS = 3

export interface ServerSettings {
  /** Whether SIGTERM and Ctrl+C also end the server; `false` leaves that to this process. Default `true`. */
  readonly signals?: boolean
}

/** The program of the server. */
interface Program {
  /** Name for errors and for the folder. */
  readonly name: string
  readonly path: string
  /** Text in its output when it accepts connections. */
  readonly ready: string
  /** Signal that ends it immediately. */
  readonly crash: NodeJS.Signals
}

/** A server that can be stopped and restarted on the same port. */
export class OwnServer {
  readonly folder: string
  /** Spawn options of all its processes. */
  readonly setting: { readonly cwd: string; readonly detached: boolean }
  readonly #program: Program
  readonly #abandon = (): void => {
    this.#child?.kill(this.#program.crash)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
  #child: ChildProcess | undefined = undefined
  #port = 0

  constructor(program: Program, { signals = true }: ServerSettings) {
    this.#program = program
    this.folder = mkdtempSync(join(tmpdir(), `verbena-${program.name.toLowerCase()}-`))
    this.setting = { cwd: this.folder, detached: !signals }
    process.once('exit', this.#abandon)
    // The test runner sends SIGTERM to a test that takes too long. Without this listener, `exit` would not be emitted.
    if (signals) process.once('SIGTERM', exitNow)
  }

  /** The port; 0 before the first start. */
  get port(): number {
    return this.#port
  }

  /** Starts the server: first on a free port, later on the same port. */
  async start(argsFor: (port: number) => readonly string[], options: SpawnOptions = {}): Promise<void> {
    if (this.#port > 0) return this.#open(argsFor(this.#port), options)
    for (let attempt = 1; this.#port === 0; attempt++) {
      const port = await freePort()
      await this.#open(argsFor(port), options).then(
        () => (this.#port = port),
        (error: unknown) => {
          if (attempt === ATTEMPTS) throw error
        },
      )
    }
  }

  async #open(args: readonly string[], options: SpawnOptions): Promise<void> {
    const { name, path, ready } = this.#program
    const child = spawn(path, args, { ...this.setting, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: string[] = []
    const isReady = new Promise<boolean>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => resolve(false))
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line)
          if (line.includes(ready)) resolve(true)
        })
      }
    })
    if (!(await isReady)) throw new Error(`Cannot start ${name}: ${said.join('\n')}`)
    this.#child = child
  }

  /** Stops the server, and waits for its end. */
  async stop(signal: NodeJS.Signals = this.#program.crash): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Stops the server, and removes its folder. */
  async remove(): Promise<void> {
    await this.stop()
    process.off('exit', this.#abandon)
    process.off('SIGTERM', exitNow)
    this.#abandon()
  }
}

function exitNow(): void {
  process.exit(1)
}

/** Returns a free port of 127.0.0.1. Another process may use it before you do. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port')
  return address.port
}

/** Whether a server accepts connections on a port of 127.0.0.1. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}
