/** Buckets of durations. Their bounds grow by the eighth root of two, as in OpenTelemetry's exponential histogram at scale 3. */

/** Number of buckets per power of two. */
export const STEPS = 8
/** Exponent of the first bound: 2⁻¹⁰ ms, about 1 µs. */
export const MIN_EXPONENT = -10
/** Factor from the bound of a bucket to its middle, which represents all of its values. */
export const TO_MIDDLE: number = 2 ** (-0.5 / STEPS)

/** Returns the greatest value of a bucket, in ms. */
export function bucketBound(bucket: number): number {
  return 2 ** (MIN_EXPONENT + bucket / STEPS)
}

/** Returns the first bucket at which the cumulative count reaches a share of all values; `undefined` without values. */
export function quantileBucket(
  counts: Iterable<readonly [bucket: number, count: number]>,
  share: number,
  total: number,
): number | undefined {
  const rank = Math.max(1, Math.ceil(share * total))
  let seen = 0
  for (const [bucket, count] of counts) {
    seen += count
    if (seen >= rank) return bucket
  }
  return undefined
}
