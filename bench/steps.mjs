/** The counter of W7's middleware: five asynchronous functions per server, each of which increments it. */

/** Number of calls. */
export const counter = { taken: 0 }

export function count() {
  counter.taken++
}
