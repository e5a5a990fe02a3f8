/** The time of day of moments on the clock that never goes back. */

/** How long the distance between the two clocks is taken to hold, in ms; one is set right at times, and both may sleep. */
const HOLDS_FOR = 1_000

/** Tells the time of day without asking for it each time: half of what a call costs that is only counted would be its clocks. */
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
