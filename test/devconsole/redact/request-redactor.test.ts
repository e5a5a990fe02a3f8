import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { Secrets } from '#src/secrets/secrets.js'

const hider = new RequestRedactor(new Secrets({ keys: ['birthday'] }))
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

describe('RequestRedactor', () => {
  it('redacts secrets of the request in keys and numbers', () => {
    const own = hider.ofRequest()
    own.values.add('hunter-2-hunter')
    assert.equal(own.json('{"a":{"hunter-2-hunter":1,"b":[2]}}'), '{"a":{"redacted":1,"b":[2]}}')
    assert.deepEqual(own.value({ a: { 'hunter-2-hunter': 1, b: 2 } }), { a: { redacted: 1, b: 2 } })
    own.values.add(123_456)
    assert.equal(own.json('{"a":[123456,1]}'), '{"a":["redacted",1]}')
    assert.deepEqual(own.value([123_456, 1]), ['redacted', 1])
  })

  it('redacts secrets in strings by their format and by the preceding name', () => {
    assert.equal(hider.hide('nothing here'), 'nothing here')
    assert.equal(hider.hide(`a ${JWT} b`), 'a redacted b')
    assert.equal(hider.hide('GET /x?token=abc&page=2'), 'GET /x?token=redacted&page=2')
    assert.equal(hider.hide('access%5Ftoken=abc'), 'access%5Ftoken=redacted')
    assert.equal(hider.hide('a=1 %zz=2'), 'a=1 %zz=2')
    assert.equal(hider.hide('postgres://me:pass@db/x'), 'postgres://redacted@db/x')
  })

  it('redacts secrets in queries and forms, and leaves the remaining text unchanged', () => {
    assert.equal(hider.query(''), '')
    assert.equal(hider.query('a=1&b=%20+x&flag'), 'a=1&b=%20+x&flag')
    assert.equal(
      hider.query('Pass-Word=x&user%5Bpassword%5D=y&user.pin=1'),
      'Pass-Word=redacted&user%5Bpassword%5D=redacted&user.pin=redacted',
    )
    assert.equal(hider.query('next=Bearer+abcdef'), 'next=redacted')
    assert.equal(hider.query('birthday=2000-01-01&%zz=1'), 'birthday=redacted&%zz=1')
  })

  it('redacts secrets in percent-encoded text', () => {
    assert.equal(hider.query('%7B%22pin%22%3A1234%7D'), '{"pin":redacted}')
    assert.equal(hider.query('q=%7B%22pin%22%3A1234%7D&a%20b'), 'q=redacted&a%20b')
    assert.equal(hider.path('/links/a%20b', { link: 'a b' }, '/links/{link}'), '/links/a%20b')
    const secret = '/links/http%3A%2F%2Fme%3Apass%40host'
    assert.equal(hider.path(secret, { link: 'http://me:pass@host' }, '/links/{link}'), '/links/{link}')
    assert.equal(hider.path(secret, {}, null), '/links/http://redacted@host')
  })

  it('does not cache values that contain a secret', () => {
    const own = new RequestRedactor(new Secrets())
    for (let round = 0; round < 2; round++) assert.equal(own.known('x?token=abc'), 'x?token=redacted')
  })

  it('redacts secrets in headers by name and by format', () => {
    const fields = [
      ['Authorization', 'Basic abc'],
      ['cookie', 'a=b'],
      ['x-session-id', 'redacted'],
      ['sessionid', 'abc'],
      ['referer', 'http://a/?token=abc&x=1'],
      ['accept', '*/*'],
      ['gone', undefined],
    ] as const
    const expected = [
      ['Authorization', 'redacted'],
      ['cookie', 'redacted'],
      ['x-session-id', 'redacted'],
      ['sessionid', 'redacted'],
      ['referer', 'http://a/?token=redacted&x=1'],
      ['accept', '*/*'],
    ]
    assert.deepEqual(hider.headers(fields), expected)
    assert.deepEqual(hider.headers(fields), expected)
  })

  it('caches a limited number of values, and no long values', () => {
    for (let value = 0; value < 2_500; value++)
      assert.deepEqual(hider.headers([['a', `v${value}`]]), [['a', `v${value}`]])
    const long = 'x'.repeat(10_000)
    assert.equal(hider.headers([['a', long]])[0]?.[1].length, 4_096)
  })

  it('caches a limited number of names, and still recognizes secret names', () => {
    for (let name = 0; name < 1_500; name++) hider.headers([[`x-${name}`, 'v']])
    assert.deepEqual(hider.headers([['authorization', 'Basic abc']]), [['authorization', 'redacted']])
  })

  it('shares equal lines and equal lists of headers, but no lines with a secret of the request', () => {
    const shared = new RequestRedactor(new Secrets())
    const lines = ['content-type', 'text/plain', 'authorization', 'Bearer abc']
    const first = shared.ofRequest().headerLines(lines)
    assert.deepEqual(first, [
      ['content-type', 'text/plain'],
      ['authorization', 'redacted'],
    ])
    assert.equal(shared.ofRequest().headerLines([...lines]), first)
    const other = shared.ofRequest().headers([['content-type', 'text/html']])
    assert.deepEqual(other, [['content-type', 'text/html']])
    const own = shared.ofRequest()
    own.values.add('text/html')
    assert.deepEqual(own.headerLines(['content-type', 'text/html']), [['content-type', 'redacted']])
    assert.deepEqual(shared.headerLines(['content-type', 'text/html']), other)
    assert.deepEqual(shared.headerLines(['content-type', 'redacted']), [['content-type', 'redacted']])
    const many = Array.from({ length: 40 }, (_, index) => [`x-${index}`, 'v'] as const)
    assert.notEqual(shared.headers(many), shared.headers(many))
    const long = 'x'.repeat(250)
    assert.deepEqual(shared.headerLines([long, 'a']), [['x'.repeat(200), 'a']])
    assert.deepEqual(shared.headerLines([long.slice(0, 200), 'b']), [['x'.repeat(200), 'b']])
  })

  it('keeps a header secret after the same name had another value, in any case', () => {
    for (const value of ['Bearer abc', 'redacted', 'def']) {
      assert.deepEqual(hider.headerLines(['X-Api-Key', value, 'x-api-key', value]), [
        ['X-Api-Key', 'redacted'],
        ['x-api-key', 'redacted'],
      ])
    }
  })

  it('finds secrets in every kind of JSON value', () => {
    const own = hider.ofRequest()
    own.values.add(['hunter2x', 4711])
    for (const text of ['"hunter2x"', '[1,["hunter2x"]]', '{"a":4711}', '{"hunter2x":1}', '{"a":{"pin":[1]}}']) {
      const hidden = own.json(text)
      assert.match(String(hidden), /redacted/)
      assert.doesNotMatch(String(hidden), /hunter2x|4711|\[1\]/)
    }
    for (const text of ['"a"', '[1,["b"]]', '{"a":4712}', 'null', '{"pin":"redacted"}'])
      assert.equal(own.json(text), text)
  })

  it('returns null for JSON that is too deep to serialize', () => {
    assert.equal(hider.json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), null)
  })

  it('redacts secrets in JSON, and leaves JSON without secrets unchanged', () => {
    assert.equal(hider.json('{ "a": [1, {"b": null}] }'), '{ "a": [1, {"b": null}] }')
    assert.equal(
      hider.json(`{"user":{"password":{"deep":1},"list":["${JWT}",{"pin":1}]},"birthday":null}`),
      '{"user":{"password":"redacted","list":["redacted",{"pin":"redacted"}]},"birthday":"redacted"}',
    )
    assert.equal(hider.json('{"a":{"password":"x"},"a":1}'), '{"a":1}')
    assert.equal(hider.json(`{"a":"${JWT}","a":"b", "c":[]}`), '{"a":"b","c":[]}')
    assert.equal(hider.json('{"b":1,"1":[true,"\\u0061",{}]}'), '{"b":1,"1":[true,"\\u0061",{}]}')
    assert.equal(hider.json('{"\\u0070in":1234}'), '{"pin":"redacted"}')
    assert.equal(hider.json('{'), null)
    assert.equal(hider.json(`"${JWT}"`), '"redacted"')
  })

  it('copies values without running user code', () => {
    const value = {
      password: 'x',
      deep: { a: { b: { c: { d: { e: { f: 1 } } } } } },
      get computed(): never {
        throw new Error('A getter ran')
      },
      toJSON(): never {
        throw new Error('toJSON ran')
      },
    }
    assert.deepEqual(hider.value(value), {
      password: 'redacted',
      deep: { a: { b: { c: { d: { e: '[object]' } } } } },
      toJSON: '[function]',
    })
    assert.deepEqual(hider.value([new Date(0), new Date(NaN), new Map([[1, 2]]), new Set([1]), new TypeError('no')]), [
      '1970-01-01T00:00:00.000Z',
      '[invalid date]',
      '[map of 1]',
      [1],
      { type: 'TypeError', message: 'no' },
    ])
  })

  it('replaces a path that contains a secret with its template', () => {
    assert.equal(hider.path('/reset/abc', { token: 'abc' }, '/reset/{token}'), '/reset/{token}')
    assert.equal(hider.path('/users/7', { id: '7' }, '/users/{id}'), '/users/7')
    assert.equal(hider.path('/nowhere', {}, null), '/nowhere')
    assert.deepEqual(hider.params({ token: 'abc', id: '7' }), { token: 'redacted', id: '7' })
    assert.ok(hider.names.isKey('API_KEY'))
  })
})
