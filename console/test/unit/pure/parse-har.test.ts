import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toHar } from '#src/devconsole/serve/har.js'
import { parseHarEntry } from '../../../page/pure/parse-har.js'
import type { CapturedBody, RequestRecord } from '#src/devconsole/wire/request-types.js'
import type { ShownRecord } from '#src/devconsole/wire/view-types.js'
import { jsonBody, record } from '#test/page-records.js'

const TIME = '2026-01-02T10:00:00.250Z'

/** Parses an entry of a GET request with these members. */
function parsed(request: object, response: object = {}, entry: object = {}): ShownRecord {
  const whole = { startedDateTime: TIME, request: { url: 'https://shop.test/', ...request }, response, ...entry }
  const found = parseHarEntry(whole)
  assert.ok(found !== null)
  return found
}

function parsedContent(content: unknown): CapturedBody | null {
  return parsed({}, { status: 200, content }).response.body
}

describe('parseHarEntry()', () => {
  it('reads all that the export of the console contains', () => {
    const body = { ...jsonBody('{"name":"Ada"}'), size: 900, truncated: true }
    const omitted = { ...jsonBody(''), text: null, omitted: 'Uploads are not stored' } as CapturedBody
    const original: RequestRecord = {
      ...record({
        request: {
          headers: [
            ['host', 'shop.test:3000'],
            ['user-agent', 'test'],
          ],
          body: omitted,
        },
      }),
      'url.query': 'a=1&b=%20',
      'http.request.method': 'POST',
      'http.response.body.size': 900,
      response: {
        headers: [
          ['x-request-id', 'q-1'],
          ['set-cookie', 'a=redacted'],
        ],
        body: body as CapturedBody,
      },
    }
    const [entry] = toHar([original], { name: 'acme', version: '1' }).log.entries
    const found = parseHarEntry(JSON.parse(JSON.stringify(entry)))
    assert.ok(found !== null)
    const same = [
      'time',
      'http.request.method',
      'url.path',
      'url.query',
      'url.scheme',
      'http.response.status_code',
    ] as const
    for (const key of [
      ...same,
      'dev.duration',
      'http.response.body.size',
      'request',
      'response',
      'dev.phases',
    ] as const)
      assert.deepEqual(found[key], original[key], key)
    assert.deepEqual([found['server.address'], found['dev.requestId'], found.aborted], ['shop.test:3000', 'q-1', false])
  })

  it('reads an entry of Chrome, with HTTP/2, timings and a base64 body', () => {
    const found = parsed(
      {
        method: 'POST',
        httpVersion: 'h2',
        headers: [
          { name: ':authority', value: 'shop.test' },
          { name: 'accept', value: '*/*' },
          { name: 'x' },
          { value: 'y' },
        ],
        bodySize: -1,
        postData: { mimeType: 'application/json', text: '{"ü":1}' },
      },
      {
        status: 201,
        bodySize: -1,
        content: {
          size: 7,
          mimeType: 'application/json',
          encoding: 'base64',
          text: Buffer.from('{"ü":2}').toString('base64'),
        },
      },
      {
        time: 12.5,
        timings: { blocked: 2, dns: -1, ssl: 1, connect: 3, wait: 4.5, receive: 3 },
        serverIPAddress: '::1',
        comment: 'slow',
      },
    )
    assert.deepEqual(found.request, {
      headers: [
        ['accept', '*/*'],
        ['x', ''],
      ],
      body: { type: 'application/json', size: 8, text: '{"ü":1}', hex: null, truncated: false, omitted: null },
    })
    assert.deepEqual(
      [found.response.body?.text, found['network.protocol.version'], found['dev.duration']],
      ['{"ü":2}', '2', 12.5],
    )
    assert.deepEqual(
      [found['http.request.body.size'], found['http.response.body.size'], found['dev.phases']],
      [8, 7, []],
    )
    const timings = [
      'blocked ',
      { ms: 2 },
      ', ',
      'connect ',
      { ms: 3 },
      ', ',
      'ssl ',
      { ms: 1 },
      ', ',
      'wait ',
      { ms: 4.5 },
      ', ',
      'receive ',
      { ms: 3 },
    ]
    assert.deepEqual(found.about, [
      ['Server', [{ code: 'https://shop.test' }]],
      ['Time', [{ code: TIME }]],
      ['Address', [{ code: '::1' }]],
      ['Timings', timings],
      ['Comment', ['slow']],
    ])
  })

  it('reads an entry of Firefox, with form fields in "params" and a total of -1', () => {
    const params = [
      { name: 'item', value: 'green+tea' },
      { name: 'count', value: '2' },
    ]
    const form = { mimeType: 'application/x-www-form-urlencoded; charset=utf-8', params, text: '' }
    const found = parsed(
      { postData: form, httpVersion: 'HTTP/2' },
      {},
      { time: -1, timings: { connect: 2, ssl: 1, wait: 3 } },
    )
    assert.deepEqual([found.request.body?.text, found['dev.duration']], ['item=green+tea&count=2', 5])
    const upload = parsed({ postData: { mimeType: 'multipart/form-data; boundary=x', params } })
    assert.deepEqual(upload.request.body?.omitted, 'The file has only the names of the parts: item, count')
    assert.equal(upload.request.body.text, null)
  })

  it('describes a request without a response by the error of the browser', () => {
    const found = parsed(
      {},
      { status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT', content: { size: 0, mimeType: 'x-unknown' } },
    )
    assert.deepEqual([found['http.response.status_code'], found.aborted, found['dev.flags']], [0, true, ['aborted']])
    assert.deepEqual(found.callOuts, [
      { kind: 'bad', title: ['No response: ', { code: 'net::ERR_BLOCKED_BY_CLIENT' }], text: [] },
    ])
    assert.equal(found.response.body, null)
  })

  it('shows the first 64 bytes of a binary body, and says why any other body is missing', () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)])
    const picture = parsedContent({ mimeType: 'image/png', encoding: 'base64', text: png.toString('base64') })
    assert.deepEqual([picture?.hex, picture?.text, picture?.size], [png.subarray(0, 64).toString('hex'), null, 108])
    const latin1 = parsedContent({ mimeType: 'text/plain', encoding: 'base64', text: '/w==' })
    assert.deepEqual([latin1?.hex, latin1?.text], ['ff', null])
    const broken = parsedContent({ mimeType: 'text/plain', encoding: 'base64', text: '%%%' })
    assert.deepEqual([broken?.omitted, broken?.text], ['The body in the file is not valid base64', null])
    assert.equal(parsedContent({ size: 5, mimeType: 'text/html' })?.omitted, 'The file does not contain this body')
    assert.equal(parsedContent({ size: 5, comment: 'Evicted' })?.omitted, 'Evicted')
    assert.deepEqual([parsedContent({ size: 0, mimeType: '' }), parsedContent(undefined)], [null, null])
    assert.equal(parsedContent({ text: 'a' })?.type, null)
  })

  it('reads scheme, server, path and query of the URL as they are written', () => {
    const read = (url: string) => {
      const found = parsed({ url })
      return [found['url.scheme'], found['server.address'], found['url.path'], found['url.query']]
    }
    assert.deepEqual(read('http://[::1]:3000/a/../b%2F?x=1?y#z'), ['http', '[::1]:3000', '/a/../b%2F', 'x=1?y'])
    assert.deepEqual(read('WSS://chat.test'), ['https', 'chat.test', '/', ''])
  })

  it('uses defaults for all members but URL and time', () => {
    const found = parsed({})
    assert.deepEqual([found['http.request.method'], found['network.protocol.version']], ['GET', '1.1'])
    for (const status of [-1, 1.5, 5_000, '200', null])
      assert.equal(parsed({}, { status })['http.response.status_code'], 0)
  })

  it('returns null without a URL of HTTP or without a time', () => {
    const urls = [undefined, 5, '', '/goods', 'data:text/html,x', 'chrome-extension://abc/x.js', 'http:///x']
    for (const url of urls) assert.equal(parseHarEntry({ startedDateTime: TIME, request: { url } }), null, String(url))
    for (const startedDateTime of [undefined, 5, '', 'yesterday', '+999999-01-01T00:00:00Z'])
      assert.equal(
        parseHarEntry({ startedDateTime, request: { url: 'http://a.test/' } }),
        null,
        String(startedDateTime),
      )
    for (const value of [null, undefined, 'x', [], 5]) assert.equal(parseHarEntry(value), null)
  })

  it('never throws for a member of any type', () => {
    const whole = {
      startedDateTime: TIME,
      time: 1,
      request: {
        method: 'POST',
        url: 'http://a.test/?b',
        httpVersion: 'h3',
        headers: [{ name: 'a', value: 'b' }],
        bodySize: 1,
        postData: { mimeType: 'a', text: 'b', params: [] },
      },
      response: {
        status: 200,
        headers: [],
        content: { size: 1, mimeType: 'text/html', text: 'YQ==', encoding: 'base64' },
      },
      timings: { wait: 1 },
      _phases: { handler: 1 },
    }
    const paths = memberPaths(whole)
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const changed: unknown = JSON.parse(JSON.stringify(whole))
        const parent = path.slice(0, -1).reduce((at: unknown, key) => Reflect.get(Object(at), key), changed)
        Reflect.set(Object(parent), path.at(-1) ?? '', value)
        const found = parseHarEntry(changed)
        assert.ok(found === null || JSON.stringify(found).length > 0)
      }),
    )
  })
})

/** Lists the path of each member, at any depth. */
function memberPaths(value: object): string[][] {
  return Object.entries(value).flatMap(([key, member]) => {
    const below: string[][] = typeof member === 'object' && member !== null ? memberPaths(member) : []
    return [[key], ...below.map((path) => [key, ...path])]
  })
}
