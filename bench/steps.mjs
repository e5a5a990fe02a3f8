/** What a middleware of W7 does: next to nothing, asynchronously. */

/** How often a step was taken. */
export const counter = { taken: 0 }

/** Makes a step; a new function each time, as different middleware would be. */
export function countedStep() {
  return async () => {
    counter.taken++
  }
}
