import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ring } from '#src/devconsole/store/ring.js'

const item = (name: string, bytes = 1) => ({ name, bytes })
const namesOf = (ring: Ring<{ name: string; bytes: number }>) => ring.items.map(({ name }) => name).join('')

describe('Ring', () => {
  it('keeps the newest items up to a maximum number', () => {
    const ring = new Ring<ReturnType<typeof item>>(3, 100)
    for (const name of 'abcde') ring.add(item(name))
    assert.deepEqual([namesOf(ring), ring.bytes], ['cde', 3])
    ring.clear()
    assert.deepEqual([namesOf(ring), ring.bytes], ['', 0])
  })

  it('keeps the newest items up to a maximum size, and a single item that is larger', () => {
    const ring = new Ring<ReturnType<typeof item>>(100, 10)
    for (const name of 'abcde') ring.add(item(name, 4))
    assert.deepEqual([namesOf(ring), ring.bytes], ['de', 8])
    ring.add(item('f', 50))
    assert.deepEqual([namesOf(ring), ring.bytes], ['f', 50])
    ring.add(item('g', 1))
    assert.deepEqual([namesOf(ring), ring.bytes], ['g', 1])
  })

  it('never exceeds its limits over 100,000 items', () => {
    const ring = new Ring<ReturnType<typeof item>>(500, 10_000)
    for (let index = 0; index < 100_000; index++) {
      ring.add(item(String(index), index % 97))
      assert.ok(ring.bytes <= 10_000 && ring.items.length <= 500)
    }
    assert.equal(
      ring.bytes,
      ring.items.reduce((sum, { bytes }) => sum + bytes, 0),
    )
  })
})
