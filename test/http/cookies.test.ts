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

  it('stores names such as __proto__ like any other name', () => {
    const cookies = parseCookies('__proto__=1; constructor=2; toString=3')
    assert.deepEqual(Object.entries(cookies), [
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ])
  })
})

const PATH = '"path" of the cookie "a": it must be an ASCII path that starts with "/", without ";", not '
const DOMAIN = '"domain" of the cookie "a": it must be a host name without a port, not '
const SAME_SITE = `"sameSite" of the cookie "a": it must be 'strict', 'lax' or 'none', not `
const MAX_AGE = '"maxAge" of the cookie "a": it must be an integer of seconds, not '
const EXPIRES = '"expires" of the cookie "a": it must be a valid Date from the year 1601 to 9999, not '

/** Options that browsers would ignore, or take for something else. */
const INVALID: readonly (readonly [options: unknown, reason: string])[] = [
  ...['', 'x', '../x', '/;', '/; Domain=evil', '/\n', '/\r\nSet-Cookie: b=2', '/\0', '/\u00e4', '/a ', '\u007f'].map(
    (path) => [{ path }, PATH + JSON.stringify(path)] as const,
  ),
  [{ path: `/${'x'.repeat(1024)}` }, `${PATH}"/${'x'.repeat(99)}"`],
  [{ path: 5 }, `${PATH}5`],
  ...['', 'my site', 'a.example:80', 'https://a.example', 'a.example/', 'a..b', 'b\u00fccher.example', '.', '*.a'].map(
    (domain) => [{ domain }, DOMAIN + JSON.stringify(domain)] as const,
  ),
  [{ domain: `${'x'.repeat(1025)}` }, `${DOMAIN}"${'x'.repeat(100)}"`],
  [{ domain: null }, `${DOMAIN}null`],
  ...['Strict', 'LAX', 'toString', ''].map((sameSite) => [{ sameSite }, SAME_SITE + JSON.stringify(sameSite)] as const),
  [{ sameSite: true }, `${SAME_SITE}true`],
  ...[Number.NaN, Infinity, 1.5, 2 ** 53].map((maxAge) => [{ maxAge }, `${MAX_AGE}${maxAge}`] as const),
  [{ maxAge: 'x' }, `${MAX_AGE}a string of length 1`],
  [{ maxAge: '60' }, `${MAX_AGE}a string of length 2`],
  [{ maxAge: 60n }, `${MAX_AGE}60`],
  [{ expires: new Date(Number.NaN) }, `${EXPIRES}a plain object`],
  [{ expires: new Date(8.64e15) }, `${EXPIRES}a plain object`],
  [{ expires: new Date(-12e12) }, `${EXPIRES}a plain object`],
  [{ expires: 'tomorrow' }, `${EXPIRES}a string of length 8`],
  [{ expires: 1e12 }, `${EXPIRES}1000000000000`],
  [{ expires: { getTime: () => 0, toUTCString: () => 'a\r\nb' } }, `${EXPIRES}a plain object`],
  [{ secure: 'false' }, '"secure" of the cookie "a": it must be true or false, not a string of length 5'],
  [{ httpOnly: 0 }, '"httpOnly" of the cookie "a": it must be true or false, not 0'],
  [{ partitioned: null }, '"partitioned" of the cookie "a": it must be true or false, not null'],
  [
    { samesite: 'none' },
    '"samesite" of the cookie "a": it is unknown. Did you mean "sameSite"? Valid options are domain, expires, httpOnly, maxAge, partitioned, path, sameSite, secure',
  ],
  ['x', 'its options must be an object, not a string'],
  [null, 'its options must be an object, not null'],
  [[], 'its options must be an object, not an array'],
]

