/**
 * Records the requests of an app. All requests are counted. Above a burst of 500 or a rate of 50 per second, a request is only recorded
 * if it writes log lines or is notable, so that a flood of requests uses a bounded share of the process.
 */
import type {
  CallHead,
  AppObserver,
  FinishedRequest,
  RequestRecorder,
  RecordedRequest,
  ObservedLine,
} from '../../observe/request-recorder.js'
import { Budget } from '../store/budget.js'
import type { KeptLine, LogStore } from '../store/log-store.js'
import type { Incidents } from '../store/incidents.js'
import type { CallFigures } from '../store/call-figures.js'
import { Correlation } from './correlation.js'
import type { CallsInWork } from './open-calls.js'
import { makeRecord, type RecordScope } from './make-record.js'
import { RecordedTrail, type TrailOwner } from './recorded-trail.js'
import type { Series } from '../store/series.js'
import { BASE } from '../host/console-settings.js'
import type { RecordLinks } from '../host/record-links.js'
import { RecordingCost } from './recording-cost.js'
import type { KeptRecord, RecordStore } from '../store/record-store.js'
import type { WallClock } from '../store/wall-clock.js'
import type { Incident } from '../wire/feed-types.js'

/** During a flood, the code that creates records gets cold. The first record then takes up to 0.1 ms, so 25 are created in a row. */
/** A request with many calls takes a token more for each ten of its calls and queries, up to the maximum. */
const CALLS_PER_TOKEN = 10
const MAX_EXTRA_TOKENS = 4
const BUDGET = { atOnce: 500, perSecond: 50, inRow: 25 }
const MAX_NAMED = 2_000

interface RecorderParts {
  readonly scope: RecordScope
  readonly store: RecordStore
  readonly logs: LogStore
  readonly series: Series
  readonly clock: WallClock
  readonly incidents: Incidents
  readonly callFigures: CallFigures
  readonly links: RecordLinks | null
}

export interface RecorderObserver {
  request(recorded: KeptRecord): void
  passed(): void
  line(line: KeptLine): void
  lineLost(): void
  incident(incident: Incident): void
}

export class Recorder implements AppObserver, TrailOwner {
  readonly hider: RecordScope['hider']
  readonly clock: WallClock
  readonly boot: string
  readonly correlation: Correlation = new Correlation()
  readonly links: RecordLinks | null
  readonly #parts: RecorderParts
  readonly #observer: RecorderObserver
  readonly #open: CallsInWork
  /** By request id: the recorder while the request runs, then the id of its record. */
  readonly #named = new Map<string, RecordedTrail | string>()
  readonly #usual = new Budget(BUDGET, performance.now())
  readonly #notable = new Budget(BUDGET, performance.now())
  readonly cost: RecordingCost = new RecordingCost()
  total: number = 0
  /** Number of requests that were only counted, since the start or the last `clear`. */
  skipped: number = 0
  /** Number of requests in progress, including requests without a recorder. */
  inFlight: number = 0

  constructor(parts: RecorderParts, open: CallsInWork, observer: RecorderObserver) {
    this.#parts = parts
    this.#open = open
    this.#observer = observer
    this.hider = parts.scope.hider
    this.clock = parts.clock
    this.boot = parts.scope.boot
    this.links = parts.links
  }

  count(): number {
    return ++this.total
  }

  observes({ url }: CallHead): boolean {
    return !url.startsWith(BASE) && this.#parts.scope.settings.ignores?.(url.split('?', 1).join('')) !== true
  }

  begin(begun: CallHead, began: number): RequestRecorder | null {
    this.inFlight++
    if (!this.#usual.take(began)) {
      this.correlation.disableUnused()
      return null
    }
    const trail = this.observe(begun, began)
    trail.detail()
    return trail
  }

  observe(begun: CallHead, began: number): RecordedTrail {
    const trail = new RecordedTrail(begun, began, this)
    this.#open.add(trail)
    return trail
  }

