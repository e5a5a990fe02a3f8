import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BareRecord } from '#src/values/objects.js'

describe('new BareRecord()', () => {
  it('has no inherited properties', () => {
    const record = new BareRecord<unknown>()
    for (const name of Object.getOwnPropertyNames(Object.prototype)) assert.equal(name in record, false, name)
  })

  it('stores "__proto__" as an ordinary key', () => {
    const record = new BareRecord<unknown>()
    const key = '__proto__'
    record[key] = { polluted: true }
    assert.deepEqual(Object.keys(record), ['__proto__'])
    assert.equal('polluted' in record, false)
    assert.equal('polluted' in {}, false)
  })

  it('creates independent objects', () => {
    const first = new BareRecord<string>()
    first['a'] = '1'
    assert.deepEqual(Object.keys(new BareRecord()), [])
    assert.deepEqual(Reflect.ownKeys(Object.getPrototypeOf(first) ?? {}), [])
  })
})
