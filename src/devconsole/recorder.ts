/**
 * Records the calls of an app. All are counted; each is kept, too, until there are more than 500 at once or 250 a second,
 * apart for those that are notable. That is decided when a call begins, so that of the others no detail is taken: a flood costs a
 * bounded share of the process.
 */
import type { CallWatcher, Trail, TrailFacts, WatchedLine } from '../telemetry/trail.js'
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
import { WallClock } from './wall-clock.js'
import type { Problem } from './wire-feed-types.js'

/** Records of calls that went well, and of others. */
const BUDGET = { atOnce: 500, perSecond: 250 }
/** Requests whose lines are told apart. */
const MOST_NAMED = 2_000

/** Where records go. */
export interface RecorderParts {
  readonly scope: RecordScope
  readonly store: RecordStore
  readonly logs: LogStore
  readonly series: Series
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
export class Recorder implements CallWatcher, TrailOwner {
  readonly hider: RecordScope['hider']
  readonly clock: WallClock = new WallClock()
  readonly #parts: RecorderParts
  readonly #listener: RecorderListener
  readonly #open: OpenCalls
  /** By id of request: its trail while it is in work, then the id of its record. */
  readonly #named = new Map<string, RecordedTrail | string>()
  readonly #usual = new Budget(BUDGET, performance.now())
  readonly #notable = new Budget(BUDGET, performance.now())
  /** What the newest recordings took. */
  readonly spent: Spent = new Spent()
  #count = 0

  /**
   * @param parts where records go
   * @param open takes the calls in work
   * @param listener hears of what was recorded
   */
  constructor(parts: RecorderParts, open: OpenCalls, listener: RecorderListener) {
    this.#parts = parts
    this.#open = open
    this.#listener = listener
    this.hider = parts.scope.hider
  }

  get boot(): string {
    return this.#parts.scope.boot
  }

  /** Requests that there were. */
  get total(): number {
    return this.#count
  }

  begin(begun: { readonly method: string; readonly url: string }): Trail | null {
    const { url } = begun
    const { scope } = this.#parts
    if (isBelowBase(url) || isIgnored(url, scope.settings)) return null
    const trail = new RecordedTrail(++this.#count, begun, this)
    if (this.#usual.take(trail.began)) trail.detail()
    this.#open.add(trail)
    return trail
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

  line(watched: WatchedLine): void {
    const requestId: unknown = Reflect.get(watched.fields, 'requestId')
    const found = typeof requestId === 'string' ? this.#named.get(requestId) : undefined
    this.lineOf(found ?? null, watched)
  }

  /**
   * A line was written whose request is known.
   *
   * @param owner trail of the request, or id of its record; `null` for none
   * @param watched level, fields and message
   */
  lineOf(owner: RecordedTrail | string | null, watched: WatchedLine): void {
    const id = owner instanceof RecordedTrail ? owner.id : owner
    const line = this.#parts.logs.add(watched, id)
    if (owner instanceof RecordedTrail && line !== null) owner.keep(line)
    if (line === null) this.#listener.lineLost()
    else this.#listener.line(line)
  }

  /** A flaw here must not become one of the app: what cannot be recorded is counted. */
  finish(trail: RecordedTrail, facts: TrailFacts): void {
    this.#open.delete(trail)
    // What a trail holds of its call must not outlive it.
    if (trail.requestId !== null && this.#named.has(trail.requestId)) this.#named.set(trail.requestId, trail.id)
    try {
      this.#finish(trail, facts)
    } catch {
      this.#listener.passed()
    }
  }

  #finish(trail: RecordedTrail, facts: TrailFacts): void {
    const now = trail.since
    const duration = now - trail.began
    const { scope, series } = this.#parts
    const endpoint = (facts.endpoint && scope.endpoints.get(facts.endpoint)) ?? null
    const status = trail.answer?.status ?? 0
    series.record({ endpoint, status, duration, time: this.clock.at(now) })
    const isNotable = status >= 400 || status === 0 || duration > scope.settings.slow
    if (!this.#mayKeep(trail, isNotable)) {
      this.#listener.passed()
      return
    }
    const { headers } = facts
    this.#keep(makeRecord(scope, { trail, facts, headers, duration, endpoint }, this.#parts.store.next()))
    this.spent.add(performance.now() - now)
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
