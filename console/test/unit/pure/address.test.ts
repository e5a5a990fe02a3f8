/** Addresses of the page of the console. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatAddress, isKnownAddress, parseAddress, START } from '../../../page/pure/address.js'

describe('parseAddress()', () => {
  it('parses view, id, tab and filter', () => {
    assert.deepEqual(parseAddress('#/requests/r_3d4?tab=timing&q=status%3A5xx'), {
      ...START,
      id: 'r_3d4',
      tab: 'timing',
      q: 'status:5xx',
    })
    assert.deepEqual(parseAddress('/routes/Users.get'), { ...START, view: 'routes', id: 'Users.get' })
  })

  it('returns the list of requests for an empty or unknown address', () => {
    for (const hash of ['', '#', '#/', '#/nowhere', '#/nowhere/r_1', '#nonsense'])
      assert.deepEqual(parseAddress(hash), START, hash)
    assert.deepEqual(parseAddress('#/logs/a'), { ...START, view: 'logs' })
  })

  it('keeps invalid percent-encoding unchanged', () => {
    assert.equal(parseAddress('#/requests/%zz').id, '%zz')
  })
})

describe('formatAddress()', () => {
  it('omits default values', () => {
    assert.equal(formatAddress({}), '#/requests')
    assert.equal(formatAddress({ view: 'logs' }), '#/logs')
    assert.equal(formatAddress({ id: 'a/b', tab: 'error' }), '#/requests/a%2Fb?tab=error')
  })

  it('formats addresses that parse to the same value', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    const id = fc.option(text)
    const view = fc.constantFrom('requests', 'routes')
    const address = fc.record({ view, id, tab: text, q: text }, { noNullPrototype: true })
    fc.assert(fc.property(address, (it) => assert.deepEqual(parseAddress(formatAddress(it)), { ...START, ...it })))
  })
})

describe('parseAddress(): level and sort', () => {
  it('reads what formatAddress() writes', () => {
    const address = { ...START, view: 'logs', level: 'warn', sort: '-Size' } as const
    assert.equal(formatAddress(address), '#/logs?level=warn&sort=-Size')
    assert.deepEqual(parseAddress(formatAddress(address)), address)
    assert.deepEqual(parseAddress('#/logs?level=&sort='), { ...START, view: 'logs' })
  })
})

describe('isKnownAddress()', () => {
  it('accepts views, details and the empty hash', () => {
    for (const hash of ['', '#', '#/', '#/logs', '#/requests/r_1?q=a']) assert.ok(isKnownAddress(hash), hash)
    for (const hash of ['#/nowhere', '#nonsense', '#/constructor', '#/logs/r_1', '#/health/a/b'])
      assert.ok(!isKnownAddress(hash), hash)
  })
})
