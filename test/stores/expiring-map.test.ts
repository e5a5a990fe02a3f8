/** Values that end by themselves, held to a plain list of what was written. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ExpiringMap } from '#src/stores/expiring-map.js'

describe('ExpiringMap', () => {
  it('keeps a value until its end, that moment not included', () => {
    let now = 100
    const map = new ExpiringMap<string>(10, () => now)
    map.set('a', 'one', 200)
    now = 199
    assert.equal(map.get('a'), 'one')
    now = 200
    assert.equal(map.get('a'), undefined)
    assert.equal(map.get('none'), undefined)
  })

  it('drops the one that was written first, not the one that was made first', () => {
    const map = new ExpiringMap<number>(2, () => 0)
    for (const key of ['a', 'b', 'a', 'c']) map.set(key, 1, 10)
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c'), map.size], [1, undefined, 1, 2])
  })

  it('lets go of what has ended as new ones come', () => {
    let now = 0
    const map = new ExpiringMap<number>(1000, () => now)
    for (let n = 0; n < 900; n++) map.set(`old ${n}`, n, 10)
    now = 10
    for (let n = 0; n < 900; n++) map.set(`new ${n}`, n, 20)
    assert.equal(map.size, 900)
    assert.equal(map.get('new 0'), 0)
  })

  it('says what a list of all that was written says, and never keeps more than its limit', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const write = fc.record({ kind: fc.constant('set' as const), key, life: fc.nat(20), pause: fc.nat(5) })
    const removal = fc.record({ kind: fc.constant('delete' as const), key, life: fc.constant(0), pause: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(fc.oneof(write, removal)), fc.integer({ min: 1, max: 6 }), (acts, limit) => {
        let now = 0
        const map = new ExpiringMap<number>(limit, () => now)
        let known: { key: string; value: number; end: number }[] = []
        acts.forEach(({ kind, key, life, pause }, value) => {
          now += pause
          known = known.filter((entry) => entry.key !== key)
          if (kind === 'delete') map.delete(key)
          else {
            map.set(key, value, now + life)
            known = [...known, { key, value, end: now + life }].slice(-limit)
          }
          assert.ok(map.size <= limit)
          for (const entry of known) {
            assert.equal(map.get(entry.key), entry.end > now ? entry.value : undefined)
          }
        })
      }),
    )
  })
})
