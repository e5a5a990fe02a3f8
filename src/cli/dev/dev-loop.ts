/** Starts an app again on each save. The earlier code responds until the new code listens. */
import { performance } from 'node:perf_hooks'
import { AppProcess, type Program } from './app-process.js'
import { errorPage, errorProblem, isNavigation } from './error-page.js'
import { InspectorOwner } from './inspector-owner.js'
import { Listeners } from './listeners.js'
import type { ToParent } from './message-types.js'

/** Time without another change before the app is started, in ms. Editors and formatters write a file in several steps. */
const DEBOUNCE = 30
/** Maximum time until new code listens, in ms. */
const START_TIMEOUT = 30_000
/** Time between the first and the last server of new code, in ms. Later, servers of earlier code are closed. */
const OPEN_TIMEOUT = 1_000
/** Maximum number of processes, including earlier ones that finish their requests. */
const MAX_PROCESSES = 8

export type DevEvent =
  /** A source file has changed. New connections wait. */
  | { readonly event: 'save'; readonly file: string }
  /** New code serves connections. `ms` is the time since the process was started. */
  | { readonly event: 'restart'; readonly ms: number }
  /** The app has ended, or its saved code does not start. `isServed`: whether earlier code responds. */
  | { readonly event: 'failed'; readonly message: string; readonly isServed: boolean }

export class DevLoop {
  readonly #program: Program
  readonly #emit: (event: DevEvent) => void
  readonly #inspector: InspectorOwner
  readonly #listeners = new Listeners((bytes, hasApp) => this.#substitute(bytes, hasApp))
  readonly #processes = new Set<AppProcess>()
  /** The process that serves connections. */
  #current: AppProcess | null = null
  /** The process that does not listen yet. */
  #next: AppProcess | null = null
  #failed: { readonly app: AppProcess; readonly title: string } | null = null
  #isEnding = false
  #begin = 0
  #starts = 0
  #saves: NodeJS.Timeout | undefined
  #opening: NodeJS.Timeout | undefined

  constructor(program: Program, inspectorPort: number | null, emit: (event: DevEvent) => void) {
    this.#program = program
    this.#emit = emit
    this.#inspector = new InspectorOwner(inspectorPort)
    process.on('exit', () => this.kill())
  }

  /** Makes new connections wait, and starts the app when no further change follows. */
  save(file: string): void {
    this.#listeners.hold()
    this.#current?.send({ verbena: 'saved' })
    this.#emit({ event: 'save', file })
    clearTimeout(this.#saves)
    this.#saves = setTimeout(() => void this.start(), DEBOUNCE)
  }

  async start(): Promise<void> {
    const number = ++this.#starts
    clearTimeout(this.#opening)
    /* c8 ignore next -- a save during a start: dev-loop.test.ts, with the package */
    this.#next?.end()
    this.#next = null
    const begin = performance.now()
    if (this.#listeners.isEmpty && this.#current !== null) {
      // There is nothing to pass on, and both processes may need the same port.
      this.#current.end()
      await this.#current.ended
      /* c8 ignore next -- another save, or the end, during the wait */
      if (number !== this.#starts || this.#isEnding) return
    }
    this.#begin = begin
    const app = new AppProcess(this.#program, (message, from) => void this.#receive(message, from))
    this.#add(app)
    if (this.#listeners.isEmpty) return this.#promote(app)
    this.#next = app
    this.#opening = setTimeout(() => app.kill(), START_TIMEOUT)
  }

  #add(app: AppProcess): void {
    this.#processes.add(app)
    const [oldest] = this.#processes
    if (this.#processes.size > MAX_PROCESSES && oldest?.isEnding === true) oldest.kill()
    void app.ended.then(() => this.#ended(app))
    this.#inspector.give(app)
  }

  async #receive(message: ToParent, app: AppProcess): Promise<void> {
    if (message.verbena === 'close') this.#listeners.closed(app, message.id)
    else if (message.verbena === 'taken') this.#listeners.taken(app, message.connection, message.isOpen)
    else if (message.verbena === 'inspector-closed') this.#inspector.closed(app)
    else if (app === this.#current || app === this.#next) {
      const isOpen = await this.#listeners.open(app, message)
      if (isOpen && app === this.#next) this.#promote(app)
    }
  }

  /** Replaces the earlier process, which finishes its requests. */
  #promote(app: AppProcess): void {
    const earlier = this.#current
    this.#current = app
    this.#next = null
    this.#failed = null
    clearTimeout(this.#opening)
    earlier?.end()
    if (this.#starts > 1) this.#emit({ event: 'restart', ms: Math.round(performance.now() - this.#begin) })
    this.#opening = setTimeout(() => {
      // After its end, no server has an owner, and they stay open for the next save.
      if (app === this.#current) this.#listeners.closeOthers(app)
    }, OPEN_TIMEOUT)
  }

  #ended(app: AppProcess): void {
    this.#processes.delete(app)
    if (app === this.#next) this.#startFailed(app)
    else if (app === this.#current) this.#currentEnded(app)
    this.#listeners.ended(app)
    this.#inspector.ended(app, this.#next ?? this.#current)
  }

  #startFailed(app: AppProcess): void {
    clearTimeout(this.#opening)
    this.#next = null
    const isServed = this.#current !== null
    this.#fail(app, 'The saved code does not start', isServed)
    this.#listeners.release()
  }

  #currentEnded(app: AppProcess): void {
    this.#current = null
    if (!app.isEnding) this.#fail(app, 'The app has ended', false)
  }

  #fail(app: AppProcess, title: string, isServed: boolean): void {
    if (this.#isEnding) return
    this.#failed = { app, title }
    const state = typeof app.exitCode === 'number' ? `exit code ${app.exitCode}` : String(app.exitCode)
    const message = `${title} (${state})`
    this.log('error', `${message}. The earlier code continues to respond`)
    this.#emit({ event: 'failed', message, isServed })
  }

  #substitute(bytes: Buffer, hasApp: boolean): string | null {
    const title = this.#failed?.title ?? 'The app does not listen'
    if (this.#failed !== null && isNavigation(bytes)) return errorPage(title, this.#failed.app.errors)
    return hasApp ? null : errorProblem(title)
  }

  log(level: 'info' | 'error', message: string): void {
    this.#current?.send({ verbena: 'log', level, message })
  }

  /** Ends all processes. Resolves when they have ended. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#saves)
    clearTimeout(this.#opening)
    this.#listeners.closeAll()
    const processes = [...this.#processes]
    for (const app of processes) app.end()
    await Promise.all(processes.map(({ ended }) => ended))
  }

  kill(): void {
    for (const app of this.#processes) app.kill()
  }
}
