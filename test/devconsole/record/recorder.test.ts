import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { HttpError } from '#src/errors/http-error.js'
import type { RecordedRequest } from '#src/observe/request-recorder.js'
import { createHost } from '#test/console-host.js'
import { okResponse, QUIET } from '#test/console-trails.js'

type Parts = ReturnType<typeof makeParts>

/** Begins a request that leaves a trail, because all paths of these tests are recorded. */
function begun(parts: Parts, url: string, method = 'GET'): RecordedTrail {
  const trail = parts.recorder.begin({ method, url }, performance.now())
  assert.ok(trail instanceof RecordedTrail)
  return trail
}

/** Handles a request like the app does. Returns its trail, or `null` if it has no trail. */
function served(parts: Parts, url: string, status = 200, facts: Partial<RecordedRequest> = {}): RecordedTrail | null {
  const { recorder } = parts
  const began = performance.now()
  const exchange = { method: 'GET', url }
  const call = { exchange, prepared: null, began, duration: 1 }
  const trail = recorder.begin(exchange, began) ?? recorder.passed(call, status)
  trail?.stop()
  trail?.end({ ...QUIET, response: okResponse(status), ...facts })
  return trail instanceof RecordedTrail ? trail : null
}

function answered(parts: Parts, url: string, status = 200, facts: Partial<RecordedRequest> = {}): RecordedTrail {
  const trail = served(parts, url, status, facts)
  assert.ok(trail !== null)
  return trail
}

