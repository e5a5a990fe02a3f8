/** The event streams of an app, which end when it closes. */

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
