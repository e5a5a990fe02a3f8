/** Metrics of an app: number, status and duration of the requests of each endpoint. */
import { KNOWN_METHODS } from '../http/methods.js'
import type { Channel } from './channel.js'
import type { CountedCall, CallTimer, NumberedEndpoint } from './event-types.js'
import { bucketCount, Histogram, toMicros } from './histogram.js'

/** Metrics of one endpoint, or of all endpoints together. Durations are in ms. */
export interface Figures {
  /** Number of finished requests. */
  readonly count: number
  /** Number of requests with a status of 500 or above. */
  readonly errors: number
  /** Median duration; 0 without requests. The error of all quantiles is below 4.5 %. */
  readonly p50: number
  /** 90 % of requests took this long or less. */
  readonly p90: number
  /** 99 % of requests took this long or less. */
  readonly p99: number
  /** Longest duration, exact. */
  readonly max: number
  /** Requests per second over the last minute, or since the app was created if that is shorter. */
  readonly rate: number
}

/** Metrics of one endpoint. */
export interface EndpointFigures extends Figures {
  /** Name of the route. */
  readonly route: string
  /** Request method of the endpoint in upper case; HEAD counts as GET. */
  readonly method: string
  /** Path template, including mount and prefix. */
  readonly path: string
}

/** Result of `app.metrics()`. */
export interface AppMetrics {
  /** All measured endpoints together. */
  readonly total: Figures
  /** Each measured endpoint, in the order of registration. */
  readonly endpoints: readonly EndpointFigures[]
}

export interface MeasuredEndpoint extends Pick<EndpointFigures, 'route' | 'method' | 'path'>, NumberedEndpoint {}

/** Durations of requests with the same method, path template and status. */
export interface MetricSeries {
  /** Method as sent; `_OTHER` if HTTP does not define it. */
  readonly method: string
  /** Path template; empty if no endpoint matches. */
  readonly path: string
  readonly status: number
  readonly durations: Histogram
}

/** Placeholder for requests without a matching endpoint. */
const NO_ROUTE: MeasuredEndpoint = { number: -1, route: '', method: '', path: '' }

export class Metrics implements CallTimer {
  readonly #now: () => number
  /** Indexed by endpoint number; `undefined` for endpoints that are not measured. */
  readonly #calls: (Calls | undefined)[] = []
  readonly #withoutRoute: Calls
  /** Number of active requests by method. A method stays in the map with 0 after its last request. */
  readonly active: Map<string, number> = new Map()
  /** Whether new connections of the server use the fast path; `null` without a server. */
  usesFastPath: (() => boolean) | null = null

  constructor(now: () => number) {
    this.#now = now
    this.#withoutRoute = new Calls(now(), NO_ROUTE)
  }

  observe(channel: Channel, endpoints: readonly MeasuredEndpoint[]): void {
    for (const endpoint of endpoints) this.#calls[endpoint.number] = new Calls(this.#now(), endpoint)
    channel.timer = this
  }

  /** Starts to count active requests. */
  observeActive(channel: Channel): void {
    channel.subscribe({
      start: ({ method }) => this.#addActive(methodLabel(method), 1),
      end: ({ method }) => this.#addActive(methodLabel(method), -1),
    })
  }

  figures(): AppMetrics {
    const now = this.#now()
    const all = this.#measured()
    const endpoints = all.map((calls) => {
      const { route, method, path } = calls.endpoint
      return { route, method, path, ...summarize([calls], now) }
    })
    return { total: summarize(all, now), endpoints }
  }

  /** Returns the durations by method, path template and status. */
  series(): MetricSeries[] {
    return [...this.#measured(), this.#withoutRoute].flatMap((calls) => calls.series())
  }

  record({ prepared, exchange, began, duration }: CountedCall, status: number): void {
    const calls = prepared === null ? this.#withoutRoute : this.#calls[prepared.number]
    if (calls === undefined) return
    calls.seriesOf(exchange.method, status).record(duration)
    calls.rate.record(began + duration)
  }

  #measured(): Calls[] {
    return this.#calls.filter((calls) => calls !== undefined)
  }

  #addActive(method: string, change: number): void {
    this.active.set(method, (this.active.get(method) ?? 0) + change)
  }
}

function methodLabel(method: string): string {
  return KNOWN_METHODS.has(method) ? method : '_OTHER'
}

class Calls {
  readonly endpoint: MeasuredEndpoint
  readonly rate: Rate
  readonly #histograms = new Map<string, Map<number, Histogram>>()
  /** Series of the previous request. Nearly all requests of an endpoint have the same method and status as the previous one. */
  #last = { method: '', status: 0, durations: new Histogram() }

  constructor(now: number, endpoint: MeasuredEndpoint) {
    this.endpoint = endpoint
    this.rate = new Rate(now)
  }

  seriesOf(sent: string, status: number): Histogram {
    if (this.#last.method === sent && this.#last.status === status) return this.#last.durations
    const method = methodLabel(sent)
    const byStatus = this.#histograms.get(method) ?? new Map<number, Histogram>()
    const durations = byStatus.get(status) ?? new Histogram()
    this.#histograms.set(method, byStatus.set(status, durations))
    this.#last = { method: sent, status, durations }
    return durations
  }

  series(): MetricSeries[] {
    const { path } = this.endpoint
    return [...this.#histograms].flatMap(([method, byStatus]) =>
      Array.from(byStatus, ([status, durations]) => ({ method, path, status, durations })),
    )
  }
}

/** Length of the window in seconds. */
const SPAN = 60

/** Counts requests per second, in a ring with one slot for each second of the window. */
export class Rate {
  readonly #counts = new Float64Array(SPAN)
  /** The second that each count belongs to. */
  readonly #seconds = new Float64Array(SPAN).fill(-Infinity)
  readonly #began: number

  constructor(now: number) {
    this.#began = now
  }

  record(now: number): void {
    const second = Math.floor(now / 1000)
    const slot = second % SPAN
    const before = bucketCount(this.#seconds, slot) === second ? bucketCount(this.#counts, slot) : 0
    this.#seconds[slot] = second
    this.#counts[slot] = before + 1
  }

  perSecond(now: number): number {
    const oldest = Math.floor(now / 1000) - SPAN + 1
    const counts = this.#counts.filter((_, slot) => bucketCount(this.#seconds, slot) >= oldest)
    const since = Math.max(this.#began, oldest * 1000)
    return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, (now - since) / 1000)
  }
}

function summarize(calls: readonly Calls[], now: number): Figures {
  const all = new Histogram()
  let errors = 0
  for (const { status, durations } of calls.flatMap((each) => each.series())) {
    all.merge(durations)
    if (status >= 500) errors += durations.count
  }
  return {
    count: all.count,
    errors,
    p50: toMicros(all.quantile(0.5)),
    p90: toMicros(all.quantile(0.9)),
    p99: toMicros(all.quantile(0.99)),
    max: toMicros(all.max),
    rate: toMicros(calls.reduce((sum, { rate }) => sum + rate.perSecond(now), 0)),
  }
}
