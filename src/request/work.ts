/** The work in hand, so that closing can wait for it: calls and the tasks after them, and event streams, which it ends. */

/** Counts work and tells when none is left. */
export class Work {
  #running = 0
  #waiting: (() => void)[] = []

  /** How many pieces of work are in hand. */
  get running(): number {
    return this.#running
  }

  begin(): void {
    this.#running++
  }

  end(): void {
    this.#running--
    if (this.#running > 0 || this.#waiting.length === 0) return
    for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Waits until no work is left. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** A stream that can be ended. */
interface Endable {
  end(): void
}

/** The event streams of an app that are open. */
export class OpenStreams {
  readonly #open = new Set<Endable>()
  #isEnded = false

  /** Whether the app is closing, or closed. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** A stream begins; where the app is closing it ends at once. */
  add(stream: Endable): void {
    if (this.#isEnded) stream.end()
    else this.#open.add(stream)
  }

  delete(stream: Endable): void {
    this.#open.delete(stream)
  }

  /** Ends all of them, and every later one. */
  end(): void {
    this.#isEnded = true
    for (const stream of this.#open) stream.end()
  }
}
