import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/console.js'
import type { RecordedTrail } from '#src/devconsole/recorded-trail.js'
import { HttpError } from '#src/errors/http-error.js'
import { PHASE, type TrailFacts } from '#src/telemetry/trail.js'
import { hostOf } from '#test/console-host.js'

const FACTS: TrailFacts = {
  traceId: undefined,
  path: '/books/1',
  query: '',
  client: '127.0.0.1',
  endpoint: undefined,
  params: {},
  error: undefined,
  isSecure: false,
  isAborted: false,
  headers: { host: 'localhost' },
  version: undefined,
}

function answered(
  parts: ReturnType<typeof makeParts>,
  url: string,
  status = 200,
  facts: Partial<TrailFacts> = {},
): RecordedTrail {
  // Proof: no path of these tests is one that is not recorded.
  const trail = parts.recorder.begin({ method: 'GET', url }) as RecordedTrail
  trail.answer = { status, headers: new Map(), payload: { type: 'text/plain', data: 'ok' } }
  trail.end({ ...FACTS, ...facts })
  return trail
}

/** Answers after the event loop was held up. */
function answeredAfter(parts: ReturnType<typeof makeParts>, url: string, ms: number): RecordedTrail {
  // Proof: no path of these tests is one that is not recorded.
  const trail = parts.recorder.begin({ method: 'GET', url }) as RecordedTrail
  const end = performance.now() + ms
  while (performance.now() < end);
  trail.enter(PHASE.rest)
  trail.answer = { status: 200, headers: new Map(), payload: { type: 'text/plain', data: 'ok' } }
  trail.end({ ...FACTS, path: url })
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
    trail.end(FACTS)
    assert.deepEqual([parts.store.all.length, trail.called('db.find', [])], [1, null])
    const record = parts.store.find(trail.id)?.record
    assert.deepEqual([record?.['url.query'], record?.['url.scheme'], record?.seq], ['token=redacted', 'http', 1])
    assert.equal(record?.response.body?.text, 'ok')
  })

  it('keeps a thousand at once and counts the rest, but no failure is lost among what is well', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 5_000; index++) answered(parts, '/flood')
    const failed = answered(parts, '/failed', 500)
    const { seq } = parts.store
    assert.ok(seq > 1_000 && seq < 4_000, String(seq))
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
    late.end(FACTS)
    assert.deepEqual(parts.store.find(late.id)?.record['dev.phases'], [])
  })

  it('loses no success among failures', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 900; index++) answered(parts, '/failed', 500)
    const well = Array.from({ length: 900 }, () => answered(parts, '/well'))
    assert.ok(well.every(({ isDetailed }) => isDetailed))
  })

  it('names what was in work during a stall, open or ended, first what waited for nothing else', () => {
    const parts = makeParts(hostOf())
    parts.recorder.begin({ method: 'GET', url: '/open?token=abc' })
    const waited = performance.now() + 40
    while (performance.now() < waited);
    const from = performance.now()
    const busy = answeredAfter(parts, '/busy', 40)
    answered(parts, '/quick')
    answeredAfter(parts, '/busy', 20)
    const to = performance.now()
    parts.recorder.begin({ method: 'GET', url: '/later' })
    assert.equal(busy.isEnded, true)
    assert.deepEqual(parts.recorder.inWork({ from, to }), ['GET /busy', 'GET /open'])
    assert.deepEqual(parts.recorder.inWork({ from: from - 1_000, to: from - 500 }), [])
  })

  it('names five of many that were in work', () => {
    const { recorder } = makeParts(hostOf())
    for (let index = 0; index < 9; index++) recorder.begin({ method: 'GET', url: `/open/${index}` })
    const to = performance.now() + 1_000
    assert.equal(recorder.inWork({ from: to - 500, to }).length, 5)
  })

  it('joins lines to their request, and keeps those without one', () => {
    const parts = makeParts(hostOf())
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'GET', url: '/a' }) as RecordedTrail
    trail.named('x-1')
    parts.recorder.line({ level: 'info', fields: { requestId: 'x-1' }, message: 'during' })
    parts.recorder.line({ level: 'info', fields: {}, message: 'elsewhere' })
    trail.end(FACTS)
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
    trail.end(FACTS)
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

  it('knows what is in work, for how long, and not more than it can hold', () => {
    const parts = makeParts(hostOf())
    for (let index = 0; index < 2_500; index++) parts.recorder.begin({ method: 'GET', url: `/open?token=${index}` })
    const open = parts.recorder.openFor(-1)
    assert.deepEqual([open.length, open[0]?.route], [100, '/open'])
    assert.deepEqual(parts.recorder.openFor(60_000), [])
  })

  it('shows a call in work by the template of what answers it: a path may hold a secret', () => {
    const key = {}
    const endpoint = {
      ...{ key, route: 'Resets', verb: 'get', method: 'GET', path: '/reset/{token}', place: undefined, decorators: [] },
      ...{ constraint: null, isDeprecated: false, isHidden: false, vendor: null, warnings: [], notes: [] },
    }
    const { recorder } = makeParts(hostOf({ endpoints: [endpoint] }))
    const trail = recorder.begin({ method: 'GET', url: '/reset/hunter2' })
    assert.equal(recorder.openFor(-1)[0]?.route, '/reset/hunter2')
    assert.ok(trail !== null)
    trail.endpoint = key
    assert.equal(recorder.openFor(-1)[0]?.route, '/reset/{token}')
    trail.endpoint = {}
    assert.equal(recorder.openFor(-1)[0]?.route, '/reset/hunter2')
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
    const hostile = { ...FACTS }
    Object.defineProperty(hostile, 'headers', {
      get: () => {
        throw new Error('no')
      },
    })
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'GET', url: '/a' }) as RecordedTrail
    trail.end(hostile)
    assert.deepEqual([parts.store.all.length, parts.recorder.openFor(-1)], [0, []])
  })

  it('records what could not be read, never answered, and whom nobody waited for', () => {
    const parts = makeParts(hostOf())
    // Proof: the path is one that is recorded.
    const trail = parts.recorder.begin({ method: 'G'.repeat(80), url: '/%zz?x' }) as RecordedTrail
    trail.end({ ...FACTS, path: '', client: '', isAborted: true, isSecure: true, headers: {} })
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
