/** Buckets of durations: they grow by the eighth root of two, as OpenTelemetry's exponential histogram has them at scale 3. */

/** Buckets to each power of two. */
export const STEPS = 8
/** The first bucket ends at this power of two, in ms: about 1 µs. */
export const MIN_EXPONENT = -10
/** From the bound of a bucket to the middle of it, where its values are taken to be. */
export const TO_MIDDLE: number = 2 ** (-0.5 / STEPS)

/** The greatest value of a bucket, in ms. */
export function bucketBound(bucket: number): number {
  return 2 ** (MIN_EXPONENT + bucket / STEPS)
}

/** The first bucket up to which at least a share of all values lies; `undefined` without values. */
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
