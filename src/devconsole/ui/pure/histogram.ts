/** Histograms of the wire: sums, quantiles and bars of them. */
import { bucketBound, quantileBucket, TO_MIDDLE } from '../../../observe/buckets.js'
import type { SparseHistogram } from '../../wire/feed-types.js'
import { clamp, sum } from './geometry.js'

/** Counts by bucket. */
export type Counts = ReadonlyMap<number, number>

/** Adds histograms up. */
export function mergeCounts(histograms: Iterable<SparseHistogram>): Counts {
  const counts = new Map<number, number>()
  for (const pairs of histograms) {
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [bucket = 0, count = 0] = [pairs[at], pairs[at + 1]]
      counts.set(bucket, (counts.get(bucket) ?? 0) + count)
    }
  }
  return counts
}

/** How many values there are. */
export function countAll(counts: Counts): number {
  return sum([...counts.values()])
}

/** Estimates a quantile. Returns in ms, within 4.5 %; `null` without values. */
export function quantile(counts: Counts, share: number): number | null {
  const buckets = [...counts].toSorted(([a], [b]) => a - b)
  const bucket = quantileBucket(buckets, share, countAll(counts))
  return bucket === undefined ? null : bucketBound(bucket) * TO_MIDDLE
}

/** Range of durations, in ms. */
export interface Range {
  readonly low: number
  readonly high: number
}

/** Counts by bands of equal width on a log scale. */
export function countBands(counts: Counts, range: Range, bands: number): number[] {
  const result = Array.from<number>({ length: bands }).fill(0)
  for (const [bucket, count] of counts) {
    const band = findBand(bucketBound(bucket - 0.5), range, bands)
    result[band] = (result[band] ?? 0) + count
  }
  return result
}

/** The band of a value. */
export function findBand(value: number, range: Range, bands: number): number {
  const share = Math.log(value / range.low) / Math.log(range.high / range.low)
  return clamp(Math.floor(share * bands), 0, bands - 1)
}

/** Where a band begins. */
export function bandStart(band: number, range: Range, bands: number): number {
  return range.low * (range.high / range.low) ** (band / bands)
}
