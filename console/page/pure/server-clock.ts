/** Clock of the app. All times in records come from it, and the clock of the browser can differ. */

/** Difference to `performance.now()`, which is monotonic. */
let offset = Date.now() - performance.now()

/** @param age maximum age of the time, in ms */
export function setServerNow(now: number, age = 0): void {
  if (Math.abs(now - serverNow()) > age) offset = now - performance.now()
}

/** Returns the time of the app, in ms since 1970. */
export function serverNow(): number {
  return performance.now() + offset
}
