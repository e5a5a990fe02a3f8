/** The work in hand: calls that are not answered yet and tasks that are not done, so that closing can wait for them. */

/** Counts work and tells when none is left. */
export class Work {
  #running = 0
  #waiting: (() => void)[] = []

  /** How many pieces of work are in hand. */
  get running(): number {
    return this.#running
  }

  /** A piece of work begins. */
  begin(): void {
    this.#running++
  }

  /** A piece of work is done. */
  end(): void {
    this.#running--
    if (this.#running > 0 || this.#waiting.length === 0) return
    for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Waits until no work is left. Returns at once when there is none. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
