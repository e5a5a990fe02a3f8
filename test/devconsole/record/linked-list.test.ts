import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LinkedList, type Linked } from '#src/devconsole/record/linked-list.js'

class Item implements Linked<Item> {
  older: Item | null = null
  newer: Item | null = null
  isListed: boolean = false
  readonly number: number

  constructor(number: number) {
    this.number = number
  }
}

function listOf(count: number): { list: LinkedList<Item>; items: Item[] } {
  const list = new LinkedList<Item>()
  const items = Array.from({ length: count }, (_, number) => new Item(number))
  for (const item of items) list.add(item)
  return { list, items }
}

describe('LinkedList', () => {
  it('lets an item go that is being looked at, and looks at the others', () => {
    const { list, items } = listOf(5)
    const seen: number[] = []
    for (const item of list) {
      seen.push(item.number)
      if (item.number !== 2) list.delete(item)
    }
    assert.deepEqual([seen, [...list], list.size], [[0, 1, 2, 3, 4], [items[2]], 1])
  })

  it('leaves nothing in what has gone that refers to the others', () => {
    const { list, items } = listOf(3)
    for (const item of items) list.delete(item)
    assert.deepEqual([[...list], list.size], [[], 0])
    assert.ok(items.every(({ older, newer, isListed }) => older === null && newer === null && !isListed))
  })
})