  passed(call: FinishedRequest, status: number): RequestRecorder | null {
    if (this.#isNotable(status, call.duration)) return new RecordedTrail(call.exchange, call.began, this)
    this.count()
    this.inFlight--
    this.#parts.series.record(call, status)
    this.#skip()
    return null
  }

  named(trail: RecordedTrail, requestId: string): void {
    if (this.#named.size >= MAX_NAMED) {
      const [oldest = ''] = this.#named.keys()
      this.#named.delete(oldest)
    }
    this.#named.set(requestId, trail.isEnded ? trail.id : trail)
  }

  line(watched: ObservedLine): void {
    const requestId: unknown = Reflect.get(watched.fields, 'requestId')
    const trail = typeof requestId === 'string' ? this.#named.get(requestId) : undefined
    this.lineOf(trail ?? null, watched)
  }

  lineOf(owner: RecordedTrail | string | null, watched: ObservedLine): void {
    const id = owner instanceof RecordedTrail ? owner.id : owner
    const line = this.#parts.logs.add(watched, id, owner instanceof RecordedTrail ? owner.hider : this.hider)
    if (owner instanceof RecordedTrail && line !== null) owner.keep(line)
    if (line === null) this.#observer.lineLost()
    else this.#observer.line(line)
  }

  within(trail: RecordedTrail, call: number, next: () => unknown): unknown {
    return this.correlation.within(trail, call, next)
  }

  /** An error of the console must not affect the app. A request that cannot be recorded is only counted. */
  finish(trail: RecordedTrail, facts: RecordedRequest): void {
    this.#open.delete(trail)
    this.correlation.ended(trail)
    this.inFlight--
    // The recorder would keep the request in memory, so it is replaced by an id.
    if (trail.requestId !== null && this.#named.has(trail.requestId)) this.#named.set(trail.requestId, trail.id)
    try {
      this.#finish(trail, facts)
    } catch {
      this.#skip()
    }
  }

  #finish(trail: RecordedTrail, facts: RecordedRequest): void {
    const { began, since: now } = trail
    const duration = now - began
    const { answer, headers, endpoint: prepared = null } = facts
    const status = answer?.status ?? 0
    this.#parts.series.record({ prepared, exchange: trail, began, duration }, status)
    if (!this.#mayKeep(trail, this.#isNotable(status, duration))) {
      this.#skip()
      return
    }
    const { scope, store, incidents, callFigures } = this.#parts
    const endpoint = prepared === null ? null : (scope.endpoints[prepared.number] ?? null)
    const recorded = makeRecord(scope, { trail, facts, headers, duration, endpoint }, store.next())
    if (trail.isDetailed) this.#usual.spend(extraTokens(trail))
    store.add(recorded)
    callFigures.add(recorded.record)
    this.#observer.request(recorded)
    for (const incident of incidents.look(recorded.record)) {
      store.addSample(incident.key, recorded)
      this.#observer.incident(incident)
    }
    this.cost.add(performance.now() - now)
  }

  #skip(): void {
    this.skipped++
    this.#observer.passed()
  }

  #isNotable(status: number, duration: number): boolean {
    return status >= 400 || status === 0 || duration > this.#parts.scope.settings.slow
  }

  /** A notable request uses its separate budget first, and returns its token to the budget of all requests. */
  #mayKeep({ isDetailed, since }: RecordedTrail, isNotable: boolean): boolean {
    if (!isNotable || !this.#notable.take(since)) return isDetailed
    if (isDetailed) this.#usual.giveBack()
    return true
  }
}

function extraTokens({ calls, queries }: RecordedTrail): number {
  const stored = (calls?.list.length ?? 0) + (queries?.list.length ?? 0)
  return Math.min(MAX_EXTRA_TOKENS, Math.floor(stored / CALLS_PER_TOKEN))
}
