/** Figures of the performance view: what the seconds, slices and endpoints that came say together. */
import type { HeatSlice, MetricsPoint } from '../../wire/feed-types.js'
import { countBands, quantile, mergeCounts, countAll, type Counts, type Range } from './histogram.js'
import { MAX_SLICES } from './state.js'
import { clamp, sum } from './geometry.js'

/** Durations that the heat map tells apart, in ms. */
export const HEAT_RANGE: Range = { low: 0.25, high: 10_000 }

/** Bands of the heat map. */
export const HEAT_BANDS = 23

/** Seconds over which percentiles are taken: one alone holds too few calls. */
const WINDOW = 5

const SLICE_MS = 10_000

/** The seven figures, one value a second. */
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

/** The figures of the seconds that came. */
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

/** The figures as one number each, over the last ten seconds; error rate and percentiles over all. */
interface Summary {
  readonly rate: number
  /** 0 to 1. */
  readonly errorRate: number
  readonly p50: number | null
  readonly p99: number | null
  readonly inFlight: number
  readonly loopDelay: number | null
  /** MB. */
  readonly heap: number
}

/** Sums the seconds up. */
export function summarizePoints(points: readonly MetricsPoint[]): Summary {
  const last = points.at(-1)
  const recent = points.slice(-10)
  const all = sum(points.map(requestCount))
  const failed = sum(points.map(errorCount))
  const counts = mergeCounts(points.map((point) => point.durations))
  const delays = recent.flatMap(({ loopDelay }) => (loopDelay === null ? [] : [loopDelay]))
  return {
    rate: sum(recent.map(requestCount)) / Math.max(1, recent.length),
    errorRate: all === 0 ? 0 : failed / all,
    p50: quantile(counts, 0.5),
    p99: quantile(counts, 0.99),
    inFlight: last?.inFlight ?? 0,
    loopDelay: delays.length === 0 ? null : Math.max(...delays),
    heap: (last?.heap ?? 0) / 1e6,
  }
}

/** A column of the heat map: how many calls each band has. */
export interface HeatColumn {
  readonly time: number
  readonly bands: readonly number[]
}

const MIN_COLUMNS = 6

/** Returns how many columns the heat map needs: at least a minute, and less than ten minutes if the process is younger. */
export function countHeatColumns(slices: readonly HeatSlice[], now: number): number {
  const oldest = Math.min(now, ...slices.map(({ time }) => time))
  return clamp(Math.floor(now / SLICE_MS) - Math.floor(oldest / SLICE_MS) + 1, MIN_COLUMNS, MAX_SLICES)
}

/** The columns of the heat map, one for each ten seconds, the last the present one. */
export function heatColumns(
  slices: readonly HeatSlice[],
  now: number,
  count: number = MAX_SLICES,
): readonly HeatColumn[] {
  const bySlice = new Map(slices.map((slice) => [slice.time, slice.durations]))
  const last = Math.floor(now / SLICE_MS) * SLICE_MS
  return Array.from({ length: count }, (_, index) => {
    const time = last - (count - 1 - index) * SLICE_MS
    return { time, bands: countBands(mergeCounts([bySlice.get(time) ?? []]), HEAT_RANGE, HEAT_BANDS) }
  })
}

/** A time when calls were slower than usual. */
export interface Episode {
  /** Columns of the heat map, from the first to the last. */
  readonly first: number
  readonly last: number
  /** How many times the usual p99. */
  readonly factor: number
}

/** Calls that a slice must have to say anything. */
const ENOUGH = 5

/** Finds the worst time: the slices in a row whose p99 was at least twice the usual. */
export function worstEpisode(slices: readonly HeatSlice[], columns: readonly HeatColumn[]): Episode | null {
  const bySlice = new Map(slices.map((slice) => [slice.time, mergeCounts([slice.durations])]))
  const values = columns.map(({ time }) => highestP99(bySlice.get(time)))
  const present = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  const median = present[Math.floor(present.length / 2)]
  if (median === undefined || present.length < 6) return null
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
  return counts === undefined || countAll(counts) < ENOUGH ? null : quantile(counts, 0.99)
}
