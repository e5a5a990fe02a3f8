/** Trend of an incident: its occurrences in each minute, newest last. */
const MINUTE_MS = 60_000
/** Minimum number of minutes. The first and the last one are incomplete, so a line through two values would only rise. */
const MIN_MINUTES = 3

/** Returns the minutes for which a process of this age in ms has data, or an empty array if they are too few for a line. */
export function selectTrend(trend: readonly number[], age: number): readonly number[] {
  const minutes = Math.ceil(age / MINUTE_MS)
  return minutes < MIN_MINUTES ? [] : trend.slice(-minutes)
}
