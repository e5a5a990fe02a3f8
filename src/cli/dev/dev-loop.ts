/** Starts an app again on each save. The earlier code responds until the new code listens. */
import { performance } from 'node:perf_hooks'
import { describeProblem, isProblem, type ProblemEvent } from '../../devconsole/wire/describe-record.js'
import { AppProcess, type ChildConnection, type Program } from './app-process.js'
import type { DevRecords } from './dev-records.js'
import { errorPage, errorProblem, isOfConsole, loadRules, maySeeError } from './error-page.js'
import { InspectorOwner } from './inspector-owner.js'
import { Listeners } from './listeners.js'
import type { FromConsole, ListenMessage, ToParent } from './message-types.js'
import { SpareProcess, type SpareOptions } from './spare-process.js'

/** Maximum time until new code listens, in ms. */
const START_TIMEOUT = 30_000
/** Time between the first and the last server of new code, in ms. Later, servers of earlier code are closed. */
const OPEN_TIMEOUT = 1_000
/** Maximum number of processes, including earlier ones that finish their requests. */
const MAX_PROCESSES = 3
/** Number of restarts without a request after which the cause is reported, and again after twice as many. */
const MAX_UNUSED = 3
/** Cause of an end that looks like a success. */
const NOT_LISTENING =
  '. If it never listened, check the condition of "app.listen()": "import.meta.main" is undefined in CommonJS and before Node 24.2'

export type DevEvent =
  /** A source file has changed, and `more` other files. New connections wait. */
  | { readonly event: 'save'; readonly file: string; readonly more: number }
  /** New code serves connections. `ms` is the time since the process was started. */
  | { readonly event: 'restart'; readonly ms: number }
  /** The app has ended, or its saved code does not start. `isServed`: whether earlier code responds. */
  | { readonly event: 'failed'; readonly message: string; readonly isServed: boolean }
  /** A process waits for the next save for the first time. `memory` is in bytes. */
  | { readonly event: 'spare'; readonly pid: number; readonly memory: number }
  /** The app was restarted without a request in between, possibly because it writes the file when it starts. */
  | { readonly event: 'unused'; readonly restarts: number; readonly file: string }
  /** A process was killed before it had finished a request, and `more` other requests. */
  | { readonly event: 'cut'; readonly request: string; readonly more: number }
  | ProblemEvent

interface DevLoopOptions {
  /** `null` without `--inspect`. */
  readonly inspectorPort: number | null
  /** `null` if each start has a new process. */
  readonly spare: SpareOptions | null
  readonly records: DevRecords
  readonly emit: (event: DevEvent) => void
}

export class DevLoop {
  readonly #listen = (message: ToParent, from: AppProcess): void => void this.#receive(message, from)
  readonly #program: Program
  readonly #emit: (event: DevEvent) => void
  readonly #inspector: InspectorOwner
  readonly #spare: SpareProcess | null
  readonly #records: DevRecords
  readonly #listeners = new Listeners((connection, hasApp) => this.#substitute(connection, hasApp))
  /** The processes, with the numbers of their runs. */
  readonly #processes = new Map<AppProcess, number>()
  /** The process that serves connections. */
  #current: AppProcess | null = null
  /** The process that does not listen yet. */
  #next: AppProcess | null = null
  #failed: { readonly app: AppProcess; readonly title: string } | null = null
  /** Loaded after the first failure. */
  #rules: Awaited<ReturnType<typeof loadRules>> = null
  #isEnding = false
  /** Whether a save waits for its code to listen. */
  #isStarting = false
  /** Whether a file has changed, and its save follows. */
  #isNoticed = false
  #begin = 0
  #starts = 0
  /** Restarts since the last request, and the count to report. */
  #unused = 0
  #maxUnused = MAX_UNUSED
  #opening: NodeJS.Timeout | undefined
  #hadSpare = false

  constructor(program: Program, { inspectorPort, spare, records, emit }: DevLoopOptions) {
    this.#program = program
    this.#records = records
    this.#emit = emit
    this.#inspector = new InspectorOwner(inspectorPort)
    this.#spare = spare === null ? null : new SpareProcess(program, spare, this.#listen)
    process.on('exit', () => this.kill())
  }

