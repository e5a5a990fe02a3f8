/** `Heap`: order after each change, compared with a sorted array. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Heap, type HeapItem } from '#src/features/stores/memory/heap.js'

interface Item extends HeapItem {
  size: number
}

describe('Heap', () => {
  it('has no first item if it is empty', () => {
    const heap = new Heap<Item>((a, b) => a.size > b.size)
    const item = { size: 1, index: -1 }
    assert.equal(heap.first, undefined)
    heap.set(item)
    assert.equal(heap.first, item)
    heap.delete(item)
    assert.deepEqual([heap.first, item.index], [undefined, -1])
  })

  it('returns the largest item after any changes', () => {
    const change = fc.record({ at: fc.nat(15), size: fc.nat(20), isDeleted: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const heap = new Heap<Item>((a, b) => a.size > b.size)
        const items = Array.from({ length: 16 }, () => ({ size: 0, index: -1 }))
        for (const { at, size, isDeleted } of changes) {
          const item = items[at] ?? assert.fail()
          item.size = size
          if (!isDeleted) heap.set(item)
          else if (item.index >= 0) heap.delete(item)
          else item.size = 0
          const inHeap = items.filter(({ index }) => index >= 0)
          assert.equal(heap.first?.size ?? -1, Math.max(-1, ...inHeap.map((each) => each.size)))
          assert.equal(new Set(inHeap.map(({ index }) => index)).size, inHeap.length)
        }
      }),
    )
  })
})
