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
import type { StoredLine, LogStore } from '../store/log-store.js'
import type { Incidents } from '../store/incidents.js'
import type { CallFigures } from '../store/call-figures.js'
import { Correlation } from './correlation.js'
import type { CallsInWork } from './open-calls.js'
import { makeRecord, type RecordScope } from './make-record.js'
import { RecordedTrail, type TrailOwner } from './recorded-trail.js'
import type { Series } from '../store/series.js'
import { BASE } from '../host/console-state.js'
import type { RecordLinks } from '../host/record-links.js'
import { RecordingCost } from './recording-cost.js'
import type { StoredRecord, RecordStore } from '../store/record-store.js'
import type { WallClock } from '../store/wall-clock.js'
import type { Incident } from '../wire/feed-types.js'

/** A request uses an additional token for each ten of its calls and queries, up to a maximum of four. */
const CALLS_PER_TOKEN = 10
const MAX_EXTRA_TOKENS = 4
/** During a flood, the code that creates records gets cold. The first record then takes up to 0.1 ms, so 25 are created in a row. */
const BUDGET = { atOnce: 500, perSecond: 50, inRow: 25 }
/** Maximum number of request ids in memory. */
const MAX_REQUEST_IDS = 2_000

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
  request(recorded: StoredRecord): void
  passed(): void
  line(line: StoredLine): void
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
  /** Recorder of each running request, and record id of each ended request, by request id. */
  readonly #byRequestId = new Map<string, RecordedTrail | string>()
  readonly #budget = new Budget(BUDGET, performance.now())
  readonly #notableBudget = new Budget(BUDGET, performance.now())
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
    if (!this.#budget.take(began)) {
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
    if (this.#byRequestId.size >= MAX_REQUEST_IDS) {
      const [oldest = ''] = this.#byRequestId.keys()
      this.#byRequestId.delete(oldest)
    }
    this.#byRequestId.set(requestId, trail.isEnded ? trail.id : trail)
  }

  line(observed: ObservedLine): void {
    const requestId: unknown = Reflect.get(observed.fields, 'requestId')
    const trail = typeof requestId === 'string' ? this.#byRequestId.get(requestId) : undefined
    this.lineOf(trail ?? null, observed)
  }

  /** Stores a line of a request. `owner` is the recorder, the id of an ended request, or `null` without a request. */
  lineOf(owner: RecordedTrail | string | null, observed: ObservedLine): void {
    const trail = owner instanceof RecordedTrail ? owner : null
    const id = owner instanceof RecordedTrail ? owner.id : owner
    const line = this.#parts.logs.add(observed, id, trail?.hider ?? this.hider)
    if (line !== null) trail?.storeLine(line)
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
    if (trail.requestId !== null && this.#byRequestId.has(trail.requestId))
      this.#byRequestId.set(trail.requestId, trail.id)
    try {
      this.#finish(trail, facts)
    } catch {
      this.#skip()
    }
  }

  #finish(trail: RecordedTrail, facts: RecordedRequest): void {
    const { began, since: now } = trail
    const duration = now - began
    const { response, headers, endpoint: prepared = null } = facts
    const status = response?.status ?? 0
    this.#parts.series.record({ prepared, exchange: trail, began, duration }, status)
    if (!this.#mayStore(trail, this.#isNotable(status, duration))) {
      this.#skip()
      return
    }
    const { scope, store, incidents, callFigures } = this.#parts
    const endpoint = prepared === null ? null : (scope.endpoints[prepared.number] ?? null)
    const recorded = makeRecord(scope, { trail, facts, headers, duration, endpoint }, store.next())
    if (trail.isDetailed) this.#budget.spend(extraTokens(trail))
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
  #mayStore({ isDetailed, since }: RecordedTrail, isNotable: boolean): boolean {
    if (!isNotable || !this.#notableBudget.take(since)) return isDetailed
    if (isDetailed) this.#budget.giveBack()
    return true
  }
}

function extraTokens({ calls, queries }: RecordedTrail): number {
  const stored = (calls?.list.length ?? 0) + (queries?.list.length ?? 0)
  return Math.min(MAX_EXTRA_TOKENS, Math.floor(stored / CALLS_PER_TOKEN))
}
