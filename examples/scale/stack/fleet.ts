/**
 * Processes of the app, each behind a socket of its own. One after the other is replaced by a new one without losing a request:
 *
 * 1. The new process listens on a path that nobody knows, and says by `/health/readyz` that it is ready.
 * 2. Its path is renamed to that which nginx knows. The system does this in one step: each new connection reaches the old process or
 *    the new one, and none is refused.
 * 3. The old process gets SIGTERM. For `timeouts.drain` it answers what still comes over connections that it has, and ends each with
 *    its answer; nginx closes the idle ones before that time is over. Then it closes.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Where `main.ts` is. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url))
/** How long a process may take until it is ready, in ms. */
const START = 30_000
/** How long nobody is started where a process has died, in ms: one that dies at once shall not fill the machine. */
const PAUSE = 500

/** What processes are started with. */
export interface FleetSettings {
  /** For the sockets. */
  readonly folder: string
  readonly size: number
  /** Their environment, beside that of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly report: (message: string) => void
}

export class Fleet {
  readonly #slots: readonly Slot[]

  constructor(settings: FleetSettings) {
    this.#slots = Array.from({ length: settings.size }, (_, index) => new Slot(String(index + 1), settings))
  }

  /** Where nginx finds them. */
  get sockets(): string[] {
    return this.#slots.map(({ socket }) => socket)
  }

  /** The ids of the processes, in the order of the sockets. */
  get pids(): number[] {
    return this.#slots.map(({ pid }) => pid)
  }

  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.replace()))
  }

  /** Replaces one process after the other. When one does not become ready, the old one stays, and so do those after it. */
  async roll(): Promise<void> {
    for (const slot of this.#slots) await slot.replace()
    await Promise.all(this.#slots.map((slot) => slot.oldHasEnded))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop()))
  }
}

/** A place for one process. */
class Slot {
  readonly socket: string
  readonly #name: string
  readonly #settings: FleetSettings
  #child: ChildProcess | undefined = undefined
  #started = 0
  #isStopped = false
  #last: Promise<void> = Promise.resolve()
  #ending: Promise<void> = Promise.resolve()

  constructor(name: string, settings: FleetSettings) {
    this.#name = name
    this.#settings = settings
    this.socket = join(settings.folder, `${name}.sock`)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** The process before takes a while to end, in which the next one can be replaced. */
  get oldHasEnded(): Promise<void> {
    return this.#ending
  }

  /** One at a time: a process may die while it is being replaced. */
  replace(): Promise<void> {
    const done = this.#last.then(() => this.#replace())
    this.#last = done.catch(() => {})
    return done
  }

  async #replace(): Promise<void> {
    if (this.#isStopped) return
    const old = this.#child
    const path = `${this.socket}.${++this.#started}`
    const child = await this.#begin(path)
    renameSync(path, this.socket)
    this.#child = child
    child.once('exit', (code, signal) => {
      if (this.#child === child) void this.#revive(signal ?? `code ${code}`)
    })
    await this.#ending
    this.#ending = end(old)
  }

  async #begin(path: string): Promise<ChildProcess> {
    const env = { ...process.env, ...this.#settings.env, SOCKET: path, TRUST_PROXY: 'unix', NAME: this.#name }
    // The channel tells it when this process is gone. In a process group of its own Ctrl+C does not reach it.
    const child = spawn(process.execPath, ['--import', 'tsx', 'main.ts'], {
      ...{ cwd: FOLDER, env, detached: true },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const deadline = Date.now() + START
    while (!(await isReady(path))) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill('SIGKILL')
        throw new Error(`Cannot start process ${this.#name}: it ended, or was not ready within ${START} ms`)
      }
      await sleep(50)
    }
    return child
  }

  async #revive(why: string): Promise<void> {
    if (this.#isStopped) return
    this.#settings.report(`Process ${this.#name} has died (${why}). Another one is started`)
    await sleep(PAUSE)
    await this.replace().catch((error: unknown) => this.#revive(String(error)))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#last
    await Promise.all([this.#ending, end(this.#child)])
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/health/readyz', agent: false, timeout: 5_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    })
    asked
      .once('timeout', () => asked.destroy())
      .once('error', () => resolve(false))
      .end()
  })
}
