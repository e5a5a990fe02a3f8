/**
 * A histogram of durations. Its quantiles have the same relative error for 1 ms and for 1 min.
 *
 * @see docs/decisions/0007-counts-in-doubles.md
 */
import { bucketBound, MIN_EXPONENT, quantileBucket, STEPS, TO_MIDDLE } from './buckets.js'

/** Exponent of the last finite bound: 2²² ms, about 70 min. Values above it share one bucket. */
const MAX_BUCKET = 22
const BOUNDS: Float64Array = Float64Array.from({ length: (MAX_BUCKET - MIN_EXPONENT) * STEPS + 2 }, (_, index) =>
  index > (MAX_BUCKET - MIN_EXPONENT) * STEPS ? Infinity : bucketBound(index),
)

/** Maximum relative error of a quantile: 4.43 %. */
export const QUANTILE_ERROR: number = 2 ** (0.5 / STEPS) - 1

/** Counts durations by bucket. Values below 1 µs are in the first bucket, and values above 70 min in the last. */
export class Histogram {
  // Doubles count exactly up to 2⁵³ and never wrap. 32 bits would overflow after 50 days of 1,000 requests per second.
  readonly #counts = new Float64Array(BOUNDS.length)
  count: number = 0
  /** In ms. */
  sum: number = 0
  /** Greatest value in ms; 0 without values. */
  max: number = 0

  record(duration: number): void {
    const value = Math.max(duration || 0, 0)
    const bucket = findBucket(value)
    this.#counts[bucket] = bucketCount(this.#counts, bucket) + 1
    this.count++
    this.sum += value
    this.max = Math.max(this.max, value)
  }

  /** Estimates a quantile in ms, within `QUANTILE_ERROR` of the true value from 1 µs to 70 min; 0 without values. */
  quantile(share: number): number {
    const bucket = quantileBucket(this.#counts.entries(), share, this.count)
    return bucket === undefined ? this.max : Math.min(bucketCount(BOUNDS, bucket) * TO_MIDDLE, this.max)
  }

  merge(other: Histogram): void {
    for (const [index, count] of other.#counts.entries()) this.#counts[index] = bucketCount(this.#counts, index) + count
    this.count += other.count
    this.sum += other.sum
    this.max = Math.max(this.max, other.max)
  }

  /** Returns all buckets. `bound` is the greatest value of a bucket in ms; `Infinity` for the last bucket. */
  buckets(): { readonly bound: number; readonly count: number }[] {
    return Array.from(this.#counts, (count, index) => ({ bound: bucketCount(BOUNDS, index), count }))
  }
}

function findBucket(value: number): number {
  // The logarithm is not exact, so the result is compared with the bounds.
  const near = Math.floor(Math.log2(value) * STEPS) - MIN_EXPONENT * STEPS
  let index = Math.min(Math.max(near, 0), BOUNDS.length - 1)
  while (value > bucketCount(BOUNDS, index)) index++
  return index
}

export function bucketCount(values: Float64Array, index: number): number {
  // Proof: every index comes from `findBucket`, from a remainder of the length, or from a loop over an array of the same length.
  return values[index] as number
}

/** Rounds a duration in ms to the µs, because further digits are noise. */
export function toMicros(value: number): number {
  return Math.round(value * 1000) / 1000
}
