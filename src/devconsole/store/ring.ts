/** A list of the newest items, with a limited number and size. */

export interface SizedItem {
  readonly bytes: number
}

export class Ring<Item extends SizedItem> {
  readonly #most: number
  readonly #mostBytes: number
  /** Oldest first. */
  items: Item[] = []
  bytes: number = 0

  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  /** Adds an item, and removes the oldest items while a limit is exceeded. */
  add(item: Item): void {
    this.items.push(item)
    this.bytes += item.bytes
    let surplus = 0
    for (const { bytes } of this.items) {
      const remainingCount = this.items.length - surplus
      if (remainingCount <= this.#most && (this.bytes <= this.#mostBytes || remainingCount === 1)) break
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
