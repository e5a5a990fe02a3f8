/** A budget that fills by the second: bursts are taken as they are, and what goes on and on is bounded. */

interface BudgetBounds {
  readonly atOnce: number
  readonly perSecond: number
  /** How many are gathered before one is given again: for what is cheaper in a row. */
  readonly inRow: number
}

export class Budget {
  readonly #bounds: BudgetBounds
  #left: number
  #since: number
  /** When there will be a row again: until then nothing needs to be reckoned. */
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

  giveBack(): void {
    this.#left++
    this.#next = -Infinity
  }
}
