import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  captureBody,
  MAX_BODY_TEXT,
  captureRequest,
  captureResponse,
  type LongJson,
  type SeenBody,
} from '#src/devconsole/record/capture-messages.js'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import type { BodyCapture } from '#src/devconsole/host/console-settings.js'
import type { RecordedResponse } from '#src/observe/request-recorder.js'
import { Secrets } from '#src/secrets/secrets.js'

const hider = new RequestRedactor(new Secrets())

function captured(type: string | undefined, data: SeenBody['data'], capture: BodyCapture = 'text', coding?: string) {
  const size = data === null ? 0 : Buffer.byteLength(data)
  const { text, hex, truncated, omitted } = captureBody({ type, coding, data, size }, capture, hider)
  return { text, hex, truncated, omitted }
}

const kept = (text: string, truncated = false) => ({ text, hex: null, truncated, omitted: null })
const binary = (hex: string) => ({ text: null, hex, truncated: false, omitted: null })

describe('captureBody()', () => {
  it('redacts secrets in text bodies by media type', () => {
    assert.deepEqual(captured('application/json', '{"pin":1}'), kept('{"pin":"redacted"}'))
    assert.deepEqual(captured('application/problem+json; charset=utf-8', Buffer.from('{"a":1}')), kept('{"a":1}'))
    assert.deepEqual(captured('application/x-www-form-urlencoded', 'otp=1&a=2'), kept('otp=redacted&a=2'))
    assert.deepEqual(captured('TEXT/HTML', '<p>token=1</p>'), kept('<p>token=redacted</p>'))
  })

  it('keeps the beginning of long and binary bodies', () => {
    const long = 'ä'.repeat(MAX_BODY_TEXT)
    const { text, truncated } = captured('text/plain', long)
    assert.ok(truncated)
    assert.equal(text, long.slice(0, MAX_BODY_TEXT))
    assert.equal(captured('text/plain', Buffer.from(long)).text?.length, MAX_BODY_TEXT / 2)
    assert.deepEqual(captured('image/png', Buffer.alloc(100, 1)), binary('01'.repeat(64)))
    assert.deepEqual(captured(undefined, 'ab'), binary('6162'))
    assert.deepEqual(captured('application/json', '{}', 'text', 'gzip'), binary('7b7d'))
    assert.deepEqual(captured('application/json', '{}', 'text', 'identity'), kept('{}'))
  })

  it('omits JSON that is too long or malformed, unless bodies are captured raw', () => {
    const long = JSON.stringify({ a: 'x'.repeat(MAX_BODY_TEXT), password: 'hunter2' })
    assert.match(captured('application/json', long).omitted ?? '', /too long/)
    assert.equal(captured('application/json', long, 'raw').text?.length, MAX_BODY_TEXT)
    assert.match(captured('application/json', '{"a":').omitted ?? '', /no JSON/)
  })

  it('omits streams, uploads and bytes, and all bodies if capturing is off', () => {
    assert.match(captured('text/plain', null).omitted ?? '', /streamed/)
    assert.match(captured('multipart/form-data; boundary=x', 'x').omitted ?? '', /of this type/)
    assert.match(captured('application/octet-stream', 'x', 'raw').omitted ?? '', /of this type/)
    assert.match(captured('text/plain', 'x', 'off').omitted ?? '', /captureBodies/)
  })
})

const scope = { hider, capture: 'text' } as const

function factsWith(
  response: RecordedResponse | null,
  lines: readonly string[] = [],
): Parameters<typeof captureResponse>[1] {
  return { response, streamed: 0, lines }
}

const answerOf = (data: unknown, fields: readonly [string, string][] = [], type: string | undefined = 'text/plain') => {
  return { status: 200, headers: new Map(fields), payload: { type, data } }
}

