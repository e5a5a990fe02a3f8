/** Keys that identify the client of a request. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digestKey } from '#src/features/limits/limit-key.js'

describe('digestKey()', () => {
  it('returns a digest of fixed length for strings of any length', () => {
    for (const text of ['a', 'a'.repeat(100_000)]) assert.match(digestKey(text) ?? '', /^[\w-]{43}$/)
  })

  it('returns different digests for different keys, even if their parts concatenate to the same string', () => {
    const different = [
      'a',
      'b',
      ['a', 'b'],
      ['a,b'],
      ['a"', 'b'],
      ['a', '"b'],
      ['ab'],
      ['a', 'b', 'c'],
      '["a"]',
      7,
      [7, 7],
    ]
    assert.equal(new Set(different.map(digestKey)).size, different.length)
  })

  it('treats numbers and one-element arrays as strings', () => {
    assert.equal(digestKey(7), digestKey('7'))
    assert.equal(digestKey(7n), digestKey('7'))
    assert.equal(digestKey(['ada']), digestKey('ada'))
    assert.notEqual(digestKey(0), null)
  })

  it('returns null if the key or a part of it is missing or invalid', () => {
    const nothings = [
      undefined,
      null,
      '',
      Number.NaN,
      Infinity,
      true,
      {},
      Symbol('a'),
      [],
      [''],
      ['a', ''],
      ['a', undefined],
    ]
    for (const nothing of nothings) assert.equal(digestKey(nothing), null)
  })

  it('reduces an IPv6 address to its network, also in an array', () => {
    assert.equal(digestKey('2001:db8::1'), digestKey('2001:db8:0:0:ffff::2'))
    assert.equal(digestKey(['2001:db8::1', 'ada']), digestKey(['2001:DB8::2', 'ada']))
    assert.notEqual(digestKey('2001:db8::1'), digestKey('2001:db8:0:1::1'))
    // As in `Forwarded`, `Host` and URLs (RFC 7239 section 6).
    assert.equal(digestKey('[2001:db8::1]'), digestKey('2001:db8::2'))
    assert.equal(digestKey('[2001:db8::1]:4711'), digestKey('[2001:db8::2]:4712'))
    assert.equal(digestKey('::ffff:192.0.2.7'), digestKey('192.0.2.7'))
    assert.notEqual(digestKey('192.0.2.7'), digestKey('192.0.2.8'))
    // These strings only begin with an address.
    assert.notEqual(digestKey('2001:db8::1 a'), digestKey('2001:db8::2 a'))
  })
})
