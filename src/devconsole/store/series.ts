/** Metrics over time: the last two minutes by second, the last ten minutes by ten seconds, and each endpoint since the start. */
import type { CountedCall } from '../../observe/event-types.js'
import { Histogram, toMicros } from '../../observe/histogram.js'
import type { Gauge, GaugeReading } from './gauge.js'
import type { HostEndpoint } from '../host/console-host.js'
import type { WallClock } from './wall-clock.js'
import type {
  EndpointMedian,
  EndpointStats,
  MetricsSnapshot,
  MetricsPoint,
  SparseHistogram,
} from '../wire/feed-types.js'

const MAX_POINTS = 120
const MAX_SLICES = 60
const MAX_ENDPOINTS = 500
const SLICE_MS = 10_000
/** Status classes: without a response, 1xx to 5xx. */
const CLASSES = 6

interface SeriesParts {
  readonly endpoints: readonly HostEndpoint[]
  readonly gauge: Gauge
  readonly inFlight: () => number
  readonly clock: Pick<WallClock, 'at'>
}

interface Stats {
  readonly endpoint: HostEndpoint | null
  readonly durations: Histogram
  errors: number
  since: number
}

/** Collects metrics. Has no timer: time advances when a request is counted, and when a page reads the metrics. */
export class Series {
  readonly #parts: SeriesParts
  #points: MetricsPoint[] = []
  #slices: { readonly time: number; readonly durations: Histogram }[] = []
  #endpoints: (Stats | undefined)[] = []
  #known = 0
  /** Sum of all endpoints beyond the maximum number. */
  #others: Stats | null = null
  #second: number
  /** End of the current second, in ms of `performance.now()`. */
  #until = -Infinity
  #classes: number[] = zeroCounts()
  #durations = new Histogram()

  constructor(parts: SeriesParts, now: number) {
    this.#parts = parts
    this.#second = Math.floor(parts.clock.at(now) / 1000)
  }

  record({ prepared, began, duration }: CountedCall, status: number): void {
    const end = began + duration
    // The time of day is only read once per second.
    if (end >= this.#until) {
      const time = this.#parts.clock.at(end)
      this.#advance(time)
      this.#until = end + 1000 - (time % 1000)
    }
    const statusClass = Math.floor(status / 100)
    // Proof: no status is above 599.
    this.#classes[statusClass] = (this.#classes[statusClass] as number) + 1
    this.#durations.record(duration)
    if (prepared === null) return
    const stats = this.#endpoints[prepared.number] ?? this.#newStats(prepared.number, end)
    if (stats === null) return
    stats.durations.record(duration)
    if (status >= 500) stats.errors++
  }

  /** Returns `null` for endpoints of Verbena, which are not listed. */
  #newStats(number: number, now: number): Stats | null {
    const endpoint = this.#parts.endpoints[number]
    if (endpoint === undefined) return null
    const since = this.#parts.clock.at(now)
    if (this.#known === MAX_ENDPOINTS) return (this.#others ??= emptyPoint(null, since))
    this.#known++
    return (this.#endpoints[number] = emptyPoint(endpoint, since))
  }

  #sliceAt(time: number): Histogram {
    const begin = time - (time % SLICE_MS)
    const newest = this.#slices.at(-1)
    if (newest?.time === begin) return newest.durations
    const durations = new Histogram()
    if (this.#slices.push({ time: begin, durations }) > MAX_SLICES) this.#slices.shift()
    return durations
  }

  /** Adds a point for each second that has ended, including seconds without requests. */
  #advance(time: number): void {
    const second = Math.floor(time / 1000)
    if (second <= this.#second) return
    const reading = this.#parts.gauge.read()
    this.#push(this.#second, reading)
    const firstIdle = Math.max(this.#second + 1, second - MAX_POINTS)
    for (let idle = firstIdle; idle < second; idle++) this.#push(idle, reading)
    this.#second = second
  }

  #push(second: number, reading: GaugeReading): void {
    const durations = toSparse(this.#durations)
    const point = { time: (second + 1) * 1000, classes: this.#classes, durations, inFlight: this.#parts.inFlight() }
    if (this.#points.push({ ...point, ...reading }) > MAX_POINTS) this.#points.shift()
    this.#classes = zeroCounts()
    if (durations.length === 0) return
    this.#sliceAt(second * 1000).merge(this.#durations)
    this.#durations = new Histogram()
  }

  /** Returns the point of the last second that has ended; `null` before the first one. */
  latest(time: number): MetricsPoint | null {
    this.#advance(time)
    return this.#points.at(-1) ?? null
  }

  metrics(time: number): MetricsSnapshot {
    this.#advance(time)
    const recent = this.#slices.filter((slice) => slice.time > time - MAX_SLICES * SLICE_MS)
    return {
      points: [...this.#points],
      slices: recent.map((slice) => ({ time: slice.time, durations: toSparse(slice.durations) })),
      endpoints: [...this.#endpoints, this.#others].flatMap((stats) => (stats ? toEndpointStats(stats) : [])),
    }
  }

  /** Medians of the endpoints since the start of the process, or since `clear`. */
  medians(): EndpointMedian[] {
    return [...this.#endpoints].flatMap((stats) => (stats?.endpoint ? toMedian(stats.endpoint, stats.durations) : []))
  }

  clear(): void {
    this.#endpoints = []
    this.#known = 0
    this.#others = null
    this.#slices = []
    this.#points = []
  }
}

function zeroCounts(): number[] {
  return Array.from({ length: CLASSES }, () => 0)
}

function emptyPoint(endpoint: HostEndpoint | null, since: number): Stats {
  return { endpoint, durations: new Histogram(), errors: 0, since }
}

function toEndpointStats({ endpoint, durations, errors, since }: Stats): EndpointStats {
  return {
    method: endpoint?.method ?? 'other',
    template: endpoint?.template ?? 'other',
    version: endpoint?.version ?? null,
    handler: endpoint?.id ?? null,
    calls: durations.count,
    errors,
    since,
    max: durations.max,
    durations: toSparse(durations),
  }
}

function toMedian({ method, template }: HostEndpoint, durations: Histogram): EndpointMedian {
  return { endpoint: `${method} ${template}`, median: toMicros(durations.quantile(0.5)) }
}

function toSparse(histogram: Histogram): SparseHistogram {
  if (histogram.count === 0) return []
  return histogram.buckets().flatMap(({ count }, index) => (count === 0 ? [] : [index, count]))
}
