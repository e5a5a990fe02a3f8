/** Requests as text. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { containsSecret } from '#src/devconsole/wire/request-types.js'
import {
  toSendable,
  settableHeaders,
  toCurl,
  toFetch,
  toHttp,
  type SendableRequest,
} from '../../../page/pure/messages.js'
import { jsonBody, record } from '#test/page-records.js'

const POST: SendableRequest = {
  method: 'POST',
  url: "http://localhost:3000/a?q=it's",
  headers: [
    ['content-type', 'application/json'],
    ['authorization', 'Bearer redacted'],
    ['x-empty', ''],
  ],
  body: '{"a":"b\'c"}',
}

/** Returns the words that a shell passes to `curl`, which is replaced by a function. */
function wordsOf(command: string, variables: Readonly<Record<string, string>> = {}): readonly string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const output = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { ...process.env, ...variables } })
  return output.split('\0').slice(0, -1)
}

describe('toSendable()', () => {
  it('omits headers that the sending program sets', () => {
    const sent = record({
      'url.query': 'limit=5',
      request: {
        headers: [
          ['Host', 'x'],
          ['Content-Length', '2'],
          ['accept', '*/*'],
        ],
        body: jsonBody('{}'),
      },
    })
    assert.deepEqual(toSendable(sent, 'http://localhost:1'), {
      method: 'GET',
      url: 'http://localhost:1/users/7?limit=5',
      headers: [['accept', '*/*']],
      body: '{}',
    })
    assert.deepEqual(toSendable(record(), 'http://h').url, 'http://h/users/7')
    assert.equal(toSendable(record(), 'http://h').body, null)
  })
})

describe('settableHeaders()', () => {
  it('omits headers that a page cannot set, and redacted headers', () => {
    const headers = settableHeaders([
      ['Cookie', 'a=b'],
      ['Sec-Fetch-Site', 'none'],
      ['User-Agent', 'x'],
      ['origin', 'x'],
      ['authorization', 'Bearer redacted'],
      ['x-mine', 'unredacted'],
    ])
    assert.deepEqual(headers, [['x-mine', 'unredacted']])
  })
})

describe('containsSecret()', () => {
  it('matches only the whole word', () => {
    assert.deepEqual(['redacted', 'Bearer redacted', 'a=redacted; b', 'unredacted', ''].map(containsSecret), [
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('toCurl()', () => {
  it('results in the same arguments in a shell', () => {
    assert.deepEqual(wordsOf(toCurl(POST), { AUTHORIZATION: 'se cret' }), [
      '-X',
      'POST',
      "http://localhost:3000/a?q=it's",
      '-H',
      'content-type: application/json',
      '-H',
      'authorization: Bearer se cret',
      '-H',
      'x-empty;',
      '--data-raw',
      '{"a":"b\'c"}',
    ])
  })

  it('uses the curl options for GET and HEAD', () => {
    const plain = { ...POST, headers: [], body: null }
    assert.deepEqual(wordsOf(toCurl({ ...plain, method: 'GET' })), [POST.url])
    assert.deepEqual(wordsOf(toCurl({ ...plain, method: 'HEAD' })), ['--head', POST.url])
    assert.deepEqual(wordsOf(toCurl({ ...plain, method: 'GET', cookies: 'a=b; c=d' })), [
      POST.url,
      '-H',
      'cookie: a=b; c=d',
    ])
  })

  it('references the files of a form, and quotes its text fields', () => {
    const image = new File(['a'], 'a"b.png', { type: 'image/png' })
    const parts = [
      ['title', "@it's"],
      ['image', image],
      ['other', new File([], 'c')],
    ] as const
    const words = wordsOf(toCurl({ ...POST, headers: [], body: null, parts }))
    assert.deepEqual(words.slice(3), [
      ...['--form-string', "title=@it's"],
      ...['-F', 'image=@"a\\"b.png";type=image/png'],
      ...['-F', 'other=@"c"'],
    ])
  })

  it('keeps the text after a secret', () => {
    const request = { ...POST, headers: [['x-two', 'a redacted b']] as const, body: null }
    assert.equal(wordsOf(toCurl(request), { X_TWO: '1' }).at(-1), 'x-two: a 1 b')
  })

  it('escapes all shell characters in bodies and values', () => {
    const text = fc.string({
      unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '\n', ' ', ';', '*', 'a', 'ä'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(text, text, (value, body) => {
        const words = wordsOf(toCurl({ method: 'PUT', url: 'http://h/', headers: [['x', `v${value}`]], body }))
        assert.deepEqual(words.slice(3), ['-H', `x: v${value}`, '--data-raw', body])
      }),
      { numRuns: 25 },
    )
  })
})

describe('toFetch()', () => {
  it('returns JavaScript that sends the same request', () => {
    const text = toFetch(POST)
    const [, url, options] = /^await fetch\(("[^\n]*?"), (\{[^]*\})\)$/.exec(text) ?? []
    assert.equal(JSON.parse(url ?? ''), POST.url)
    assert.deepEqual(JSON.parse(options ?? ''), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer $AUTHORIZATION', 'x-empty': '' },
      body: POST.body,
    })
  })

  it('omits missing headers and body', () => {
    const text = toFetch({ method: 'GET', url: 'http://h/', headers: [], body: null })
    assert.equal(text, 'await fetch("http://h/", {\n  "method": "GET"\n})')
  })
})

describe('toHttp()', () => {
  it('returns request and response as sent', () => {
    const text = toHttp(
      record({
        'http.request.method': 'POST',
        'url.query': 'a=1',
        request: { headers: [['host', 'h']], body: jsonBody('{"in":1}') },
        response: { headers: [['x', 'y']], body: { ...(jsonBody('') ?? never()), text: null, omitted: 'No' } },
      }),
      'OK',
    )
    assert.equal(text, 'POST /users/7?a=1 HTTP/1.1\nhost: h\n\n{"in":1}\n\nHTTP/1.1 200 OK\nx: y\n')
  })

  it('omits an empty reason phrase', () => {
    assert.match(toHttp(record(), ''), /\nHTTP\/1\.1 200\n/)
  })
})

function never(): never {
  throw new Error('jsonBody() gives a body')
}