describe('Recorder', () => {
  it('does not observe the console or ignored paths', () => {
    const { recorder } = makeParts(createHost({ options: { ignore: ['/health*'] } }))
    const followed = ['/__dev__/events', '/healthz?full', '/other?/health', '/_other'].filter((url) =>
      recorder.observes({ method: 'GET', url }),
    )
    assert.deepEqual(followed, ['/other?/health', '/_other'])
  })

  it('records a request once, with its query and response', () => {
    const parts = makeParts(createHost())
    const trail = answered(parts, '/books/1?token=abc', 200, { query: 'token=abc' })
    trail.end(QUIET)
    assert.deepEqual([parts.store.all.length, trail.called('db.find', [])], [1, null])
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual([record?.['url.query'], record?.['url.scheme'], record?.seq], ['token=redacted', 'http', 1])
    assert.equal(record?.response.body?.text, 'ok')
  })

  it('stores at most 8,192 characters of a path', () => {
    const parts = makeParts(createHost())
    const { id } = answered(parts, '/long', 200, { path: `/${'a'.repeat(9_000)}` })
    assert.equal(parts.store.find(id)?.record['url.path'], `/${'a'.repeat(8_191)}`)
  })

  it('records 500 requests at once and counts all others, and records every failure', () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 5_000; index++) served(parts, '/flood')
    const failed = answered(parts, '/failed', 500)
    const { seq } = parts.store
    assert.ok(seq > 500 && seq < 4_000, String(seq))
    assert.equal(parts.recorder.total, 5_001)
    assert.notEqual(parts.store.find(failed.id), undefined)
    const { endpoints, slices } = parts.series.metrics(Date.now() + 1_000)
    assert.deepEqual([endpoints, slices.length > 0], [[], true])
  })

  it('records no handler for built-in routes such as metrics', () => {
    const parts = makeParts(createHost())
    const trail = answered(parts, '/metrics', 200, { endpoint: { number: 0 } })
    assert.equal(parts.store.find(trail.id)?.record['code.function.name'], null)
    assert.deepEqual(parts.series.metrics(Date.now() + 1_000).endpoints, [])
  })

  it('creates no trail for requests beyond the budget, unless they fail', () => {
    const parts = makeParts(createHost())
    const first = answered(parts, '/first')
    assert.deepEqual(parts.store.find(first.id)?.record['dev.phases'].length, 8)
    for (let index = 0; index < 5_000; index++) served(parts, '/flood')
    assert.equal(served(parts, '/flood'), null)
    const failed = answered(parts, '/failed', 500)
    assert.deepEqual(parts.store.find(failed.id)?.record['dev.phases'], [])
    const gone = answered(parts, '/gone', 0, { response: null })
    assert.equal(parts.store.find(gone.id)?.record['http.response.status_code'], 0)
    assert.equal(parts.recorder.total, 5_004)
  })

  it('counts requests in flight, including those without a trail', () => {
    const parts = makeParts(createHost())
    const { recorder } = parts
    for (let index = 0; index < 5_000; index++) served(parts, '/flood')
    const exchange = { method: 'GET', url: '/slow' }
    const began = performance.now()
    const trails = Array.from({ length: 20 }, () => recorder.begin(exchange, began))
    const counted = trails.filter((trail) => trail === null)
    assert.ok(counted.length > 10)
    assert.equal(recorder.inFlight, 20)
    for (const _ of counted) recorder.passed({ exchange, prepared: null, began, duration: 1 }, 200)
    assert.equal(recorder.inFlight, 20 - counted.length)
    for (const trail of trails) trail?.end({ ...QUIET, response: okResponse() })
    served(parts, '/failed', 500)
    assert.equal(recorder.inFlight, 0)
  })

  it('observes a request from its first log line, and counts it once', () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 5_000; index++) served(parts, '/flood')
    const trail = parts.recorder.observe({ method: 'GET', url: '/line' }, performance.now())
    assert.ok(trail instanceof RecordedTrail)
    trail.named('x-1')
    assert.deepEqual([trail.called('db.find', []), parts.callsInWork.longerThan(-1).length], [null, 1])
    parts.recorder.line({ level: 'error', fields: { requestId: 'x-1' }, message: 'it failed' })
    trail.end({ ...QUIET, response: okResponse(500) })
    assert.equal(parts.store.find(trail.id)?.record.logs[0]?.message, 'it failed')
    assert.deepEqual([parts.recorder.total, parts.callsInWork.longerThan(-1)], [5_001, []])
  })

  it('records successful requests among many failures', () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 450; index++) answered(parts, '/failed', 500)
    const well = Array.from({ length: 450 }, () => answered(parts, '/well'))
    assert.ok(well.every(({ isDetailed }) => isDetailed))
  })

  it('assigns log lines to their request, and keeps lines without a request', () => {
    const parts = makeParts(createHost())
    const trail = begun(parts, '/a')
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

  it('keeps 200 log lines of a request and counts the others', () => {
    const parts = makeParts(createHost())
    const trail = begun(parts, '/a')
    trail.named('x-1')
    for (let index = 0; index < 300; index++)
      parts.recorder.line({ level: 'info', fields: { requestId: 'x-1' }, message: 'x' })
    trail.end(QUIET)
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual([record?.logs.length, record?.['dev.logs']], [200, 300])
  })

  it('assigns no log lines to a request after 2,000 further requests', () => {
    const parts = makeParts(createHost())
    const first = answered(parts, '/first')
    first.named('first')
    for (let index = 0; index < 2_000; index++) first.named(`x-${index}`)
    parts.recorder.line({ level: 'info', fields: { requestId: 'first' }, message: 'late' })
    assert.equal(parts.logs.items.at(-1)?.line.request, null)
  })

  it('drops log lines beyond the limit', () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 10_000; index++) parts.recorder.line({ level: 'info', fields: {}, message: 'x' })
    assert.ok(parts.logs.items.length <= 2_000)
  })

  it('records issues without a vendor if no endpoint has responded', () => {
    const parts = makeParts(createHost())
    const failure = new HttpError(422, 'no', { errors: [{ in: 'body', pointer: '/a', message: 'Wrong' }] })
    const { record } = parts.store.find(answered(parts, '/a', 422, { failure }).id) ?? {}
    assert.deepEqual([record?.issues.length, record?.vendor, record?.['dev.flags']], [1, null, ['invalid']])
  })

  it('counts requests that cannot be recorded, without failing', () => {
    const parts = makeParts(createHost())
    const hostile = { ...QUIET }
    Object.defineProperty(hostile, 'headers', {
      get: () => {
        throw new Error('no')
      },
    })
    const trail = begun(parts, '/a')
    trail.end(hostile)
    assert.deepEqual([parts.store.all.length, parts.callsInWork.longerThan(-1)], [0, []])
  })

  it('records a malformed path, a missing response and a disconnected client', () => {
    const parts = makeParts(createHost())
    const trail = begun(parts, '/%zz?x', 'G'.repeat(80))
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
