/** `RecencyMap`: expiry, limits, and the order in which entries are removed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RecencyMap } from '#src/features/stores/memory/recency-map.js'

const OVERHEAD = 240

function createMap(maxCount: number, maxSize = Infinity, now = (): number => 0): RecencyMap {
  return new RecencyMap({ maxCount, maxSize }, now)
}

function fill(map: RecencyMap, prefix: string, count: number, reads = 0): string[] {
  const keys = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  for (const key of keys) {
    map.set(key, key, 10)
    for (let read = 0; read < reads; read++) assert.equal(map.get(key), key)
  }
  return keys
}

/** Returns the keys that are in the map. Counts as a read. */
function present(map: RecencyMap, keys: readonly string[]): string[] {
  return keys.filter((key) => map.get(key) !== undefined)
}

describe('RecencyMap: expiry', () => {
  it('returns a string until it expires', () => {
    let now = 100
    const map = createMap(10, Infinity, () => now)
    map.set('a', 'one', 200)
    now = 199
    assert.equal(map.get('a'), 'one')
    now = 200
    assert.equal(map.get('a'), undefined)
    assert.equal(map.get('missing'), undefined)
  })

  it('updates only entries that exist and have not expired', () => {
    let now = 0
    const map = createMap(10, Infinity, () => now)
    assert.deepEqual(
      [map.update('a', 'one', 10), map.update('a', undefined, 10), map.get('a')],
      [false, false, undefined],
    )
    map.set('a', 'one', 10)
    assert.deepEqual([map.update('a', 'two', 20), map.get('a')], [true, 'two'])
    now = 10
    assert.deepEqual([map.update('a', undefined, 30), map.get('a')], [true, 'two'])
    now = 30
    assert.deepEqual([map.update('a', 'three', 40), map.get('a')], [false, undefined])
  })

  it('removes expired entries while others are added, read or not', () => {
    let now = 0
    const map = createMap(10_000, Infinity, () => now)
    fill(map, 'new', 500)
    fill(map, 'used', 500, 2)
    now = 10
    for (let n = 0; n < 500; n++) map.set(`later ${n}`, '', 20)
    assert.equal(map.count, 500)
  })
})

describe('RecencyMap: removal', () => {
  it('first removes the least recently read entry of those read at most once', () => {
    const map = createMap(3)
    fill(map, 'a', 3)
    map.get('a0')
    map.set('b', 'b', 10)
    assert.deepEqual(present(map, ['a0', 'a1', 'a2', 'b']), ['a0', 'a2', 'b'])
  })

  it('removes an entry that was read once before one that was read twice long ago', () => {
    const map = createMap(3)
    fill(map, 'old', 1, 2)
    fill(map, 'a', 2, 1)
    map.set('b', 'b', 10)
    assert.deepEqual(present(map, ['old0', 'a0', 'a1', 'b']), ['old0', 'a1', 'b'])
  })

  it('removes the least recently read entry if all were read twice', () => {
    const map = createMap(3)
    fill(map, 'a', 3, 2)
    map.get('a0')
    map.set('b', 'b', 10)
    assert.deepEqual(present(map, ['a0', 'a1', 'a2', 'b']), ['a0', 'a2', 'b'])
  })

  it('keeps all entries that were read twice during a flood of new entries', () => {
    const map = createMap(1000)
    const used = fill(map, 'used', 900, 2)
    fill(map, 'flood', 20_000, 0)
    fill(map, 'read once', 20_000, 1)
    assert.deepEqual([map.count, present(map, used).length], [1000, 900])
  })

  it('reserves 1 % for new entries, so that each can be read twice before it is removed', () => {
    const map = createMap(1000)
    fill(map, 'used', 1000, 2)
    const added = fill(map, 'new', 10)
    assert.deepEqual([map.count, present(map, added)], [1000, added])
    present(map, added)
    fill(map, 'flood', 20_000)
    assert.deepEqual(present(map, added), added)
  })

  it('does not remove the entry that was just written', () => {
    const map = createMap(1)
    for (const key of ['a', 'b', 'a']) {
      map.set(key, key, 10)
      assert.deepEqual([map.get(key), map.get(key), map.count], [key, key, 1])
    }
  })
})

