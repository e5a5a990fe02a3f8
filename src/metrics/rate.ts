/** How often something happens: calls a second over the last minute. */

/** Seconds that are looked back on. */
const SPAN = 60

/** Counts by the second, in a ring of as many seconds as it looks back on. */
export class Rate {
  readonly #counts = new Float64Array(SPAN)
  /** The second that each count belongs to. */
  readonly #seconds = new Float64Array(SPAN).fill(-Infinity)
  readonly #began: number

  constructor(now: number) {
    this.#began = now
  }

  record(now: number): void {
    const second = Math.floor(now / 1000)
    const slot = second % SPAN
    const before = at(this.#seconds, slot) === second ? at(this.#counts, slot) : 0
    this.#seconds[slot] = second
    this.#counts[slot] = before + 1
  }

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
