/** A server of a test's own: a process with a temporary folder and a port of the loopback, gone when the test is over. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ATTEMPTS = 3

/** Settings of a server. */
export interface ServerSettings {
  /** Whether SIGTERM and Ctrl+C end it at once, with its process; `false` leaves both to that process. */
  readonly signals?: boolean
}

/** What is started. */
interface Program {
  /** For errors, and for the name of its folder. */
  readonly name: string
  readonly path: string
  /** What it says once it takes connections. */
  readonly ready: string
  /** Ends it at once. */
  readonly crash: NodeJS.Signals
}

/** A server that can be stopped and started again on its port. */
export class OwnServer {
  readonly folder: string
  /** How all its processes are started. */
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
    // The runner ends a test so that takes too long; without this there would be no `exit`.
    if (signals) process.once('SIGTERM', exitNow)
  }

  /** The port, once it has started. */
  get port(): number {
    return this.#port
  }

  /** Starts it; the first time on a port that was free a moment ago, then on the same. */
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

  /** Stops it and waits for its end. */
  async stop(signal: NodeJS.Signals = this.#program.crash): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** Stops it and leaves nothing behind. */
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

/** A port of the loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port')
  return address.port
}
