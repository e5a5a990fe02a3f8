/** Sums, quantiles and bands of the histograms that the app sends. */
import { bucketBound, quantileBucket, TO_MIDDLE } from '../../../src/devconsole/wire/buckets.js'
import type { SparseHistogram } from '../../../src/devconsole/wire/feed-types.js'
import { clamp, sum } from './geometry.js'

/** Counts by bucket. */
export type Counts = ReadonlyMap<number, number>

/** Adds histograms. */
export function mergeCounts(histograms: Iterable<SparseHistogram>): Counts {
  const counts = new Map<number, number>()
  for (const pairs of histograms) {
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      const [bucket = 0, count = 0] = [pairs[index], pairs[index + 1]]
      counts.set(bucket, (counts.get(bucket) ?? 0) + count)
    }
  }
  return counts
}

/** Returns the number of values. */
export function countAll(counts: Counts): number {
  return sum([...counts.values()])
}

/** Estimates a quantile in ms, within 4.5 %. Returns `null` without values. */
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

/** Counts values in bands of equal width on a log scale. */
export function countBands(counts: Counts, range: Range, bands: number): number[] {
  const result = Array.from<number>({ length: bands }).fill(0)
  for (const [bucket, count] of counts) {
    const band = findBand(bucketBound(bucket - 0.5), range, bands)
    result[band] = (result[band] ?? 0) + count
  }
  return result
}

/** Returns the band of a value; the first or the last one for a value outside of the range. */
export function findBand(value: number, range: Range, bands: number): number {
  const share = Math.log(value / range.low) / Math.log(range.high / range.low)
  return clamp(Math.floor(share * bands), 0, bands - 1)
}

/** Returns the lowest value of a band. */
export function bandStart(band: number, range: Range, bands: number): number {
  return range.low * (range.high / range.low) ** (band / bands)
}
