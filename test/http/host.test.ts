import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isHost } from '#src/http/host.js'

describe('isHost()', () => {
  it('takes host[:port] (RFC 9110 section 7.2)', () => {
    const hosts = [
      'localhost',
      'example.com',
      'EXAMPLE.com.',
      'a-b_c.d~e',
      'example.com:80',
      'example.com:',
      '127.0.0.1:65535',
      '[::1]',
      '[::1]:3000',
      '[2001:db8::7]:',
      '[::ffff:127.0.0.1]',
      'xn--bcher-kva.example',
      'a%20b',
      "!$&'()*+,;=",
    ]
    for (const host of hosts) assert.equal(isHost(host), true, host)
  })

  it('refuses what is no host', () => {
    const cases: readonly (readonly [rule: string, value: string])[] = [
      ['empty', ''],
      ['port alone', ':80'],
      ['port that is no number', 'a:b'],
      ['port with a sign', 'a:-1'],
      ['port of six digits', 'a:655360'],
      ['two ports', 'a:1:2'],
      ['userinfo', 'user@a'],
      ['path', 'a/b'],
      ['query', 'a?b'],
      ['fragment', 'a#b'],
      ['backslash', 'a\\b'],
      ['space inside', 'a b'],
      ['space before', ' a'],
      ['line feed behind', 'a\n'],
      ['list', 'a, b'],
      ['beyond ASCII', 'b\u00fccher.example'],
      ['IPv6 without brackets', '::1'],
      ['bracket not closed', '[::1'],
      ['bracket not opened', '::1]'],
      ['nothing in brackets', '[]'],
      ['name in brackets', '[example]'],
      ['text behind the bracket', '[::1]a'],
      ['bracket inside', 'a[::1]'],
      ['zone', '[fe80::1%25en0]'],
    ]
    for (const [rule, value] of cases) assert.equal(isHost(value), false, rule)
  })

  it('answers the same when asked again, whatever was asked in between', () => {
    for (const [value, expected] of [
      ['a', true],
      ['a', true],
      ['a@b', false],
      ['a', true],
      ['a@b', false],
      ['b', true],
      ['a', true],
    ] as const) {
      assert.equal(isHost(value), expected, value)
    }
  })

  it('takes time linear in the length', () => {
    for (const value of ['a'.repeat(1_000_000) + '@', '['.repeat(1_000_000), ':'.repeat(1_000_000)]) {
      assert.equal(isHost(value), false)
    }
  })
})
