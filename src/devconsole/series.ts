/** Figures over time: the last two minutes by the second, the last ten minutes by ten seconds, and each endpoint since the begin. */
import { bucketOf, Histogram } from '../telemetry/histogram.js'
import type { Gauge, Reading } from './gauge.js'
import type { KnownEndpoint } from './endpoints.js'
import type { EndpointStats, HeatSlice, Metrics, MetricsPoint, SparseHistogram } from './wire-feed-types.js'

const MOST_POINTS = 120
const MOST_SLICES = 60
const MOST_ENDPOINTS = 500
const SLICE_MS = 10_000
/** No head, 1xx to 5xx. */
const CLASSES = 6

/** One call, as figures see it. */
export interface Measured {
  readonly endpoint: KnownEndpoint | null
  readonly status: number
  /** In ms. */
  readonly duration: number
  /** End, in ms since 1970. */
  readonly time: number
}

interface Stats {
  readonly endpoint: KnownEndpoint | null
  readonly durations: Histogram
  errors: number
  since: number
}

/** Collects figures. Nothing ticks: time is looked at when there is something to count, or somebody to see it. */
export class Series {
  readonly #gauge: Gauge
  readonly #inFlight: () => number
  #points: MetricsPoint[] = []
  #slices: { readonly time: number; readonly durations: Histogram }[] = []
  readonly #endpoints = new Map<KnownEndpoint | null, Stats>()
  #second: number
  #classes: number[] = zeros()
  #durations = new Histogram()

  /**
   * @param gauge of the process
   * @param inFlight how many calls are not answered
   * @param time ms since 1970
   */
  constructor(gauge: Gauge, inFlight: () => number, time: number) {
    this.#gauge = gauge
    this.#inFlight = inFlight
    this.#second = Math.floor(time / 1000)
  }

  /**
   * Counts a call.
   *
   * @param call that was answered
   */
  record({ endpoint, status, duration, time }: Measured): void {
    this.#advance(time)
    const at = Math.floor(status / 100)
    // Proof: no status is above 599.
    this.#classes[at] = (this.#classes[at] as number) + 1
    const bucket = bucketOf(duration)
    this.#durations.record(duration, bucket)
    if (endpoint === null) return
    const stats = this.#endpoints.get(endpoint) ?? this.#newStats(endpoint, time)
    stats.durations.record(duration, bucket)
    if (status >= 500) stats.errors++
  }

  /** Beyond a number they are counted together. */
  #newStats(endpoint: KnownEndpoint, time: number): Stats {
    const key = this.#endpoints.size < MOST_ENDPOINTS ? endpoint : null
    const known = this.#endpoints.get(key)
    if (known !== undefined) return known
    const stats = { endpoint: key, durations: new Histogram(), errors: 0, since: time }
    this.#endpoints.set(key, stats)
    return stats
  }

  #sliceAt(time: number): Histogram {
    const begin = time - (time % SLICE_MS)
    const last = this.#slices.at(-1)
    if (last !== undefined && last.time === begin) return last.durations
    const durations = new Histogram()
    this.#slices.push({ time: begin, durations })
    if (this.#slices.length > MOST_SLICES) this.#slices.shift()
    return durations
  }

  /** Seconds that are over become points; those in which nothing happened, too. */
  #advance(time: number): void {
    const second = Math.floor(time / 1000)
    if (second <= this.#second) return
    const reading = this.#gauge.read()
    this.#push(this.#second, reading)
    const idle = Math.max(this.#second + 1, second - MOST_POINTS)
    for (let each = idle; each < second; each++) this.#push(each, reading)
    this.#second = second
  }

  #push(second: number, reading: Reading): void {
    const durations = sparse(this.#durations)
    const point = { time: (second + 1) * 1000, classes: this.#classes, durations, inFlight: this.#inFlight() }
    this.#points.push({ ...point, ...reading })
    if (this.#points.length > MOST_POINTS) this.#points.shift()
    this.#classes = zeros()
    if (durations.length === 0) return
    this.#sliceAt(second * 1000).merge(this.#durations)
    this.#durations = new Histogram()
  }

  /**
   * The last second that is over.
   *
   * @param time ms since 1970
   * @returns its point; `null` before the first
   */
  latest(time: number): MetricsPoint | null {
    this.#advance(time)
    return this.#points.at(-1) ?? null
  }

  /**
   * All figures.
   *
   * @param time ms since 1970
   * @returns data for the page
   */
  metrics(time: number): Metrics {
    this.#advance(time)
    const oldest = time - MOST_SLICES * SLICE_MS
    return {
      points: [...this.#points],
      slices: this.#slices.filter((slice) => slice.time > oldest).map(heatSlice),
      endpoints: [...this.#endpoints.values()].map(statsOf),
    }
  }

  /** Begins anew. */
  clear(): void {
    this.#endpoints.clear()
    this.#slices = []
    this.#points = []
  }
}

function zeros(): number[] {
  return Array.from({ length: CLASSES }, () => 0)
}

function heatSlice({ time, durations }: { readonly time: number; readonly durations: Histogram }): HeatSlice {
  return { time, durations: sparse(durations) }
}

function statsOf({ endpoint, durations, errors, since }: Stats): EndpointStats {
  return {
    method: endpoint?.method ?? 'other',
    template: endpoint?.path ?? 'other',
    handler: endpoint === null ? null : endpoint.handler,
    calls: durations.count,
    errors,
    since,
    max: durations.max,
    durations: sparse(durations),
  }
}

function sparse(histogram: Histogram): SparseHistogram {
  if (histogram.count === 0) return []
  return histogram.buckets().flatMap(({ count }, index) => (count === 0 ? [] : [index, count]))
}