describe('RecencyMap: size', () => {
  it('counts the bytes of keys and strings, and 240 bytes for each entry', () => {
    const map = createMap(10)
    map.set('key', 'Zürich', 10)
    assert.equal(map.size, 9 + OVERHEAD)
    map.update('key', '12 €', 10)
    assert.equal(map.size, 3 + 2 * 4 + OVERHEAD)
    map.set('key', '', 10)
    assert.equal(map.size, 3 + OVERHEAD)
    map.delete('key')
    map.delete('key')
    assert.deepEqual([map.size, map.count], [0, 0])
  })

  it('removes entries if a new or changed one exceeds the maximum size', () => {
    const size = 2 + 98 + OVERHEAD
    const map = createMap(100, 4 * size)
    const text = 'x'.repeat(98)
    for (const key of ['a1', 'a2', 'a3', 'a4', 'a5']) map.set(key, text, 10)
    assert.deepEqual([map.count, map.size], [4, 4 * size])
    for (let read = 0; read < 2; read++) present(map, ['a2', 'a3'])
    map.update('a4', text + text, 10)
    assert.deepEqual(present(map, ['a1', 'a2', 'a3', 'a4', 'a5']), ['a2', 'a3', 'a4'])
    map.update('a4', 'x'.repeat(2 * size), 10)
    assert.deepEqual(present(map, ['a2', 'a3', 'a4']), ['a3', 'a4'])
    assert.ok(map.size <= 4 * size)
  })

  it('rejects a string that is larger than the maximum, and keeps all entries', () => {
    const map = createMap(100, 2000)
    map.set('a', 'one', 10)
    assert.throws(
      () => map.set('b', 'x'.repeat(1800), 10),
      /^RangeError: Cannot store 2041 bytes in memory: .* limited to 2000/,
    )
    assert.throws(() => map.update('a', 'x'.repeat(1800), 10), RangeError)
    assert.deepEqual([map.get('a'), map.get('b')], ['one', undefined])
    map.set('b', 'x'.repeat(1759), 10)
    assert.deepEqual([map.get('a'), map.size], [undefined, 2000])
  })

  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const action = fc.record({
    kind: fc.constantFrom('set', 'update', 'get', 'delete'),
    key,
    length: fc.nat(300),
    life: fc.nat(20),
    pause: fc.nat(3),
  })

  /** Checks a map against a plain one, in which nothing is removed for lack of space. */
  function check(limits: { maxCount: number; maxSize: number }, mayRemove: boolean): void {
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        let now = 0
        const map = new RecencyMap(limits, () => now)
        const model = new Map<string, { text: string; end: number }>()
        for (const { kind, key, length, life, pause } of actions) {
          now += pause
          const [text, end] = ['x'.repeat(length), now + life]
          if (kind === 'set') map.set(key, text, end)
          if (kind === 'set' || (kind === 'update' && map.update(key, text, end))) model.set(key, { text, end })
          if (kind === 'delete') {
            map.delete(key)
            model.delete(key)
          }
          const known = model.get(key)
          const expected = known !== undefined && known.end > now ? known.text : undefined
          const found = kind === 'get' ? map.get(key) : expected
          assert.ok(found === expected || (mayRemove && found === undefined), `${kind} ${key}`)
          assert.ok(map.count <= limits.maxCount && map.size <= limits.maxSize)
        }
      }),
    )
  }

  it('never exceeds its limits', () => {
    for (let maxCount = 1; maxCount < 6; maxCount++) check({ maxCount, maxSize: 1000 }, true)
  })

  it('removes nothing while the limits hold', () => {
    check({ maxCount: 5, maxSize: 5 * (1 + 300 + OVERHEAD) }, false)
  })
})
