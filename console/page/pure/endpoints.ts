/** Rows of the endpoint table. */
import type { EndpointStats } from '../../../src/devconsole/wire/feed-types.js'
import { countBands, quantile, mergeCounts, type Range } from './histogram.js'

export interface EndpointRow {
  readonly stats: EndpointStats
  readonly calls: number
  /** Requests per second. */
  readonly rate: number
  /** Share of failed requests, 0 to 1. */
  readonly errors: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Number of requests in each band of the small chart. */
  readonly bands: readonly number[]
}

/** Column by which the table is sorted. */
export type SortKey = 'endpoint' | 'calls' | 'rate' | 'errors' | 'p50' | 'p90' | 'p99' | 'max'

/** Range of the small charts, in ms. */
export const SMALL_RANGE: Range = { low: 1, high: 3_000 }

/** Number of bands in a small chart. */
export const SMALL_BANDS = 25

export function endpointRows(endpoints: readonly EndpointStats[], now: number): readonly EndpointRow[] {
  return endpoints.map((stats) => {
    const counts = mergeCounts([stats.durations])
    // The middle of the last bucket can be greater than its greatest value.
    const percentile = (share: number) => Math.min(quantile(counts, share) ?? 0, stats.max)
    return {
      stats,
      calls: stats.calls,
      rate: stats.calls / Math.max(1, (now - stats.since) / 1_000),
      errors: stats.calls === 0 ? 0 : stats.errors / stats.calls,
      p50: percentile(0.5),
      p90: percentile(0.9),
      p99: percentile(0.99),
      max: stats.max,
      bands: countBands(counts, SMALL_RANGE, SMALL_BANDS),
    }
  })
}

/** Sorts rows: names ascending, numbers descending. */
export function sortRows(rows: readonly EndpointRow[], key: SortKey): readonly EndpointRow[] {
  const formatName = ({ stats }: EndpointRow) => `${stats.template} ${stats.method}`
  if (key === 'endpoint') return rows.toSorted((a, b) => formatName(a).localeCompare(formatName(b)))
  return rows.toSorted((a, b) => b[key] - a[key])
}
