/** A span of time, in any unit. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** Returns the time in which at least one of the spans is in progress. */
export function coveredTime(spans: readonly Span[]): number {
  let [total, reached] = [0, 0]
  for (const { start, length } of spans.toSorted((a, b) => a.start - b.start)) {
    total += Math.max(0, start + length - Math.max(start, reached))
    reached = Math.max(reached, start + length)
  }
  return total
}
