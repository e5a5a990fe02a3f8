import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseCookies, serializeCookie, type CookieOptions } from '#src/http/cookies.js'

describe('parseCookies()', () => {
  it('reads a header (RFC 6265 section 5.4)', () => {
    const cases: readonly (readonly [rule: string, header: string | undefined, values: Record<string, string>])[] = [
      ['absent', undefined, {}],
      ['empty', '', {}],
      ['one', 'a=1', { a: '1' }],
      ['several', 'a=1; b=2; c=3', { a: '1', b: '2', c: '3' }],
      ['without space', 'a=1;b=2', { a: '1', b: '2' }],
      ['space around', ' a = 1 ; b = 2 ', { a: '1', b: '2' }],
      ['tabs around', '\ta\t=\t1\t;\t b \t=2', { a: '1', b: '2' }],
      ['no other blank is one (section 5.2)', '\u00a0a=evil; a=1', { '\u00a0a': 'evil', a: '1' }],
      ['nor behind a name', 'a\u00a0=evil; a=1', { 'a\u00a0': 'evil', a: '1' }],
      ['nor around a value', 'a=\u00a01\u00a0; b=\v2\f', { a: '\u00a01\u00a0', b: '\v2\f' }],
      ['nor a byte order mark', '\ufeffa=evil; a=1', { '\ufeffa': 'evil', a: '1' }],
      ['blanks alone are no name', ' \t =1; a=1', { a: '1' }],
      ['empty value', 'a=', { a: '' }],
      ['no =', 'a; b=1', { b: '1' }],
      ['no name', '=1; b=2', { b: '2' }],
      ['= in the value', 'a=b=c==', { a: 'b=c==' }],
      ['the first of a repeated name', 'a=1; a=2', { a: '1' }],
      ['the first, though empty', 'a=; a=2', { a: '' }],
      ['names have a case', 'a=1; A=2', { a: '1', A: '2' }],
      ['quoted', 'a="1 2"', { a: '1 2' }],
      ['one quote', 'a="', { a: '"' }],
      ['quote not closed', 'a="1', { a: '"1' }],
      ['encoded', 'a=%C3%A4%3B', { a: 'ä;' }],
      ['decoded once', 'a=%2541', { a: '%41' }],
      ['encoded in quotes', 'a="%41"', { a: 'A' }],
      ['a broken value stays raw', 'a=%zz; b=100%; c=%C3', { a: '%zz', b: '100%', c: '%C3' }],
      ['names are not decoded', '%61=1', { '%61': '1' }],
      ['+ is a plus', 'a=1+1', { a: '1+1' }],
    ]
    for (const [rule, header, values] of cases) assert.deepEqual({ ...parseCookies(header) }, values, rule)
  })

  it('keeps names that would reach a prototype as any other', () => {
    const cookies = parseCookies('__proto__=1; constructor=2; toString=3')
    assert.deepEqual(Object.entries(cookies), [
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ])
  })
})

describe('serializeCookie()', () => {
  it('is safe unless told otherwise', () => {
    assert.equal(serializeCookie('a', '1'), 'a=1; Path=/; SameSite=Lax; Secure; HttpOnly')
  })

  it('writes attributes (RFC 6265 section 4.1)', () => {
    const cases: readonly (readonly [options: CookieOptions, text: string])[] = [
      [{ domain: 'example.com' }, 'a=1; Domain=example.com; Path=/; SameSite=Lax; Secure; HttpOnly'],
      [{ path: '/api' }, 'a=1; Path=/api; SameSite=Lax; Secure; HttpOnly'],
      [{ maxAge: 60 }, 'a=1; Path=/; Max-Age=60; SameSite=Lax; Secure; HttpOnly'],
      [{ maxAge: 0 }, 'a=1; Path=/; Max-Age=0; SameSite=Lax; Secure; HttpOnly'],
      [{ expires: new Date(0) }, 'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Lax; Secure; HttpOnly'],
      [{ sameSite: 'strict' }, 'a=1; Path=/; SameSite=Strict; Secure; HttpOnly'],
      [{ sameSite: 'none' }, 'a=1; Path=/; SameSite=None; Secure; HttpOnly'],
      [{ secure: false }, 'a=1; Path=/; SameSite=Lax; HttpOnly'],
      [{ httpOnly: false }, 'a=1; Path=/; SameSite=Lax; Secure'],
      [{ partitioned: true }, 'a=1; Path=/; SameSite=Lax; Secure; HttpOnly; Partitioned'],
      [{ partitioned: false }, 'a=1; Path=/; SameSite=Lax; Secure; HttpOnly'],
    ]
    for (const [options, text] of cases) assert.equal(serializeCookie('a', '1', options), text)
  })

  it('takes an option that is `undefined` for one that is not given', () => {
    const options: CookieOptions = {
      domain: undefined,
      expires: undefined,
      httpOnly: undefined,
      maxAge: undefined,
      partitioned: undefined,
      path: undefined,
      sameSite: undefined,
      secure: undefined,
    }
    assert.equal(serializeCookie('a', '1', options), serializeCookie('a', '1'))
  })

  it('removes a cookie at once, whatever lifetime is named beside', () => {
    assert.equal(
      serializeCookie('a', null, { path: '/x', maxAge: 60, expires: new Date(0) }),
      'a=; Path=/x; Max-Age=0; SameSite=Lax; Secure; HttpOnly',
    )
  })

  it('refuses a name that is no token', () => {
    for (const name of ['', 'a b', 'a=b', 'a;b', 'a\n', 'ä', '"a"', 'a,b']) {
      assert.throws(() => serializeCookie(name, '1'), { name: 'TypeError', message: /its name is not a token/ }, name)
    }
  })

  it('refuses attributes that would break the header', () => {
    for (const text of ['/;', '/; Domain=evil', '/\n', '/\r\nSet-Cookie: b=2', '/\0', '/ä', '\u007f']) {
      assert.throws(() => serializeCookie('a', '1', { path: text }), /Path holds ";" or a character outside ASCII/)
      assert.throws(() => serializeCookie('a', '1', { domain: text }), /Domain holds ";" or a character outside ASCII/)
    }
    for (const maxAge of [NaN, Infinity, 1.5, 2 ** 53]) {
      assert.throws(() => serializeCookie('a', '1', { maxAge }), /Max-Age .* is not a whole number/)
    }
  })

  it('refuses a date that is none', () => {
    assert.throws(() => serializeCookie('a', '1', { expires: new Date(NaN) }), {
      name: 'TypeError',
      message: 'Cannot set cookie "a": "expires" is not a valid date',
    })
  })

  it('refuses a value with half of a surrogate pair', () => {
    assert.throws(() => serializeCookie('a', '\ud800'), {
      name: 'TypeError',
      message: 'Cannot set cookie "a": its value holds half of a surrogate pair',
    })
  })

  it('writes what parseCookies() reads back, and nothing that ends the cookie', () => {
    const name = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,10}$/)
    const value = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (values) => {
        const pairs = Object.entries(values).map(([key, text]) => serializeCookie(key, text).split('; ')[0] ?? '')
        for (const pair of pairs) assert.match(pair, /^[\x21-\x7e]+$/)
        assert.deepEqual(Object.entries(parseCookies(pairs.join('; '))), Object.entries(values))
      }),
    )
  })
})
