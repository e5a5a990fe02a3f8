/** Duration of the newest recordings. Older ones do not count, because the first ones run code that is not compiled yet. */

const MAX_SAMPLES = 100

export class RecordingCost {
  readonly #times: number[] = []

  get count(): number {
    return this.#times.length
  }

  add(time: number): void {
    if (this.#times.push(time) > MAX_SAMPLES) this.#times.shift()
  }

  get median(): number {
    const sorted = this.#times.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }

  get longest(): number {
    return Math.max(0, ...this.#times)
  }
}
