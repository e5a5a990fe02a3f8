/** What a middleware of W7 does: it counts, and is an asynchronous function. Each server has five of them, and none awaits another inside. */

/** How often one was taken. */
export const counter = { taken: 0 }

export function count() {
  counter.taken++
}
