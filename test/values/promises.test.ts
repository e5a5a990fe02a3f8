/** Promises that Verbena discards, and values that may be promises. */
/* oxlint-disable unicorn/no-thenable -- the tests need thenables */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { discardPromise, thenSync } from '#src/values/promises.js'

describe('discardPromise()', () => {
  it('passes the reason of a rejection to a function, and ignores its errors', async () => {
    const reasons: unknown[] = []
    const note = (reason: unknown): void => {
      reasons.push(reason)
      throw new Error('of the listener')
    }
    const callable = Object.assign(() => {}, { then: (_: unknown, reject: (reason: unknown) => void) => reject(2) })
    const values = [Promise.reject(new Error('1')), callable, { then: () => assert.fail('3') }, Promise.resolve(4)]
    assert.deepEqual(
      values.map((value) => discardPromise(value, note)),
      [true, true, true, true],
    )
    await turn()
    assert.deepEqual(reasons.map(String).toSorted(), ['2', 'AssertionError [ERR_ASSERTION]: 3', 'Error: 1'])
  })

  it('handles a rejection without a function', async () => {
    assert.equal(discardPromise(Promise.reject(new Error('unheard'))), true)
    await turn()
  })

  it('calls only "then" of a subclass', async () => {
    class Odd extends Promise<unknown> {
      override catch(): never {
        return assert.fail('catch')
      }
    }
    assert.equal(discardPromise(Odd.reject(new Error('odd'))), true)
    await turn()
  })

  it('returns false for all other values', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const getter = Object.defineProperty({}, 'then', { get: () => assert.fail('a getter') })
    for (const value of [undefined, null, 1, 'a', {}, { then: 1 }, () => {}, proxy, getter]) {
      assert.equal(discardPromise(value), false)
    }
  })
})

describe('thenSync()', () => {
  it('continues immediately with a value, or after a promise', async () => {
    const next = (value: number): number => value + 1
    assert.equal(thenSync(1, next), 2)
    assert.equal(await thenSync(Promise.resolve(1), next), 2)
  })
})
