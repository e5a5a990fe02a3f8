/** Durations as they are shown. */

/** Rounds to the µs: more digits than that say nothing. */
export function toMicros(value: number): number {
  return Math.round(value * 1000) / 1000
}
