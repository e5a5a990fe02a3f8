/** Converts times of the monotonic clock to the time of day. */

/** Maximum age of the difference between the two clocks, in ms. It changes when the time of day is set, or when the machine sleeps. */
const HOLDS_FOR = 1_000

/** Reads the time of day rarely. Otherwise, reading clocks would be half of the cost of a request that is only counted. */
export class WallClock {
  #offset = 0
  #until = -Infinity

  at(moment: number): number {
    if (moment >= this.#until) {
      const now = performance.now()
      this.#offset = Date.now() - now
      this.#until = now + HOLDS_FOR
    }
    return moment + this.#offset
  }
}