/** Options of a name that browsers drop together (RFC 6265bis section 5.7). */
const CONFLICTS: readonly (readonly [name: string, options: CookieOptions, reason: string])[] = [
  ['a', { sameSite: 'none', secure: false }, `"sameSite: 'none'" requires "secure: true"`],
  ['a', { partitioned: true, secure: false }, '"partitioned: true" requires "secure: true"'],
  ...['__Secure-', '__Host-', '__Http-', '__Host-Http-', '__secure-', '__HOST-'].map(
    (prefix) =>
      [`${prefix}a`, { secure: false }, `the prefix "${prefix.toLowerCase()}" requires "secure: true"`] as const,
  ),
  ...['__Host-', '__host-', '__Host-Http-'].flatMap((prefix) => [
    [
      `${prefix}a`,
      { domain: 'a.example' },
      `the prefix "${prefix.toLowerCase()}" does not allow a domain. Remove "domain"`,
    ] as const,
    [`${prefix}a`, { path: '/x' }, `the prefix "${prefix.toLowerCase()}" requires "path: '/'"`] as const,
  ]),
  ...['__Http-', '__Host-Http-'].map(
    (prefix) =>
      [`${prefix}a`, { httpOnly: false }, `the prefix "${prefix.toLowerCase()}" requires "httpOnly: true"`] as const,
  ),
]

describe('serializeCookie()', () => {
  it('uses secure attributes by default', () => {
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

  it('treats an option that is `undefined` as missing', () => {
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

  it('removes a cookie immediately, even if the options set a lifetime', () => {
    assert.equal(
      serializeCookie('a', null, { path: '/x', maxAge: 60, expires: new Date(0) }),
      'a=; Path=/x; Max-Age=0; SameSite=Lax; Secure; HttpOnly',
    )
  })

  it('rejects a name that is not a token', () => {
    for (const name of ['', 'a b', 'a=b', 'a;b', 'a\n', 'ä', '"a"', 'a,b']) {
      assert.throws(
        () => serializeCookie(name, '1'),
        { name: 'TypeError', message: /its name must be an HTTP token/ },
        name,
      )
    }
  })

  it('rejects options that browsers would ignore, and names the value', () => {
    for (const [options, reason] of INVALID) {
      for (const value of ['1', null]) {
        assert.throws(
          // Proof: as untyped code would pass it.
          () => serializeCookie('a', value, options as CookieOptions),
          (error) => error instanceof TypeError && error.message.includes(reason),
          reason,
        )
      }
    }
  })

  it('rejects a combination of name and options that browsers drop', () => {
    for (const [name, options, reason] of CONFLICTS) {
      for (const value of ['1', null]) {
        assert.throws(
          () => serializeCookie(name, value, options),
          { name: 'TypeError', message: `Cannot set cookie "${name}": ${reason}` },
          name,
        )
      }
    }
  })

  it('accepts every prefix with the attributes that it requires', () => {
    const domain = { domain: 'a.example', path: '/x' }
    assert.match(serializeCookie('__Secure-a', '1', domain), /^__Secure-a=1; Domain=a.example; Path=\/x/)
    assert.match(serializeCookie('__Http-a', '1', domain), /^__Http-a=1; Domain/)
    for (const name of ['__Host-a', '__Host-Http-a']) assert.match(serializeCookie(name, '1'), /Path=\/; .*Secure/)
    assert.match(serializeCookie('__Host-a', '1', { httpOnly: false, sameSite: 'none', partitioned: true }), /None/)
    assert.match(serializeCookie('__Hosta', '1', { secure: false }), /^__Hosta=1/)
  })

  it('accepts 4096 bytes with attributes, and not one more', () => {
    const rest = serializeCookie('a', '').length
    assert.equal(serializeCookie('a', 'x'.repeat(4096 - rest)).length, 4096)
    assert.throws(() => serializeCookie('a', 'x'.repeat(4097 - rest)), {
      name: 'TypeError',
      message:
        'Cannot set cookie "a": it has 4097 bytes with its attributes, and the maximum is 4096. Store less in it',
    })
    assert.throws(() => serializeCookie('a', '\u00e4'.repeat(1000)), /it has 6\d{3} bytes/)
  })

  it('reads each option once, so that a getter cannot change it after the check', () => {
    let reads = 0
    const options = {
      get domain(): string {
        reads++
        return reads === 1 ? 'a.example' : 'a\r\nSet-Cookie: b=1'
      },
    }
    assert.match(serializeCookie('a', '1', options), /^a=1; Domain=a.example; Path=\/; SameSite=Lax; Secure; HttpOnly$/)
    assert.equal(reads, 1)
  })

  it('rejects a value with half of a surrogate pair', () => {
    assert.throws(() => serializeCookie('a', '\ud800'), {
      name: 'TypeError',
      message: 'Cannot set cookie "a": its value must be a well-formed string, without unpaired surrogates',
    })
  })

  it('writes values that parseCookies() reads back, without characters that end the cookie', () => {
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
