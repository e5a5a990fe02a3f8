/** Durations as they are shown. */

/**
 * Rounds to the µs: more digits than that say nothing.
 *
 * @param value in ms, or calls a second
 * @returns the value with three digits behind the point at most
 */
export function toMicros(value: number): number {
  return Math.round(value * 1000) / 1000
}
