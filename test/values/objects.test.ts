import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BareRecord } from '#src/values/objects.js'

describe('new BareRecord()', () => {
  it('inherits nothing', () => {
    const record = new BareRecord<unknown>()
    for (const name of Object.getOwnPropertyNames(Object.prototype)) assert.equal(name in record, false, name)
  })

  it('holds "__proto__" as a key like any other', () => {
    const record = new BareRecord<unknown>()
    const key = '__proto__'
    record[key] = { polluted: true }
    assert.deepEqual(Object.keys(record), ['__proto__'])
    assert.equal('polluted' in record, false)
    assert.equal('polluted' in {}, false)
  })

  it('shares nothing between records', () => {
    const first = new BareRecord<string>()
    first['a'] = '1'
    assert.deepEqual(Object.keys(new BareRecord()), [])
    assert.deepEqual(Reflect.ownKeys(Object.getPrototypeOf(first) ?? {}), [])
  })
})
