/** Clock of the app. All times in records come from it, and the clock of the browser can differ. */

/** Difference to `performance.now()`, which nobody can set. */
let offset = Date.now() - performance.now()

export function learnNow(now: number): void {
  offset = now - performance.now()
}

/** Returns the time of the app, in ms since 1970. */
export function serverNow(): number {
  return performance.now() + offset
}
