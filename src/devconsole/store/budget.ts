/** A budget that fills by the second: bursts are taken as they are, and what goes on and on is bounded. */

interface BudgetBounds {
  readonly atOnce: number
  readonly perSecond: number
  /** How many are gathered before one is given again: for what is cheaper in a row. */
  readonly inRow: number
}

export class Budget {
  readonly #perSecond: number
  readonly #inRow: number
  readonly #most: number
  #left: number
  #since: number
  /** When there will be a row again: until then nothing needs to be reckoned. */
  #next = -Infinity

  constructor({ atOnce, perSecond, inRow }: BudgetBounds, now: number) {
    this.#perSecond = perSecond
    this.#inRow = inRow
    this.#most = atOnce
    this.#left = atOnce
    this.#since = now
  }

  take(now: number): boolean {
    if (now < this.#next) return false
    this.#left = Math.min(this.#most, this.#left + ((now - this.#since) * this.#perSecond) / 1000)
    this.#since = now
    if (this.#left < 1) {
      this.#next = now + ((this.#inRow - this.#left) * 1000) / this.#perSecond
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
