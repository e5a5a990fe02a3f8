/** A token bucket: allows bursts, and limits the rate over time. */

interface BudgetBounds {
  readonly atOnce: number
  readonly perSecond: number
  /** Number of tokens that an empty bucket collects before it allows the next one, for work that is cheaper in batches. */
  readonly inRow: number
}

export class Budget {
  readonly #bounds: BudgetBounds
  #left: number
  #since: number
  /** Time at which the bucket allows the next batch. Before that, `take` does not calculate anything. */
  #next = -Infinity

  constructor(bounds: BudgetBounds, now: number) {
    this.#bounds = bounds
    this.#left = bounds.atOnce
    this.#since = now
  }

  take(now: number): boolean {
    if (now < this.#next) return false
    const { atOnce, perSecond, inRow } = this.#bounds
    this.#left = Math.min(atOnce, this.#left + ((now - this.#since) * perSecond) / 1000)
    this.#since = now
    if (this.#left < 1) {
      this.#next = now + ((inRow - this.#left) * 1000) / perSecond
      return false
    }
    this.#left--
    return true
  }

  /** Uses more tokens. If the bucket is empty, this delays the next batch. */
  spend(count: number): void {
    this.#left -= count
  }

  giveBack(): void {
    this.#left++
    this.#next = -Infinity
  }
}
