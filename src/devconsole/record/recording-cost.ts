/** What recording takes: of the newest recordings alone, because the first ones run code that was not compiled yet. */

/** Recordings that are looked at. */
const MOST = 100

/** The times that recording took, in ms. */
export class RecordingCost {
  readonly #times: number[] = []
  #next = 0

  /** How many there are: the newest hundred at most. */
  get count(): number {
    return this.#times.length
  }

  /** A request was recorded. */
  add(time: number): void {
    this.#times[this.#next] = time
    this.#next = (this.#next + 1) % MOST
  }

  /** The one in the middle; 0 without any. */
  get median(): number {
    const sorted = this.#times.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }

  /** The longest; 0 without any. */
  get longest(): number {
    return Math.max(0, ...this.#times)
  }
}
