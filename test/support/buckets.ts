import { Histogram } from '#src/observe/histogram.js'

/** Returns the index of the bucket in which a histogram counts a value. */
export function createBucket(value: number): number {
  const histogram = new Histogram()
  histogram.record(value)
  return histogram.buckets().findIndex(({ count }) => count > 0)
}
