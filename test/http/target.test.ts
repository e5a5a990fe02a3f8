import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HOST, parseTarget, parseForm, parseQuery } from '#src/http/target.js'
import { HttpError } from '#src/errors/http-error.js'

describe('parseTarget()', () => {
  it('reads the three forms of a target (RFC 9112 section 3.2)', () => {
    const cases: readonly (readonly [target: string, path: string, query: string, authority: string | undefined])[] = [
      ['/', '/', '', undefined],
      ['/users/7?a=1&b=2', '/users/7', 'a=1&b=2', undefined],
      ['/a?', '/a', '', undefined],
      ['/a?b?c', '/a', 'b?c', undefined],
      ['/?/../x', '/', '/../x', undefined],
      ['*', '*', '', undefined],
      ['http://host/a?b', '/a', 'b', 'host'],
      ['HTTPS://host:8080/a', '/a', '', 'host:8080'],
      ['http://host', '/', '', 'host'],
      ['http://host?b', '/', 'b', 'host'],
      ['http://user@host/a', '/a', '', 'user@host'],
    ]
    for (const [target, path, query, authority] of cases) {
      assert.deepEqual(parseTarget(target), { path, query, authority }, target)
    }
  })

  it('rejects every other form', () => {
    for (const target of [
      '',
      'a',
      'a/b',
      '**',
      '*/a',
      'host:443',
      'ftp://host/',
      'http:/host',
      'http:///a',
      '?a',
      '.',
    ]) {
      assert.match(String(parseTarget(target)), /must be a path or an absolute URL/, target)
    }
  })

  it('normalizes only the case of percent-encodings', () => {
    const cases: readonly (readonly [sent: string, path: string])[] = [
      ['//', '//'],
      ['/a//b/', '/a//b/'],
      ['/A/a', '/A/a'],
      ['/%61dmin', '/%61dmin'],
      ['/a%2fb', '/a%2Fb'],
      ['/%c3%a4%C3%A4%c3%A4', '/%C3%A4%C3%A4%C3%A4'],
      ['/%2E1', '/%2E1'],
      ['/a;b=1', '/a;b=1'],
      ['/%7e%4a', '/%7E%4A'],
    ]
    for (const [sent, path] of cases) {
      const target = parseTarget(sent)
      assert.equal(typeof target === 'string' ? target : target.path, path, sent)
    }
  })

  it('does not change percent-encodings in a query', () => {
    assert.deepEqual(parseTarget('/a%2f?b=%2f'), { path: '/a%2F', query: 'b=%2f', authority: undefined })
  })

  it('rejects a "." or ".." segment, plain or encoded, at any position', () => {
    const dots = ['.', '..', '%2e', '%2E', '%2e%2E', '.%2e', '%2E.']
    for (const dot of dots) {
      for (const target of [`/${dot}`, `/a/${dot}`, `/${dot}/a`, `/a/${dot}/b?c`, `http://host/${dot}`]) {
        assert.match(String(parseTarget(target)), /"." or ".." segment/, target)
      }
    }
  })

  it('accepts dots that are not a complete segment', () => {
    for (const target of [
      '/...',
      '/.a',
      '/a.',
      '/a..b',
      '/..a',
      '/%2e%2e%2e',
      '/%2ea',
      '/a/.well-known',
      '/a?x=/../',
    ]) {
      assert.equal(typeof parseTarget(target), 'object', target)
    }
  })

  it('rejects characters that must be percent-encoded in path and query', () => {
    for (let code = 0; code < 0x100; code++) {
      const char = String.fromCharCode(code)
      const isForbidden = code <= 0x20 || code >= 0x7f || char === '#' || char === '\\'
      if (char === '%') continue
      for (const target of [`/a${char}b`, `/a?b${char}c`]) {
        assert.equal(typeof parseTarget(target), isForbidden ? 'string' : 'object', `code ${code}`)
      }
    }
    for (const char of ['\u0100', '\u2028', '😀', '\ud800']) {
      assert.match(String(parseTarget(`/${char}`)), /percent-encoded/)
    }
  })

  it('rejects broken percent-encodings, and bytes that are not UTF-8', () => {
    const cases: readonly (readonly [rule: string, text: string])[] = [
      ['no digits', '%'],
      ['one digit', '%4'],
      ['no hexadecimal digit', '%zz'],
      ['half a digit', '%4g'],
      ['IIS style', '%u0041'],
      ['lone continuation byte', '%80'],
      ['sequence cut short', '%C3'],
      ['sequence cut by a slash', '%C3/%A4'],
      ['overlong slash', '%C0%AF'],
      ['overlong dot, three bytes', '%E0%80%AE'],
      ['overlong NUL', '%C0%80'],
      ['surrogate', '%ED%A0%80'],
      ['beyond U+10FFFF', '%F4%90%80%80'],
      ['byte that never stands in UTF-8', '%FF'],
    ]
    for (const [rule, text] of cases) {
      for (const target of [`/${text}`, `/a?b=${text}`]) {
        assert.match(String(parseTarget(target)), /contains an invalid percent-encoding/, rule)
      }
    }
  })

  it('rejects an encoded NUL in the path', () => {
    assert.match(String(parseTarget('/a%00')), /NUL/)
  })

  it('returns a valid target unchanged, except for the case of percent-encodings', () => {
    const text = fc.string({ unit: fc.constantFrom(...'/.%?#aA2eEfF0\\ \u00e4&=:') })
    fc.assert(
      fc.property(text, (tail) => {
        const target = parseTarget(`/${tail}`)
        if (typeof target === 'string') return
        const [path = '', ...query] = `/${tail}`.split('?')
        assert.equal(target.path.toLowerCase(), path.toLowerCase())
        assert.equal(target.query, query.join('?'))
        assert.doesNotThrow(() => decodeURIComponent(target.path + target.query))
        for (const segment of decodeURIComponent(target.path).split('/')) assert.doesNotMatch(segment, /\0/)
        for (const segment of target.path.split('/')) assert.doesNotMatch(decodeURIComponent(segment), /^\.\.?$/)
        assert.deepEqual(parseTarget(target.path), { ...target, query: '' })
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('HOST', () => {
  it('accepts host[:port] (RFC 9110 section 7.2)', () => {
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
    for (const host of hosts) assert.equal(HOST.test(host), true, host)
  })

  it('rejects values that are not a host', () => {
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
    for (const [rule, value] of cases) assert.equal(HOST.test(value), false, rule)
  })

  it('returns the same result for repeated values', () => {
    for (const [value, expected] of [
      ['a', true],
      ['a', true],
      ['a@b', false],
      ['a', true],
      ['a@b', false],
      ['b', true],
      ['a', true],
    ] as const) {
      assert.equal(HOST.test(value), expected, value)
    }
  })

  it('takes linear time for long strings', () => {
    for (const value of ['a'.repeat(1_000_000) + '@', '['.repeat(1_000_000), ':'.repeat(1_000_000)]) {
      assert.equal(HOST.test(value), false)
    }
  })
})

describe('parseQuery()', () => {
  it('reads pairs (WHATWG URL, section 5.1)', () => {
    const cases: readonly (readonly [rule: string, text: string, values: Record<string, string | string[]>])[] = [
      ['nothing', '', {}],
      ['one pair', 'a=1', { a: '1' }],
      ['no value', 'a', { a: '' }],
      ['empty value', 'a=', { a: '' }],
      ['empty key', '=1', { '': '1' }],
      ['the first = splits', 'a=b=c', { a: 'b=c' }],
      ['empty pairs are none', '&&a=1&&b=2&', { a: '1', b: '2' }],
      ['+ is a space', 'a+b=c+d', { 'a b': 'c d' }],
      ['%2B is a plus', 'a=%2B+%2B', { a: '+ +' }],
      ['decoded once', 'a=%2541', { a: '%41' }],
      ['decoded after splitting', 'a=%26b%3D1', { a: '&b=1' }],
      ['keys are decoded', '%61=1&a=2', { a: ['1', '2'] }],
      ['repeated keys in the order sent', 'a=1&b=x&a=2&a=', { a: ['1', '2', ''], b: 'x' }],
      ['brackets mean nothing', 'a[b]=1&a[]=2', { 'a[b]': '1', 'a[]': '2' }],
      ['; does not split', 'a=1;b=2', { a: '1;b=2' }],
      ['a question mark is a character', '?a=1', { '?a': '1' }],
    ]
    for (const [rule, text, values] of cases) assert.deepEqual({ ...parseQuery(text, 1_000) }, values, rule)
  })

  it('stores keys such as __proto__ like any other key', () => {
    const query = parseQuery('__proto__=1&constructor=2&__proto__=3&toString=4&hasOwnProperty=5', 1_000)
    assert.deepEqual(Object.keys(query), ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(Object.values(query)[0], ['1', '3'])
    assert.equal('valueOf' in query, false)
    assert.equal(Reflect.get({}, '1'), undefined)
  })

  it('rejects one pair more than the maximum', () => {
    assert.deepEqual(parseQuery('a&a&&&b', 3)['a'], ['', ''])
    assert.throws(
      () => parseQuery('a&a&b&c', 3),
      (error) => error instanceof HttpError && error.status === 400 && /more than 3 values/.test(error.message),
    )
    assert.throws(() => parseQuery('a', 0), { status: 400 })
  })

  it('stops reading at the maximum', () => {
    assert.throws(() => parseQuery('a&'.repeat(5_000_000), 1_000), { status: 400 })
  })

  it('reads valid input like URLSearchParams', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '+', '&', '=', '%', 'é', '😀', '[', ']', '\0'),
      maxLength: 3,
    })
    const soundPart = word.map((text) => encodeURIComponent(text).replaceAll('%20', '+'))
    const part = fc.oneof(soundPart, fc.constantFrom('', '=', '&', '+', 'a', '='))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        const query = parseQuery(text, 1_000)
        const expected = new URLSearchParams(text)
        assert.deepEqual(new Set(Object.keys(query)), new Set(expected.keys()))
        for (const [key, value] of Object.entries(query)) assert.deepEqual([value].flat(), expected.getAll(key))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('parseForm()', () => {
  it('reads the same syntax as parseQuery()', () => {
    assert.deepEqual({ ...parseForm('a=1&a=%C3%A4+b&c', 10) }, { a: ['1', 'ä b'], c: '' })
    assert.throws(() => parseForm('a&b', 1), { status: 400, message: /more than 1 values/ })
  })

  it('rejects broken percent-encodings', () => {
    for (const text of ['a=%', 'a=%zz', '%C3=1', 'a=%ED%A0%80']) {
      assert.throws(
        () => parseForm(text, 10),
        { name: 'HttpError', status: 400, message: /contains an invalid percent-encoding/ },
        text,
      )
    }
  })
})
