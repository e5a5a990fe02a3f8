/** The rows of the endpoint table. */
import type { EndpointStats } from '../../wire/feed-types.js'
import { countBands, quantile, mergeCounts, type Range } from './histogram.js'

/** A row of the endpoint table. */
export interface EndpointRow {
  readonly stats: EndpointStats
  readonly calls: number
  /** Calls a second. */
  readonly rate: number
  /** 0 to 1. */
  readonly errors: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Calls by band, for the small chart. */
  readonly bands: readonly number[]
}

/** What the table can be sorted by. */
export type SortKey = 'endpoint' | 'calls' | 'rate' | 'errors' | 'p50' | 'p90' | 'p99' | 'max'

/** Durations of the small charts, in ms. */
export const SMALL_RANGE: Range = { low: 1, high: 3_000 }

/** Bands of the small charts. */
export const SMALL_BANDS = 25

/** The rows of the endpoint table. */
export function endpointRows(endpoints: readonly EndpointStats[], now: number): readonly EndpointRow[] {
  return endpoints.map((stats) => {
    const counts = mergeCounts([stats.durations])
    // The middle of a bucket may lie above the greatest value in it.
    const at = (share: number) => Math.min(quantile(counts, share) ?? 0, stats.max)
    return {
      stats,
      calls: stats.calls,
      rate: stats.calls / Math.max(1, (now - stats.since) / 1_000),
      errors: stats.calls === 0 ? 0 : stats.errors / stats.calls,
      p50: at(0.5),
      p90: at(0.9),
      p99: at(0.99),
      max: stats.max,
      bands: countBands(counts, SMALL_RANGE, SMALL_BANDS),
    }
  })
}

/** Sorts the rows: names upwards, numbers downwards. */
export function sortRows(rows: readonly EndpointRow[], key: SortKey): readonly EndpointRow[] {
  const nameOf = ({ stats }: EndpointRow) => `${stats.template} ${stats.method}`
  if (key === 'endpoint') return rows.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
  return rows.toSorted((a, b) => b[key] - a[key])
}
