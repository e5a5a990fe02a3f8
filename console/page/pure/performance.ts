/** Figures of the performance view, computed from the metrics of the app. */
import type { HeatSlice, MetricsPoint } from '../../../src/devconsole/wire/feed-types.js'
import { countBands, quantile, mergeCounts, countAll, type Counts, type Range } from './histogram.js'
import { MAX_SLICES } from './state.js'
import { clamp, sum } from './geometry.js'

/** Range of the heat map, in ms. */
export const HEAT_RANGE: Range = { low: 0.25, high: 10_000 }

/** Number of bands in the heat map. */
export const HEAT_BANDS = 23

/** Number of seconds in a percentile. One second has too few requests. */
const WINDOW = 5

const SLICE_MS = 10_000

/** Figures with one value per second. */
interface PerformanceFigures {
  readonly rate: readonly number[]
  readonly errors: readonly number[]
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
  readonly p99: readonly (number | null)[]
  readonly inFlight: readonly number[]
  readonly loopDelay: readonly (number | null)[]
  readonly heap: readonly number[]
}

export function computeFigures(points: readonly MetricsPoint[]): PerformanceFigures {
  const windows = points.map((_, index) =>
    mergeCounts(points.slice(Math.max(0, index - WINDOW + 1), index + 1).map((point) => point.durations)),
  )
  return {
    rate: points.map(requestCount),
    errors: points.map(errorCount),
    p50: windows.map((counts) => quantile(counts, 0.5)),
    p95: windows.map((counts) => quantile(counts, 0.95)),
    p99: windows.map((counts) => quantile(counts, 0.99)),
    inFlight: points.map((point) => point.inFlight),
    loopDelay: points.map((point) => point.loopDelay),
    heap: points.map((point) => point.heap / 1e6),
  }
}

function errorCount(point: MetricsPoint): number {
  return point.classes[5] ?? 0
}

function requestCount(point: MetricsPoint): number {
  return sum(point.classes)
}

/** Current figures. Error rate and percentiles are computed from all points. */
interface Summary {
  /** Requests per second. */
  readonly rate: number
  /** Share of requests, 0 to 1. */
  readonly errorRate: number
  readonly p50: number | null
  readonly p99: number | null
  readonly inFlight: number
  readonly loopDelay: number | null
  /** In MB. */
  readonly heap: number
}

export function summarizePoints(points: readonly MetricsPoint[]): Summary {
  const newest = points.at(-1)
  const recent = points.slice(-10)
  const requests = sum(points.map(requestCount))
  const errors = sum(points.map(errorCount))
  const counts = mergeCounts(points.map((point) => point.durations))
  const delays = recent.flatMap(({ loopDelay }) => (loopDelay === null ? [] : [loopDelay]))
  return {
    rate: sum(recent.map(requestCount)) / Math.max(1, recent.length),
    errorRate: requests === 0 ? 0 : errors / requests,
    p50: quantile(counts, 0.5),
    p99: quantile(counts, 0.99),
    inFlight: newest?.inFlight ?? 0,
    loopDelay: delays.length === 0 ? null : Math.max(...delays),
    heap: (newest?.heap ?? 0) / 1e6,
  }
}

export interface HeatColumn {
  readonly time: number
  /** Number of requests in each band. */
  readonly bands: readonly number[]
}

const MIN_COLUMNS = 6

/** Returns the number of columns of the heat map: at least one minute, and at most the age of the data or ten minutes. */
export function countHeatColumns(slices: readonly HeatSlice[], now: number): number {
  const oldest = Math.min(now, ...slices.map(({ time }) => time))
  return clamp(Math.floor(now / SLICE_MS) - Math.floor(oldest / SLICE_MS) + 1, MIN_COLUMNS, MAX_SLICES)
}

/** Returns the columns of the heat map, one for each ten seconds. The last column is the current one. */
export function heatColumns(
  slices: readonly HeatSlice[],
  now: number,
  count: number = MAX_SLICES,
): readonly HeatColumn[] {
  const bySlice = new Map(slices.map((slice) => [slice.time, slice.durations]))
  const current = Math.floor(now / SLICE_MS) * SLICE_MS
  return Array.from({ length: count }, (_, index) => {
    const time = current - (count - 1 - index) * SLICE_MS
    return { time, bands: countBands(mergeCounts([bySlice.get(time) ?? []]), HEAT_RANGE, HEAT_BANDS) }
  })
}

/** A period in which requests were slower than usual. */
export interface Episode {
  /** First column of the heat map. */
  readonly first: number
  /** Last column of the heat map. */
  readonly last: number
  /** Highest p99 in relation to the median of all p99. */
  readonly factor: number
}

/** Minimum number of requests in a slice with a p99. */
const MIN_REQUESTS = 5
/** Minimum number of slices with a p99. */
const MIN_SLICES = 6

/** Finds the slowest period: successive slices whose p99 is at least twice the median. Returns `null` if no slice is that slow. */
export function worstEpisode(slices: readonly HeatSlice[], columns: readonly HeatColumn[]): Episode | null {
  const bySlice = new Map(slices.map((slice) => [slice.time, mergeCounts([slice.durations])]))
  const values = columns.map(({ time }) => highestP99(bySlice.get(time)))
  const present = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  const median = present[Math.floor(present.length / 2)]
  if (median === undefined || present.length < MIN_SLICES) return null
  const factors = values.map((value) => (value ?? 0) / median)
  const top = factors.indexOf(Math.max(...factors))
  if ((factors[top] ?? 0) < 2) return null
  const isSlow = (index: number) => (factors[index] ?? 0) >= 2
  let [first, last] = [top, top]
  while (isSlow(first - 1)) first--
  while (isSlow(last + 1)) last++
  return { first, last, factor: factors[top] ?? 0 }
}

function highestP99(counts: Counts | undefined): number | null {
  return counts === undefined || countAll(counts) < MIN_REQUESTS ? null : quantile(counts, 0.99)
}
