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
    const { items } = this
    items.push(item)
    this.bytes += item.bytes
    // `shift` moves no items, but `splice` moves all of them.
    while (items.length > this.#maxCount || (this.bytes > this.#maxBytes && items.length > 1)) {
      // Proof: the list contains at least the new item.
      this.bytes -= (items.shift() as Item).bytes
    }
  }

  clear(): void {
    this.items = []
    this.bytes = 0
  }
}
