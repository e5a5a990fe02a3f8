import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { captureBody, MOST_OF_BODY, type SeenBody } from '#src/devconsole/record/bodies.js'
import { Hider } from '#src/devconsole/redact/hider.js'
import type { BodyCapture } from '#src/devconsole/host/console-settings.js'
import { Secrets } from '#src/observe/secrets.js'

const hider = new Hider(new Secrets())

function captured(type: string | undefined, data: SeenBody['data'], capture: BodyCapture = 'text', coding?: string) {
  const size = data === null ? 0 : Buffer.byteLength(data)
  const { text, hex, truncated, omitted } = captureBody({ type, coding, data, size }, capture, hider)
  return { text, hex, truncated, omitted }
}

const kept = (text: string, truncated = false) => ({ text, hex: null, truncated, omitted: null })
const binary = (hex: string) => ({ text: null, hex, truncated: false, omitted: null })

describe('captureBody()', () => {
  it('keeps texts without their secrets, by what they are', () => {
    assert.deepEqual(captured('application/json', '{"pin":1}'), kept('{"pin":"redacted"}'))
    assert.deepEqual(captured('application/problem+json; charset=utf-8', Buffer.from('{"a":1}')), kept('{"a":1}'))
    assert.deepEqual(captured('application/x-www-form-urlencoded', 'otp=1&a=2'), kept('otp=redacted&a=2'))
    assert.deepEqual(captured('TEXT/HTML', '<p>token=1</p>'), kept('<p>token=redacted</p>'))
  })

  it('shows the beginning of a longer text, and of what is no text', () => {
    const long = 'ä'.repeat(MOST_OF_BODY)
    const { text, truncated } = captured('text/plain', long)
    assert.ok(truncated)
    assert.equal(text, long.slice(0, MOST_OF_BODY))
    assert.equal(captured('text/plain', Buffer.from(long)).text?.length, MOST_OF_BODY / 2)
    assert.deepEqual(captured('image/png', Buffer.alloc(100, 1)), binary('01'.repeat(64)))
    assert.deepEqual(captured(undefined, 'ab'), binary('6162'))
    assert.deepEqual(captured('application/json', '{}', 'text', 'gzip'), binary('7b7d'))
    assert.deepEqual(captured('application/json', '{}', 'text', 'identity'), kept('{}'))
  })

  it('leaves out what it cannot look through, unless it is told to keep it', () => {
    const long = JSON.stringify({ a: 'x'.repeat(MOST_OF_BODY), password: 'hunter2' })
    assert.match(captured('application/json', long).omitted ?? '', /too long/)
    assert.equal(captured('application/json', long, 'raw').text?.length, MOST_OF_BODY)
    assert.match(captured('application/json', '{"a":').omitted ?? '', /no JSON/)
  })

  it('never keeps streams, uploads and what is only bytes, and nothing where it is off', () => {
    assert.match(captured('text/plain', null).omitted ?? '', /streamed/)
    assert.match(captured('multipart/form-data; boundary=x', 'x').omitted ?? '', /of this type/)
    assert.match(captured('application/octet-stream', 'x', 'raw').omitted ?? '', /of this type/)
    assert.match(captured('text/plain', 'x', 'off').omitted ?? '', /captureBodies/)
  })
})
