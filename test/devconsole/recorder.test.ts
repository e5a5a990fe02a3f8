import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/console.js'
import type { RecordedTrail } from '#src/devconsole/recorded-trail.js'
import { HttpError } from '#src/errors/http-error.js'
import type { TrailFacts } from '#src/telemetry/trail.js'
import { hostOf } from '#test/console-host.js'
import { QUIET } from '#test/console-trails.js'

function answered(
  parts: ReturnType<typeof makeParts>,
  url: string,
  status = 200,
  facts: Partial<TrailFacts> = {},
): RecordedTrail {
  // Proof: no path of these tests is one that is not recorded.
  const trail = parts.recorder.begin({ method: 'GET', url }) as RecordedTrail
  trail.answer = { status, headers: new Map(), payload: { type: 'text/plain', data: 'ok' } }
  trail.end({ ...QUIET, ...facts })
  return trail
}

describe('Recorder', () => {
  it('follows neither the console nor what is ignored', () => {
    const { recorder } = makeParts(hostOf({ options: { ignore: ['/health*'] } }))
    assert.equal(recorder.begin({ method: 'GET', url: '/__dev__/events' }), null)
    assert.equal(recorder.begin({ method: 'GET', url: '/healthz?full' }), null)
    assert.notEqual(recorder.begin({ method: 'GET', url: '/other?/health' }), null)
    assert.equal(recorder.total, 1)
  })

  it('records a call once, with what it left behind', () => {
    const parts = makeParts(hostOf())
    const trail = answered(parts, '/books/1?token=abc', 200, { query: 'token=abc' })
    trail.end(QUIET)
    assert.deepEqual([parts.store.all.length, trail.called('db.find', [])], [1, null])
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual([record?.['url.query'], record?.['url.scheme'], record?.seq], ['token=redacted', 'http', 1])
    assert.equal(record?.response.body?.text, 'ok')
  })

  it('keeps 500 at once and counts the rest, but no failure is lost among what is well', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 5_000; index++) answered(parts, '/flood')
    const failed = answered(parts, '/failed', 500)
    const { seq } = parts.store
    assert.ok(seq > 500 && seq < 4_000, String(seq))
    assert.equal(parts.recorder.total, 5_001)
    assert.notEqual(parts.store.find(failed.id), undefined)
    const { endpoints, slices } = parts.series.metrics(Date.now() + 1_000)
    assert.deepEqual([endpoints, slices.length > 0], [[], true])
  })

  it('takes phases and calls of services only of what there is room for', () => {
    const parts = makeParts(hostOf())
    const first = answered(parts, '/first')
    assert.deepEqual(parts.store.find(first.id)?.record['dev.phases'].length, 8)
    for (let index = 0; index < 5_000; index++) answered(parts, '/flood')
    // Proof: the path is one that is recorded.
    const late = parts.recorder.begin({ method: 'GET', url: '/late' }) as RecordedTrail
    assert.deepEqual([first.isDetailed, late.isDetailed, late.called('db.find', [])], [true, false, null])
    late.answer = { status: 500, headers: new Map(), payload: { type: 'text/plain', data: 'no' } }
    late.end(QUIET)
    assert.deepEqual(parts.store.find(late.id)?.record['dev.phases'], [])
  })

  it('loses no success among failures', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 450; index++) answered(parts, '/failed', 500)
    const well = Array.from({ length: 450 }, () => answered(parts, '/well'))
    assert.ok(well.every(({ isDetailed }) => isDetailed))
  })

  it('joins lines to their request, and keeps those without one', () => {
    const parts = makeParts(hostOf())
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'GET', url: '/a' }) as RecordedTrail
    trail.named('x-1')
    parts.recorder.line({ level: 'info', fields: { requestId: 'x-1' }, message: 'during' })
    parts.recorder.line({ level: 'info', fields: {}, message: 'elsewhere' })
    trail.end(QUIET)
    parts.recorder.line({ level: 'info', fields: { requestId: 'x-1' }, message: 'after' })
    assert.deepEqual(
      parts.store.find(trail.id)?.record.logs.map(({ message }) => message),
      ['during'],
    )
    assert.deepEqual(
      parts.logs.items.map(({ line }) => [line.message, line.request]),
      [
        ['during', trail.id],
        ['elsewhere', null],
        ['after', trail.id],
      ],
    )
  })

  it('keeps 200 lines of a request and counts the others', () => {
    const parts = makeParts(hostOf())
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'GET', url: '/a' }) as RecordedTrail
    trail.named('x-1')
    for (let index = 0; index < 300; index++)
      parts.recorder.line({ level: 'info', fields: { requestId: 'x-1' }, message: 'x' })
    trail.end(QUIET)
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual([record?.logs.length, record?.['dev.logs']], [200, 300])
  })

  it('forgets whose lines are whose after 2,000 requests', () => {
    const parts = makeParts(hostOf())
    const first = answered(parts, '/first')
    first.named('first')
    for (let index = 0; index < 2_000; index++) first.named(`x-${index}`)
    parts.recorder.line({ level: 'info', fields: { requestId: 'first' }, message: 'late' })
    assert.equal(parts.logs.items.at(-1)?.line.request, null)
  })

  it('is silent about lines beyond what is kept', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 10_000; index++) parts.recorder.line({ level: 'info', fields: {}, message: 'x' })
    assert.ok(parts.logs.items.length <= 2_000)
  })

  it('shows issues of what no endpoint has answered without a vendor', () => {
    const parts = makeParts(hostOf())
    const error = new HttpError(422, 'no', { errors: [{ in: 'body', pointer: '/a', message: 'Wrong' }] })
    const { record } = parts.store.find(answered(parts, '/a', 422, { error }).id) ?? {}
    assert.deepEqual([record?.issues.length, record?.vendor, record?.['dev.flags']], [1, null, ['invalid']])
  })

  it('counts what it cannot record, and the app goes on', () => {
    const parts = makeParts(hostOf())
    const hostile = { ...QUIET }
    Object.defineProperty(hostile, 'headers', {
      get: () => {
        throw new Error('no')
      },
    })
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'GET', url: '/a' }) as RecordedTrail
    trail.end(hostile)
    assert.deepEqual([parts.store.all.length, parts.inWork.longerThan(-1)], [0, []])
  })

  it('records what could not be read, never answered, and whom nobody waited for', () => {
    const parts = makeParts(hostOf())
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'G'.repeat(80), url: '/%zz?x' }) as RecordedTrail
    trail.end({ ...QUIET, path: '', client: '', isAborted: true, isSecure: true, headers: {} })
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual(
      [record?.['url.path'], record?.['http.response.status_code'], record?.['client.address'], record?.['url.scheme']],
      ['/%zz', 0, null, 'https'],
    )
    assert.deepEqual(
      [record?.['dev.flags'], record?.aborted, record?.['http.request.method'].length],
      [['aborted'], true, 50],
    )
    assert.deepEqual(record?.response, { headers: [], body: null })
  })
})
