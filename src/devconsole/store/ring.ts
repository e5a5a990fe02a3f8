/** A list of the newest items, with a limited number and size. */

export interface SizedItem {
  readonly bytes: number
}

export class Ring<Item extends SizedItem> {
  readonly #maxCount: number
  readonly #maxBytes: number
  /** Oldest first. */
  items: Item[] = []
  bytes: number = 0

  constructor(maxCount: number, maxBytes: number) {
    this.#maxCount = maxCount
    this.#maxBytes = maxBytes
  }

  /** Adds an item, and removes the oldest items while a limit is exceeded. */
  add(item: Item): void {
    this.items.push(item)
    this.bytes += item.bytes
    let surplus = 0
    for (const { bytes } of this.items) {
      const remainingCount = this.items.length - surplus
      if (remainingCount <= this.#maxCount && (this.bytes <= this.#maxBytes || remainingCount === 1)) break
      this.bytes -= bytes
      surplus++
    }
    this.items.splice(0, surplus)
  }

  clear(): void {
    this.items = []
    this.bytes = 0
  }
}
