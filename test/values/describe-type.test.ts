import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeDiscarded, describeType } from '#src/values/describe-type.js'

describe('describeType()', () => {
  it('returns the type of any value with an article', () => {
    const types = [null, undefined, [], {}, 'a', 7, 7n, Symbol('a'), () => {}].map(describeType)
    const scalars = ['a string', 'a number', 'a bigint', 'a symbol', 'a function']
    assert.deepEqual(types, ['null', 'undefined', 'an array', 'a plain object', ...scalars])
  })

  it('returns the type of a revoked proxy without an error', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    assert.equal(describeType(proxy), 'a plain object')
  })
})

describe('describeDiscarded()', () => {
  it('handles the rejection of a promise', async () => {
    assert.equal(describeDiscarded(Promise.reject(new Error('unhandled'))), 'a plain object')
    await new Promise(setImmediate)
  })
})
