/**
 * Records the calls of an app. All are counted; each is kept, too, until there are more than 500 at once or 50 a second,
 * apart for those that are notable. That is decided when a call begins: the others leave no trail unless they write lines or turn
 * out to be notable, so that a flood costs a bounded share of the process.
 */
import type { CallHead, AppObserver, PassedCall, Trail, TrailFacts, ObservedLine } from '../observe/trail.js'
import { Budget } from './budget.js'
import type { KeptLine, LogStore } from './log-store.js'
import type { Problems } from './problems.js'
import type { OpenCalls } from './open-calls.js'
import { makeRecord } from './record.js'
import type { RecordScope } from './record-head.js'
import { RecordedTrail, type TrailOwner } from './recorded-trail.js'
import type { Series } from './series.js'
import { isBelowBase, type Settings } from './settings.js'
import { Spent } from './spent.js'
import type { Recorded, RecordStore } from './store.js'
import type { WallClock } from './wall-clock.js'
import type { Problem } from './wire-feed-types.js'

/**
 * Records of calls that went well, and of others. In a flood the code that makes them is cold: one alone takes up to 0.1 ms, of many in
 * a row only the first. 25 at a time cost far less than one by one, and the store still holds the last ten seconds.
 */
const BUDGET = { atOnce: 500, perSecond: 50, inRow: 25 }
/** Requests whose lines are told apart. */
const MOST_NAMED = 2_000

/** Where records go. */
export interface RecorderParts {
  readonly scope: RecordScope
  readonly store: RecordStore
  readonly logs: LogStore
  readonly series: Series
  readonly clock: WallClock
  readonly problems: Problems
}

/** Hears of what was recorded. */
export interface RecorderListener {
  /** A request was recorded. */
  request(recorded: Recorded): void
  /** A request was counted, and not recorded. */
  passed(): void
  /** A line was kept. */
  line(line: KeptLine): void
  /** There were too many lines to keep one. */
  lineLost(): void
  /** A problem came, or came again. */
  problem(problem: Problem): void
}

/** Records the calls of an app. */
export class Recorder implements AppObserver, TrailOwner {
  readonly hider: RecordScope['hider']
  readonly clock: WallClock
  readonly #parts: RecorderParts
  // Each call needs these two, and the way through the parts is cold.
  readonly #settings: Settings
  readonly #series: Series
  readonly #listener: RecorderListener
  readonly #open: OpenCalls
  /** By id of request: its trail while it is in work, then the id of its record. */
  readonly #named = new Map<string, RecordedTrail | string>()
  readonly #usual = new Budget(BUDGET, performance.now())
  readonly #notable = new Budget(BUDGET, performance.now())
  /** What the newest recordings took. */
  readonly spent: Spent = new Spent()
  #count = 0
  #inFlight = 0

  constructor(parts: RecorderParts, open: OpenCalls, listener: RecorderListener) {
    this.#parts = parts
    this.#settings = parts.scope.settings
    this.#series = parts.series
    this.#open = open
    this.#listener = listener
    this.hider = parts.scope.hider
    this.clock = parts.clock
  }

  get boot(): string {
    return this.#parts.scope.boot
  }

  /** Requests that there were. */
  get total(): number {
    return this.#count
  }

  count(): number {
    return ++this.#count
  }

  /** Requests that are not answered, those that leave no trail among them. */
  get inFlight(): number {
    return this.#inFlight
  }

  observes({ url }: CallHead): boolean {
    return !isBelowBase(url) && !isIgnored(url, this.#settings)
  }

  begin(begun: CallHead, began: number): Trail | null {
    this.#inFlight++
    if (!this.#usual.take(began)) return null
    const trail = this.observe(begun, began)
    trail.detail()
    return trail
  }

  observe(begun: CallHead, began: number): RecordedTrail {
    const trail = new RecordedTrail(begun, began, this)
    this.#open.add(trail)
    return trail
  }

  passed(call: PassedCall, status: number): Trail | null {
    if (this.#isNotable(status, call.duration)) return new RecordedTrail(call.exchange, call.began, this)
    this.count()
    this.#inFlight--
    this.#series.record(call, status)
    this.#listener.passed()
    return null
  }

  named(trail: RecordedTrail, requestId: string): void {
    if (this.#named.size >= MOST_NAMED) this.#forgetOldest()
    this.#named.set(requestId, trail.isEnded ? trail.id : trail)
  }

  #forgetOldest(): void {
    for (const [oldest] of this.#named) {
      this.#named.delete(oldest)
      return
    }
  }

  line(watched: ObservedLine): void {
    const requestId: unknown = Reflect.get(watched.fields, 'requestId')
    const found = typeof requestId === 'string' ? this.#named.get(requestId) : undefined
    this.lineOf(found ?? null, watched)
  }

  /** A line was written whose request is known. */
  lineOf(owner: RecordedTrail | string | null, watched: ObservedLine): void {
    const id = owner instanceof RecordedTrail ? owner.id : owner
    const line = this.#parts.logs.add(watched, id, owner instanceof RecordedTrail ? owner.hider : this.hider)
    if (owner instanceof RecordedTrail && line !== null) owner.keep(line)
    if (line === null) this.#listener.lineLost()
    else this.#listener.line(line)
  }

  /** A flaw here must not become one of the app: what cannot be recorded is counted. */
  finish(trail: RecordedTrail, facts: TrailFacts): void {
    this.#open.delete(trail)
    this.#inFlight--
    // What a trail holds of its call must not outlive it.
    if (trail.requestId !== null && this.#named.has(trail.requestId)) this.#named.set(trail.requestId, trail.id)
    try {
      this.#finish(trail, facts)
    } catch {
      this.#listener.passed()
    }
  }

  #finish(trail: RecordedTrail, facts: TrailFacts): void {
    const { began, since: now } = trail
    const duration = now - began
    const { answer, headers } = facts
    const status = answer === null ? 0 : answer.status
    const prepared = facts.endpoint ?? null
    this.#series.record({ prepared, exchange: trail, began, duration }, status)
    if (!this.#mayKeep(trail, this.#isNotable(status, duration))) {
      this.#listener.passed()
      return
    }
    const { scope, store } = this.#parts
    const endpoint = prepared === null ? null : (scope.endpoints[prepared.number] ?? null)
    this.#keep(makeRecord(scope, { trail, facts, headers, duration, endpoint }, store.next()))
    this.spent.add(performance.now() - now)
  }

  #isNotable(status: number, duration: number): boolean {
    return status >= 400 || status === 0 || duration > this.#settings.slow
  }

  /** What is notable leaves room for what is not, as long as there is room for it. */
  #mayKeep({ isDetailed, since }: RecordedTrail, isNotable: boolean): boolean {
    if (!isNotable || !this.#notable.take(since)) return isDetailed
    if (isDetailed) this.#usual.giveBack()
    return true
  }

  #keep(recorded: Recorded): void {
    this.#parts.store.add(recorded)
    this.#listener.request(recorded)
    for (const problem of this.#parts.problems.look(recorded.record)) this.#listener.problem(problem)
  }
}

function isIgnored(url: string, { ignores }: Settings): boolean {
  return ignores !== null && ignores(url.split('?', 1).join(''))
}
