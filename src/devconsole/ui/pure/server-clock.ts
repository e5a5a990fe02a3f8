/** Clock of the app. The clock of the browser can differ, and all times in records are those of the app. */

/** Difference to `performance.now()`, which a change of the system clock does not affect. */
let offset = Date.now() - performance.now()

export function learnNow(now: number): void {
  offset = now - performance.now()
}

/** Returns the time of the app, in ms since 1970. */
export function serverNow(): number {
  return performance.now() + offset
}
