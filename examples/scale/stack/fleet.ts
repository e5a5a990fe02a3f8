/**
 * Processes of the app, each with a separate socket. They are replaced one by one without losing a request:
 *
 * 1. The new process listens on a temporary path, and reports at `/health/readyz` that it is ready.
 * 2. Its socket is renamed to the path that nginx uses. Renaming is atomic: each new connection reaches the old or the new process, and
 *    none is refused.
 * 3. The old process gets SIGTERM. For `timeouts.drain`, it responds to requests on its open connections, and closes each one with the
 *    response. nginx closes idle connections within that time. Then the process closes.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Folder of `main.ts`. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url))
/** Maximum time until a process is ready, in ms. */
const START = 30_000
/** Pause before a crashed process is restarted, in ms, so that a process that crashes immediately does not overload the machine. */
const PAUSE = 500

/** Settings of the processes. */
export interface FleetSettings {
  /** Folder of the sockets. */
  readonly folder: string
  readonly size: number
  /** Environment variables, in addition to the environment of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly report: (message: string) => void
}

export class Fleet {
  readonly #slots: readonly Slot[]

  constructor(settings: FleetSettings) {
    this.#slots = Array.from({ length: settings.size }, (_, index) => new Slot(String(index + 1), settings))
  }

  /** Paths of the sockets for nginx. */
  get sockets(): string[] {
    return this.#slots.map(({ socket }) => socket)
  }

  /** Process ids, in the order of the sockets. */
  get pids(): number[] {
    return this.#slots.map(({ pid }) => pid)
  }

  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.replace()))
  }

  /** Replaces the processes one by one. If a new process does not become ready, its old one and all later ones keep running. */
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

  /** Resolves when the previous process has ended. Other slots can be replaced while it ends. */
  get oldHasEnded(): Promise<void> {
    return this.#ending
  }

  /** Replaces the process. Calls run one at a time, because a process may crash while it is being replaced. */
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
    // The IPC channel closes when this process ends. In a separate process group, Ctrl+C does not reach the child.
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
