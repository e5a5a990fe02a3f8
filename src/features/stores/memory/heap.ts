/** Binary heap whose items may move while they are in it. */

export interface HeapItem {
  /** Index in the heap, or -1. Only the heap sets it. */
  index: number
}

/** Finds the first of many items in constant time. Each change takes logarithmic time. */
export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = []
  readonly #isBefore: (a: Item, b: Item) => boolean

  /** @param isBefore whether the heap returns `a` before `b` */
  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  /** Adds an item, or moves it if its order has changed. */
  set(item: Item): void {
    if (item.index < 0) item.index = this.#items.push(item) - 1
    this.#moveUp(item)
    this.#moveDown(item)
  }

  /** Removes an item of the heap. */
  delete(item: Item): void {
    const lastItem = this.#items.pop()
    if (lastItem !== undefined && lastItem !== item) {
      this.#place(lastItem, item.index)
      this.set(lastItem)
    }
    item.index = -1
  }

  #moveUp(item: Item): void {
    while (item.index > 0) {
      const parent = this.#items[(item.index - 1) >> 1]
      if (parent === undefined || !this.#isBefore(item, parent)) return
      this.#swap(item, parent)
    }
  }

  #moveDown(item: Item): void {
    for (;;) {
      const leftChild = this.#items[2 * item.index + 1]
      const right = this.#items[2 * item.index + 2]
      if (leftChild === undefined) return
      const child = right !== undefined && this.#isBefore(right, leftChild) ? right : leftChild
      if (!this.#isBefore(child, item)) return
      this.#swap(item, child)
    }
  }

  #swap(a: Item, b: Item): void {
    const { index } = a
    this.#place(a, b.index)
    this.#place(b, index)
  }

  #place(item: Item, index: number): void {
    this.#items[index] = item
    item.index = index
  }
}
