/** How often something happens: calls a second over the last minute. */

/** Seconds that are looked back on. */
const SPAN = 60

/** Counts by the second, in a ring of as many seconds as it looks back on. */
export class Rate {
  readonly #counts = new Float64Array(SPAN)
  /** The second that each count belongs to. */
  readonly #seconds = new Float64Array(SPAN).fill(-Infinity)
  readonly #began: number
  /** Where is counted, and until when; what a call needs is an addition. */
  #slot = 0
  #until = -Infinity

  constructor(now: number) {
    this.#began = now
  }

  /** Counts one. */
  record(now: number): void {
    if (now >= this.#until) this.#begin(Math.floor(now / 1000))
    this.#counts[this.#slot] = at(this.#counts, this.#slot) + 1
  }

  #begin(second: number): void {
    this.#slot = second % SPAN
    this.#until = (second + 1) * 1000
    this.#seconds[this.#slot] = second
    this.#counts[this.#slot] = 0
  }

  /** How often it happened. */
  perSecond(now: number): number {
    const oldest = Math.floor(now / 1000) - SPAN + 1
    const counts = this.#counts.filter((_, slot) => at(this.#seconds, slot) >= oldest)
    const since = Math.max(this.#began, oldest * 1000)
    return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, (now - since) / 1000)
  }
}

function at(values: Float64Array, index: number): number {
  // Proof: both arrays have a place for every remainder of `SPAN`.
  return values[index] as number
}
