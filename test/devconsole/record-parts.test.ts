import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hider } from '#src/devconsole/hider.js'
import { flagsOf, requestOf, responseOf, versionOf } from '#src/devconsole/record-parts.js'
import { RecordedTrail } from '#src/devconsole/recorded-trail.js'
import { WallClock } from '#src/devconsole/wall-clock.js'
import type { TrailAnswer } from '#src/telemetry/trail.js'
import { Secrets } from '#src/telemetry/secrets.js'

const hider = new Hider(new Secrets())
const scope = { hider, capture: 'text' } as const

function trailWith(answer: TrailAnswer | null, method = 'GET'): RecordedTrail {
  const owner = { hider, boot: 'a', clock: new WallClock(), named: () => {}, finish: () => {} }
  const trail = new RecordedTrail(1, { method, url: '/' }, owner)
  trail.answer = answer
  return trail
}

const answerOf = (data: unknown, fields: readonly [string, string][] = [], type: string | undefined = 'text/plain') => {
  return { status: 200, headers: new Map(fields), payload: { type, data } }
}

describe('requestOf()', () => {
  it('tells a body that was read from one that nobody read', () => {
    const trail = trailWith(null)
    assert.equal(requestOf(scope, trail, {}).body, null)
    const unread = requestOf(scope, trail, { 'content-length': '12', 'content-type': 'text/plain' })
    assert.deepEqual([unread.body?.size, unread.body?.text], [12, null])
    assert.equal(requestOf(scope, trail, { 'transfer-encoding': 'chunked' }).body?.size, 0)
    assert.equal(requestOf(scope, trail, { 'content-length': 'x' }).body, null)
    trail.body = Buffer.from('hello')
    const read = requestOf(scope, trail, { 'content-length': '5', 'content-type': 'text/plain', cookie: 'a=b' })
    assert.deepEqual([read.body?.text, read.headers.at(-1)], ['hello', ['cookie', 'redacted']])
  })
})

describe('responseOf()', () => {
  it('shows fields as they were sent, each cookie for itself, secrets replaced', () => {
    const lines = ['content-type', 'text/plain', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-count', '2']
    const { headers, body } = responseOf(scope, trailWith(answerOf('hello')), lines)
    assert.deepEqual(headers, [
      ['content-type', 'text/plain'],
      ['set-cookie', 'redacted'],
      ['set-cookie', 'redacted'],
      ['x-count', '2'],
    ])
    assert.deepEqual([body?.text, body?.size], ['hello', 5])
  })

  it('takes the type that was named for that of the body, and shows no body where there is none', () => {
    const named = responseOf(scope, trailWith(answerOf('{}', [['content-type', 'application/json']])), [])
    assert.equal(named.body?.type, 'application/json')
    const empty = responseOf(scope, trailWith({ ...answerOf(null), payload: { type: undefined, data: null } }), [])
    assert.deepEqual(empty, { headers: [], body: null })
    assert.equal(responseOf(scope, trailWith(answerOf('hello'), 'HEAD'), []).body, null)
    assert.deepEqual(responseOf(scope, trailWith(null), ['a', 'b']), { headers: [], body: null })
  })

  it('counts bytes, and what was streamed', () => {
    assert.equal(responseOf(scope, trailWith(answerOf(Buffer.from('äö'))), []).body?.size, 4)
    const trail = trailWith(answerOf({ next: () => {} }))
    trail.streamed = 77
    const { body } = responseOf(scope, trail, [])
    assert.deepEqual([body?.size, body?.text], [77, null])
  })
})

describe('versionOf()', () => {
  it('says what was asked, what holds, and what else there is', () => {
    const versioning = { place: 'accept-version', fallback: '1.0.0' }
    assert.equal(versionOf(undefined, versioning, hider), null)
    assert.deepEqual(versionOf({ asked: '3', constraint: undefined, alternatives: ['<2', '>=4'] }, versioning, hider), {
      ...{ asked: '3', constraint: '<2, >=4', ok: false, from: 'accept-version', isDefault: false },
      alternatives: ['<2', '>=4'],
    })
    const served = versionOf({ asked: undefined, constraint: '<2', alternatives: ['<2'] }, versioning, hider)
    assert.deepEqual([served?.asked, served?.ok, served?.isDefault], ['1.0.0', true, true])
  })
})

describe('flagsOf()', () => {
  it('names what is notable, the gravest first', () => {
    const quiet = { status: 200, isSlow: false, isAborted: false, isRepeated: false, issues: [], version: null }
    const issue = { where: '', message: '', code: null, received: null }
    const version = { asked: '1', constraint: '>2', ok: false, from: '', isDefault: false, alternatives: [] }
    assert.deepEqual(flagsOf(quiet), [])
    assert.deepEqual(
      flagsOf({
        ...{ status: 500, isSlow: true, isAborted: true, isRepeated: true, version },
        issues: [
          { ...issue, side: 'request' },
          { ...issue, side: 'response' },
        ],
      }),
      ['error', 'aborted', 'mismatch', 'invalid', 'version', 'slow', 'n+1'],
    )
    assert.deepEqual(flagsOf({ ...quiet, version: { ...version, ok: true } }), [])
  })
})
