import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SecretValues } from '#src/secrets/secret-values.js'
import { assertLinear } from '#test/processor-time.js'

function knowing(...values: unknown[]): SecretValues {
  const known = new SecretValues()
  for (const value of values) known.add(value)
  return known
}

describe('SecretValues', () => {
  it('hides a value anywhere in a string, also URL-encoded and JSON-escaped', () => {
    const known = knowing('a/b "c"')
    assert.equal(known.hide('is a/b "c", a%2Fb%20%22c%22'), 'is redacted, redacted')
    assert.equal(known.hide(JSON.stringify({ note: 'a/b "c"' })), '{"note":"redacted"}')
    assert.equal(knowing('hunter2x').hide('prehunter2xpost hunter2x'), 'preredactedpost redacted')
    assert.equal(knowing('hunt\ud800').hide('hunt\ud800'), 'redacted')
  })

  it('hides the longer of two overlapping values first', () => {
    assert.equal(knowing('hunter22', 'hunter2233').hide('hunter2233 hunter22'), 'redacted redacted')
  })

  it('hides values of 4 to 7 characters only as whole words, and ignores shorter values and common words', () => {
    const known = knowing('1234', 'abcd', 'abc', 7, true, null, undefined, 'password', 'True', ' ')
    assert.equal(known.size, 2)
    assert.equal(
      known.hide('1234 12345 x1234 (1234) abcd abcde äabcd abcd'),
      'redacted 12345 x1234 (redacted) redacted abcde äabcd redacted',
    )
  })

  it('hides the start of a long value that was cut off', () => {
    const long = 'k3y'.repeat(500)
    assert.equal(knowing(long).hide(`is ${long.slice(0, 90)}… of ${long}`), 'is redacted… of redacted')
  })

  it('recognizes secret numbers', () => {
    const known = knowing(123_456, 7_777n)
    assert.deepEqual([known.isNumber(123_456), known.isNumber(7_777n), known.isNumber(1)], [true, true, false])
    assert.equal(knowing().isNumber(1), false)
  })

  it('remembers values inside objects and arrays up to a limit, without calling getters', () => {
    const touchy = {
      deep: [{ word: 'hunter22', count: 98_765, on: true }],
      get broken(): never {
        throw new Error('A getter ran')
      },
    }
    const proxy = new Proxy({}, { ownKeys: () => assert.fail('no') })
    const known = knowing(touchy, proxy, { a: { b: { c: { d: { e: { f: 'tooDeep99' } } } } } })
    assert.equal(known.hide('hunter22 98765 tooDeep99'), 'redacted redacted tooDeep99')
    assert.equal(knowing(Array.from({ length: 50 }, (_, index) => `value${index}x`)).size, 20)
    assert.equal(knowing(...Array.from({ length: 500 }, (_, index) => `value${index}x`)).size, 100)
  })

  it('remembers the credentials of a header, and the password of basic credentials', () => {
    const known = new SecretValues()
    known.addField('Bearer t0ken-1')
    known.addField('plainkey')
    known.addField(`basic ${Buffer.from('ann:hunter:22').toString('base64')}`)
    known.addField(7)
    assert.equal(known.hide('ann t0ken-1 plainkey hunter:22 Bearer'), 'ann redacted redacted redacted Bearer')
  })

  it('remembers cookies with a secret name, and long cookies', () => {
    const known = new SecretValues()
    known.addCookie('dark', false)
    known.addCookie('abcd', true)
    known.addCookie('0123456789abcdef', false)
    assert.equal(known.hide('dark abcd 0123456789abcdef'), 'dark redacted redacted')
  })

  it('takes time linear in the length of the string', () => {
    const known = knowing(...Array.from({ length: 100 }, (_, index) => `${'a'.repeat(40)}${index}b${'a'.repeat(200)}`))
    const prepare = (size: number) => {
      const text = 'a'.repeat(size)
      return () => void known.hide(text)
    }
    assertLinear(200_000, prepare)
  })
})
