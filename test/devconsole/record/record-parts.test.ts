import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hider } from '#src/devconsole/redact/hider.js'
import { flagsOf, requestOf, responseOf, versionOf } from '#src/devconsole/record/record-parts.js'
import type { TrailAnswer } from '#src/observe/trail.js'
import { Secrets } from '#src/observe/secrets.js'

const hider = new Hider(new Secrets())
const scope = { hider, capture: 'text' } as const

function factsWith(answer: TrailAnswer | null, lines: readonly string[] = []): Parameters<typeof responseOf>[1] {
  return { answer, streamed: 0, lines }
}

const answerOf = (data: unknown, fields: readonly [string, string][] = [], type: string | undefined = 'text/plain') => {
  return { status: 200, headers: new Map(fields), payload: { type, data } }
}

describe('requestOf()', () => {
  it('tells a body that was read from one that nobody read', () => {
    assert.equal(requestOf(scope, null, {}).body, null)
    const unread = requestOf(scope, null, { 'content-length': '12', 'content-type': 'text/plain' })
    assert.deepEqual([unread.body?.size, unread.body?.text], [12, null])
    assert.equal(requestOf(scope, null, { 'transfer-encoding': 'chunked' }).body?.size, 0)
    assert.equal(requestOf(scope, null, { 'content-length': 'x' }).body, null)
    const read = requestOf(scope, Buffer.from('hello'), {
      'content-length': '5',
      'content-type': 'text/plain',
      cookie: 'a=b',
    })
    assert.deepEqual([read.body?.text, read.headers.at(-1)], ['hello', ['cookie', 'redacted']])
  })
})

describe('responseOf()', () => {
  it('shows fields as they were sent, each cookie for itself, secrets replaced', () => {
    const lines = ['content-type', 'text/plain', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-count', '2']
    const { headers, body } = responseOf(scope, factsWith(answerOf('hello'), lines), 'GET')
    assert.deepEqual(headers, [
      ['content-type', 'text/plain'],
      ['set-cookie', 'redacted'],
      ['set-cookie', 'redacted'],
      ['x-count', '2'],
    ])
    assert.deepEqual([body?.text, body?.size], ['hello', 5])
  })

  it('takes the type that was named for that of the body, and shows no body where there is none', () => {
    const named = responseOf(scope, factsWith(answerOf('{}', [['content-type', 'application/json']])), 'GET')
    assert.equal(named.body?.type, 'application/json')
    const empty = responseOf(scope, factsWith({ ...answerOf(null), payload: { type: undefined, data: null } }), 'GET')
    assert.deepEqual(empty, { headers: [], body: null })
    assert.equal(responseOf(scope, factsWith(answerOf('hello')), 'HEAD').body, null)
    assert.deepEqual(responseOf(scope, factsWith(null, ['a', 'b']), 'GET'), { headers: [], body: null })
  })

  it('counts bytes, and what was streamed', () => {
    assert.equal(responseOf(scope, factsWith(answerOf(Buffer.from('äö'))), 'GET').body?.size, 4)
    const { body } = responseOf(scope, { ...factsWith(answerOf({ next: () => {} })), streamed: 77 }, 'GET')
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
