import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCredentials, TOKEN68 } from '#src/features/auth/authorization.js'

describe('parseCredentials()', () => {
  it('returns the credentials after the scheme, and null for a different scheme', () => {
    const cases: readonly (readonly [header: string | undefined, credentials: string | null])[] = [
      [undefined, null],
      ['', null],
      ['Bea', null],
      ['Bearer', ''],
      ['Bearer ', ''],
      ['Bearer a', 'a'],
      ['bEARER a', 'a'],
      ['Bearer    a', 'a'],
      ['Bearer a b', 'a b'],
      ['Bearer a ', 'a '],
      ['Bearer\ta', null],
      ['Bearers a', null],
      ['Bearer=a', null],
      [' Bearer a', null],
      ['Basic a', null],
      ['Basic a, Bearer b', null],
    ]
    for (const [header, credentials] of cases)
      assert.equal(parseCredentials(header, 'bearer'), credentials, String(header))
  })
})

describe('TOKEN68', () => {
  it('accepts only the characters of a token68 (RFC 9110 section 11.2)', () => {
    for (const text of ['a', 'A.b-C_d~e+f/0', 'a=', 'a==', 'a=====']) assert.equal(TOKEN68.test(text), true, text)
    for (const text of ['', '=', 'a b', 'a,b', 'a=b', ' a', 'a ', 'ä', 'a\n', '"a"']) {
      assert.equal(TOKEN68.test(text), false, text)
    }
  })
})