  /** Whether code of the app serves connections. */
  get isRunning(): boolean {
    return this.#current !== null
  }

  /** Origins of the HTTP servers of the app, such as `http://127.0.0.1:3000`. */
  get origins(): readonly string[] {
    return this.#listeners.origins
  }

  /** Makes new connections wait until `save` is called, even if code of an earlier save listens or fails until then. */
  hold(): void {
    this.#isNoticed = true
    this.#hold()
  }

  #hold(): void {
    this.#listeners.hold()
    this.#current?.send({ verbena: 'saved' })
  }

  /** Starts the app with changed files. If there are none, the waiting connections continue. */
  save([file, ...others]: readonly string[]): void {
    this.#isNoticed = false
    if (file === undefined) return this.#continue()
    this.#emit({ event: 'save', file, more: others.length })
    if (++this.#unused === this.#maxUnused) {
      this.#maxUnused *= 2
      this.#emit({ event: 'unused', restarts: this.#unused, file })
    }
    void this.start(() => this.#spare?.take([file, ...others]))
  }

  #continue(): void {
    if (this.#isInForce) this.#listeners.release()
  }

  /** Whether the code that runs is the newest that is known. */
  get #isInForce(): boolean {
    return !this.#isStarting && !this.#isNoticed
  }

  /** Starts the app in a process that `take` returns, or in a new one. */
  async start(take?: () => AppProcess | null | undefined): Promise<void> {
    const number = ++this.#starts
    this.#hold()
    this.#isStarting = true
    clearTimeout(this.#opening)
    /* c8 ignore next -- a save during a start: dev-loop.test.ts, with the package */
    if (this.#next !== null) this.#end(this.#next)
    this.#next = null
    const begin = performance.now()
    // Without a server, there is nothing to pass on, and both processes may need the same port.
    if (this.#listeners.isEmpty && this.#current !== null) {
      this.#end(this.#current)
      await this.#current.ended
    }
    const isOld = (): boolean => number !== this.#starts || this.#isEnding
    for (const app of this.#listEnding()) {
      if (isOld() || this.#processes.size < MAX_PROCESSES) break
      this.#cut(app)
      await app.ended
    }
    /* c8 ignore next -- another save, or the end, during the wait */
    if (isOld()) return
    this.#begin = begin
    const app = take?.() ?? new AppProcess(this.#program, this.#listen)
    this.#add(app)
    if (this.#listeners.isEmpty) return this.#promote(app)
    this.#next = app
    this.#opening = setTimeout(() => app.kill(), START_TIMEOUT)
  }

  #add(app: AppProcess): void {
    this.#processes.set(app, this.#records.begin(app.pid))
    void app.ended.then(() => this.#ended(app))
    this.#inspector.give(app)
  }

  #end(app: AppProcess): void {
    app.end(() => this.#cut(app), !this.#listeners.isEmpty)
  }

  /** Returns the processes that end: those without a connection first, then the oldest. */
  #listEnding(): AppProcess[] {
    const ending = [...this.#processes.keys()].filter(({ isEnding }) => isEnding)
    return ending.toSorted((a, b) => Number(b.isUnused) - Number(a.isUnused))
  }

  #cut(app: AppProcess): void {
    const [request, ...others] = app.openRequests
    if (request !== undefined) this.#emit({ event: 'cut', request, more: others.length })
    app.kill()
  }

  async #receive(message: ToParent, app: AppProcess): Promise<void> {
    if (message.verbena === 'listen') await this.#open(message, app)
    else if (message.verbena === 'close') this.#listeners.closed(app, message.id)
    else if (message.verbena === 'taken') this.#listeners.taken(app, message.connection, message.isOpen)
    else if (message.verbena === 'closed') app.closeConnection(message.connection)
    else if (message.verbena === 'inspector-closed') this.#inspector.closed(app)
    else if (message.verbena === 'loaded') this.#loaded(app, message)
    else this.#store(app, message)
  }

  async #open(message: ListenMessage, app: AppProcess): Promise<void> {
    if (app === this.#current || app === this.#next) {
      const release = await this.#listeners.open(app, message)
      if (release === null) return
      this.#spare?.prepare(app)
      if (app === this.#next) this.#promote(app)
      if (this.#isInForce) release()
    }
  }

  #store(app: AppProcess, message: FromConsole): void {
    const record = this.#records.receive(Number(this.#processes.get(app)), message)
    if (record !== null && isProblem(record)) this.#emit(describeProblem(record))
  }

  #loaded(app: AppProcess, { modules, memory }: Extract<ToParent, { verbena: 'loaded' }>): void {
    if (this.#spare?.ready(app) === true) {
      if (!this.#hadSpare) this.#emit({ event: 'spare', pid: app.pid, memory })
      this.#hadSpare = true
    }
    // During a start, a further process would only delay it.
    else if (app === this.#current && !this.#isStarting) this.#spare?.list(modules)
  }

  /** Replaces the earlier process, which finishes its requests. */
  #promote(app: AppProcess): void {
    const earlier = this.#current
    this.#current = app
    this.#next = null
    this.#failed = null
    this.#isStarting = false
    clearTimeout(this.#opening)
    if (earlier !== null) this.#end(earlier)
    if (this.#starts > 1) this.#emit({ event: 'restart', ms: Math.round(performance.now() - this.#begin) })
    this.#opening = setTimeout(() => {
      // After its end, no server has an owner, and they stay open for the next save.
      if (app === this.#current) this.#listeners.closeOthers(app)
    }, OPEN_TIMEOUT)
  }

  #ended(app: AppProcess): void {
    this.#records.ended(Number(this.#processes.get(app)))
    if (app === this.#next) this.#startFailed(app)
    else if (app === this.#current) this.#currentEnded(app)
    this.#processes.delete(app)
    this.#listeners.ended(app)
    this.#inspector.ended(app, this.#next ?? this.#current)
  }

  #startFailed(app: AppProcess): void {
    clearTimeout(this.#opening)
    this.#next = null
    this.#isStarting = false
    this.#fail(app, 'The saved code does not start', this.#current !== null)
  }

  #currentEnded(app: AppProcess): void {
    this.#current = null
    if (!app.isEnding) this.#fail(app, 'The app has ended', false)
  }

  #fail(app: AppProcess, title: string, isServed: boolean): void {
    if (this.#isEnding) return
    this.#spare?.prepare(this.#current)
    const state = typeof app.exitCode === 'number' ? `exit code ${app.exitCode}` : String(app.exitCode)
    const message = `${title} (${state})${app.exitCode === 0 ? NOT_LISTENING : ''}`
    this.log('error', `${message}. The earlier code continues to respond`)
    this.#records.failed(Number(this.#processes.get(app)), message, app.errors)
    this.#emit({ event: 'failed', message, isServed })
    this.#failed = { app, title }
    // Connections wait until it is known which of them may see the error.
    this.#listeners.hold()
    void this.#showFailure()
  }

  async #showFailure(): Promise<void> {
    this.#rules = await loadRules()
    this.#continue()
  }

  #substitute(connection: ChildConnection, hasApp: boolean): string | null {
    const title = this.#failed?.title ?? 'The app does not listen'
    if (this.#failed !== null && this.#rules !== null && maySeeError(connection, this.#rules))
      return errorPage(title, this.#failed.app.errors)
    if (!hasApp) return errorProblem(title)
    if (!isOfConsole(connection.bytes)) {
      this.#unused = 0
      this.#maxUnused = MAX_UNUSED
    }
    return null
  }

  log(level: 'info' | 'error', message: string): void {
    this.#current?.send({ verbena: 'log', level, message })
  }

  /** Ends all processes. Resolves when they have ended. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#opening)
    this.#spare?.close()
    this.#listeners.closeAll()
    const processes = [...this.#processes.keys()]
    for (const app of processes) this.#end(app)
    await Promise.all(processes.map(({ ended }) => ended))
  }

  kill(): void {
    this.#spare?.close()
    for (const app of this.#processes.keys()) app.kill()
  }
}
