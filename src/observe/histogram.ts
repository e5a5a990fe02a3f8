/** A histogram of durations, whose quantiles are as exact for 1 ms as for 1 min. */
import { bucketBound, MIN_EXPONENT, quantileBucket, STEPS, TO_MIDDLE } from './buckets.js'

/** Values above this power of two, in ms, share a bucket: about 70 min. */
const MAX_BUCKET = 22
const BOUNDS: Float64Array = Float64Array.from({ length: (MAX_BUCKET - MIN_EXPONENT) * STEPS + 2 }, (_, index) =>
  index > (MAX_BUCKET - MIN_EXPONENT) * STEPS ? Infinity : bucketBound(index),
)

/** How far a quantile is from the true value at most, as a share of that: 4.43 %. */
export const QUANTILE_ERROR: number = 2 ** (0.5 / STEPS) - 1

/** Counts durations by buckets. Values below 1 µs share the first bucket, those above 70 min the last: none is lost. */
export class Histogram {
  // Doubles, because they count exactly up to 2⁵³ and stay there: 32 bits are full after 50 days of 1,000 requests a second.
  readonly #counts = new Float64Array(BOUNDS.length)
  count: number = 0
  /** In ms. */
  sum: number = 0
  /** The greatest value, in ms; 0 without any. */
  max: number = 0

  record(duration: number): void {
    const value = Math.max(duration || 0, 0)
    const bucket = findBucket(value)
    this.#counts[bucket] = at(this.#counts, bucket) + 1
    this.count++
    this.sum += value
    this.max = Math.max(this.max, value)
  }

  /** Estimates a quantile, in ms: within `QUANTILE_ERROR` of the true value between 1 µs and 70 min; 0 without values. */
  quantile(share: number): number {
    const bucket = quantileBucket(this.#counts.entries(), share, this.count)
    return bucket === undefined ? this.max : Math.min(at(BOUNDS, bucket) * TO_MIDDLE, this.max)
  }

  merge(other: Histogram): void {
    for (const [index, count] of other.#counts.entries()) this.#counts[index] = at(this.#counts, index) + count
    this.count += other.count
    this.sum += other.sum
    this.max = Math.max(this.max, other.max)
  }

  /** `bound` is the greatest value that a bucket takes, in ms; `Infinity` for the last. */
  buckets(): { readonly bound: number; readonly count: number }[] {
    return Array.from(this.#counts, (count, index) => ({ bound: at(BOUNDS, index), count }))
  }
}

function findBucket(value: number): number {
  // The logarithm is not exact, so the bounds decide.
  const near = Math.floor(Math.log2(value) * STEPS) - MIN_EXPONENT * STEPS
  let index = Math.min(Math.max(near, 0), BOUNDS.length - 1)
  while (value > at(BOUNDS, index)) index++
  return index
}

export function at(values: Float64Array, index: number): number {
  // Proof: every index comes from `bucketOf`, from a remainder of the length, or from walking an array of the same length.
  return values[index] as number
}

/** Rounds a duration as it is shown, to the µs: more digits than that say nothing. */
export function toMicros(value: number): number {
  return Math.round(value * 1000) / 1000
}
