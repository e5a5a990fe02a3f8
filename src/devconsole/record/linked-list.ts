/** A list that is linked through its items, for what comes and goes with each request: a `Set` costs that five times as much. */

/** An item: its fields are those of its list alone to change. */
export interface Linked<Item> {
  older: Item | null
  newer: Item | null
  isListed: boolean
}

/** Items in the order in which they came. */
export class LinkedList<Item extends Linked<Item>> implements Iterable<Item> {
  #oldest: Item | null = null
  #newest: Item | null = null
  #size = 0

  /** How many there are. */
  get size(): number {
    return this.#size
  }

  /** Adds an item. */
  add(item: Item): void {
    this.#size++
    item.isListed = true
    item.older = this.#newest
    if (this.#newest === null) this.#oldest = item
    else this.#newest.newer = item
    this.#newest = item
  }

  /** Takes an item away, if it is there. */
  delete(item: Item): void {
    if (!item.isListed) return
    const { older, newer } = item
    this.#size--
    item.isListed = false
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    item.older = null
    item.newer = null
  }

  /** Oldest first. The one that it is at may be taken away meanwhile. */
  *[Symbol.iterator](): Generator<Item, void, undefined> {
    let item = this.#oldest
    while (item !== null) {
      const next: Item | null = item.newer
      yield item
      item = next
    }
  }
}
