/** Values in this process's memory that end by themselves, and of which there are never too many. */

interface Entry<Value> {
  readonly value: Value
  /** ms since 1970. */
  readonly end: number
}

/** How many of the oldest each new entry looks at: more than one, so that what has ended goes faster than new ones come. */
const SWEPT = 2

/** Keeps values until their end. When there are more than `limit`, the one that was written first goes. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #limit: number
  readonly #now: () => number

  /**
   * @param limit how many entries it keeps
   * @param now ms since 1970
   */
  constructor(limit: number, now: () => number = Date.now) {
    this.#limit = limit
    this.#now = now
  }

  /** How many it keeps; some of them may have ended. */
  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.end <= this.#now() ? undefined : entry.value
  }

  /** Keeps a value until `end`, in ms since 1970. */
  set(key: string, value: Value, end: number): void {
    // So that it becomes the youngest.
    this.#entries.delete(key)
    this.#entries.set(key, { value, end })
    this.#sweep()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  #sweep(): void {
    const now = this.#now()
    let looked = 0
    for (const [key, { end }] of this.#entries) {
      if (looked++ >= SWEPT) break
      if (end <= now || this.#entries.size > this.#limit) this.#entries.delete(key)
    }
  }
}