describe('captureResponse(): long JSON', () => {
  const long = JSON.stringify({ password: 'hunter2', a: 'x'.repeat(2 * MAX_BODY_TEXT), otp: 'hunter3' })
  const jsonOf = (
    data: SeenBody['data'],
    given: Partial<LongJson & { capture: BodyCapture }> = {},
    coding?: string,
  ) => {
    const headers: [string, string][] = coding === undefined ? [] : [['content-encoding', coding]]
    const answer = answerOf(data, [['content-type', 'application/json'], ...headers])
    const longJson = { most: 256 * 1024, mayParse: () => true, ...given }
    return captureResponse({ hider, capture: given.capture ?? 'text', longJson }, factsWith(answer), 'GET').body
  }

  it('redacts the whole body, and cuts it to the limit afterwards', () => {
    for (const data of [long, Buffer.from(long)]) {
      const whole = jsonOf(data)
      assert.deepEqual([whole?.truncated, whole?.text?.length], [false, long.length + 2])
      assert.doesNotMatch(whole?.text ?? '', /hunter/)
    }
    const cutBody = jsonOf(long, { most: 20_000 })
    assert.deepEqual([cutBody?.truncated, cutBody?.text?.length], [true, 20_000])
    assert.match(cutBody?.text ?? '', /^\{"password":"redacted"/)
  })

  it('omits bodies beyond 1 MB, beyond the rate, malformed ones, and all with a small limit', () => {
    assert.match(jsonOf(`"${'x'.repeat(1024 * 1024)}"`)?.omitted ?? '', /too long/)
    assert.match(jsonOf(long, { mayParse: () => false })?.omitted ?? '', /too long/)
    assert.match(jsonOf(long, { most: MAX_BODY_TEXT })?.omitted ?? '', /too long/)
    assert.match(jsonOf(`${long}}`)?.omitted ?? '', /too long/)
    assert.equal(jsonOf(long, { capture: 'raw' })?.truncated, true)
    assert.equal(jsonOf(long, { capture: 'off' })?.text, null)
    assert.match(jsonOf(long, {}, 'gzip')?.omitted ?? '', /too long/)
  })
})

describe('captureRequest()', () => {
  it('distinguishes a body that was read from an unread body', () => {
    assert.equal(captureRequest(scope, null, {}).body, null)
    const unread = captureRequest(scope, null, { 'content-length': '12', 'content-type': 'text/plain' })
    assert.deepEqual([unread.body?.size, unread.body?.text], [12, null])
    assert.equal(captureRequest(scope, null, { 'transfer-encoding': 'chunked' }).body?.size, 0)
    assert.equal(captureRequest(scope, null, { 'content-length': 'x' }).body, null)
    const read = captureRequest(scope, Buffer.from('hello'), {
      'content-length': '5',
      'content-type': 'text/plain',
      cookie: 'a=b',
    })
    assert.deepEqual([read.body?.text, read.headers.at(-1)], ['hello', ['cookie', 'redacted']])
  })
})

describe('captureResponse()', () => {
  it('shows headers as sent, with each cookie separately and secrets redacted', () => {
    const lines = ['content-type', 'text/plain', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-count', '2']
    const { headers, body } = captureResponse(scope, factsWith(answerOf('hello'), lines), 'GET')
    assert.deepEqual(headers, [
      ['content-type', 'text/plain'],
      ['set-cookie', 'redacted'],
      ['set-cookie', 'redacted'],
      ['x-count', '2'],
    ])
    assert.deepEqual([body?.text, body?.size], ['hello', 5])
  })

  it('uses the Content-Type header as the type of the body, and shows no body for an empty response', () => {
    const named = captureResponse(scope, factsWith(answerOf('{}', [['content-type', 'application/json']])), 'GET')
    assert.equal(named.body?.type, 'application/json')
    const coded = answerOf('compressed', [['content-encoding', 'br']])
    const plain = { ...coded, payload: { ...coded.payload, type: 'application/json', plain: '{"pin":1}' } }
    assert.equal(captureResponse(scope, factsWith(plain), 'GET').body?.text, '{"pin":"redacted"}')
    const empty = captureResponse(
      scope,
      factsWith({ ...answerOf(null), payload: { type: undefined, data: null } }),
      'GET',
    )
    assert.deepEqual(empty, { headers: [], body: null })
    assert.equal(captureResponse(scope, factsWith(answerOf('hello')), 'HEAD').body, null)
    assert.deepEqual(captureResponse(scope, factsWith(null, ['a', 'b']), 'GET'), { headers: [], body: null })
  })

  it('counts the bytes of a body and of a stream', () => {
    assert.equal(captureResponse(scope, factsWith(answerOf(Buffer.from('äö'))), 'GET').body?.size, 4)
    const { body } = captureResponse(scope, { ...factsWith(answerOf({ next: () => {} })), streamed: 77 }, 'GET')
    assert.deepEqual([body?.size, body?.text], [77, null])
  })
})
