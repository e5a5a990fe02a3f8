import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { CrossRequestDetector, SILENT_MS } from '#src/devconsole/record/cross-request-detector.js'
import { Incidents } from '#src/devconsole/store/incidents.js'
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { RecordStore } from '#src/devconsole/store/record-store.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { PHASE } from '#src/observe/request-recorder.js'
import { endTrail } from '#test/console-trails.js'
import { createHost } from '#test/console-host.js'
import { createRecord } from '#test/console-records.js'

/** A call in work that began a while ago. */
function openCall(parts: ReturnType<typeof makeParts>, age: number): RecordedTrail {
  // Proof: `begin` returns a `RecordedTrail` for recorded paths.
  const trail = parts.recorder.begin({ method: 'GET', url: '/reset/abc' }, performance.now()) as RecordedTrail
  Object.defineProperty(trail, 'began', { value: performance.now() - age })
  return trail
}

describe('CrossRequestDetector: requests without a response', () => {
  const endpoint = {
    ...{ class: 'Resets', method: 'GET', template: '/reset/{token}', id: 'Resets.get', place: null },
    ...{ decorators: [], version: null, deprecated: false, operation: null, vendor: null },
    ...{ warnings: [], notes: [] },
  }

  it('reports each request once, with the template of its endpoint', () => {
    const parts = makeParts(createHost({ endpoints: [endpoint] }))
    const trail = openCall(parts, SILENT_MS + 10_000)
    trail.endpoint = { number: 0 }
    const [incident] = parts.crossRequestDetector.look()
    assert.deepEqual(
      [incident?.kind, incident?.title.join(''), incident?.facts, incident?.count],
      ['silent', 'Looks like it never responds: Resets.get', ['GET /reset/{token}'], 1],
    )
    assert.match(incident?.detail ?? '', /^A request has had no response for 30 s\./)
    assert.deepEqual(parts.crossRequestDetector.look(), [])
    const next = openCall(parts, SILENT_MS + 10_000)
    next.endpoint = { number: 0 }
    assert.equal(parts.crossRequestDetector.look()[0]?.count, 2)
  })

  it('reports no path if no route matches', () => {
    const parts = makeParts(createHost())
    openCall(parts, SILENT_MS + 10_000)
    assert.equal(parts.crossRequestDetector.look()[0]?.title.join(''), 'Looks like it never responds: GET (no route)')
  })

  it('does not report requests that are recent, streaming, waiting for their body or finished', () => {
    const parts = makeParts(createHost())
    openCall(parts, SILENT_MS - 10_000)
    const streaming = openCall(parts, SILENT_MS + 10_000)
    streaming.enter(PHASE.send)
    openCall(parts, SILENT_MS + 10_000).enter(PHASE.readBody)
    endTrail(openCall(parts, SILENT_MS + 10_000))
    assert.deepEqual(parts.crossRequestDetector.look(), [])
  })
})

function burstsOf(records: readonly Partial<RequestRecord>[]) {
  const [store, incidents] = [new RecordStore(), new Incidents(800)]
  const crossRequestDetector = new CrossRequestDetector({ callsInWork: new Set(), store, incidents, endpoints: [] })
  const look = (more: readonly Partial<RequestRecord>[]) => {
    for (const given of more) store.add({ record: createRecord({ ...given, seq: store.next() }), bytes: 1 })
    return crossRequestDetector.look().map(({ title, detail, count }) => [title.join(''), detail, count])
  }
  return { look, first: look(records) }
}

const timesOf = (times: readonly number[], given: Partial<RequestRecord> = {}) =>
  times.map((time) => ({ ...given, time }))

describe('CrossRequestDetector: repeated requests', () => {
  it('reports five equal requests of one client within a second', () => {
    const { first, look } = burstsOf(timesOf([0, 100, 200, 300, 999]))
    assert.deepEqual(first, [
      [
        'Looks like a loop: the same request again and again, GET /books/{id}',
        'One client has sent it 5 times within a second. The cause may be a retry without a pause, or an effect that runs at each change.',
        1,
      ],
    ])
    assert.deepEqual(look([]), [])
  })

  it('does not report fewer requests, or requests over a longer time', () => {
    assert.deepEqual(burstsOf(timesOf([0, 250, 500, 750, 1_000])).first, [])
    assert.deepEqual(burstsOf(timesOf([0, 1, 2, 3])).first, [])
  })

  it('counts requests across checks, and reports an ongoing loop once per second', () => {
    const { first, look } = burstsOf(timesOf([0, 100, 200]))
    assert.deepEqual(first, [])
    assert.deepEqual(
      look(timesOf([300, 400, 500, 600])).map(([, , count]) => count),
      [1],
    )
    assert.deepEqual(look(timesOf([1_000, 1_300, 1_350])), [])
    assert.deepEqual(
      look(timesOf([1_399, 1_400])).map(([, , count]) => count),
      [2],
    )
  })

  it('stores only the requests of the last second', () => {
    const { look } = burstsOf(timesOf([0, 1, 2, 3]))
    assert.deepEqual(look(timesOf([1_003], { 'url.path': '/other' })), [])
    assert.deepEqual(look(timesOf([4])), [])
    assert.equal(burstsOf(timesOf([0, 1, 2, 3, 4])).first.length, 1)
  })

  it('distinguishes clients, targets and bodies, and ignores replayed requests', () => {
    const body = (text: string) => ({
      headers: [],
      body: { type: null, size: 1, text, hex: null, truncated: false, omitted: null },
    })
    const times = [0, 1, 2, 3, 4]
    for (const differing of [
      (at: number) => ({ 'client.address': `10.0.0.${at}` }),
      (at: number) => ({ 'user_agent.original': `agent ${at}` }),
      (at: number) => ({ 'url.path': `/books/${at}` }),
      (at: number) => ({ 'url.query': `page=${at}` }),
      (at: number) => ({ 'http.request.method': `M${at}` }),
      (at: number) => ({ request: body(String(at)) }),
      () => ({ 'dev.replayOf': 'r_1' }),
    ]) {
      assert.deepEqual(burstsOf(times.map((time) => ({ time, ...differing(time) }))).first, [])
    }
    assert.equal(burstsOf(timesOf(times, { request: body('same') })).first.length, 1)
  })
})

describe('console incidents', () => {
  it('reports incidents found across requests in the snapshot and the feed', async (test: TestContext) => {
    test.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
    const parts = makeParts(createHost())
    openCall(parts, SILENT_MS + 10_000)
    const viewer = parts.feed.open(undefined, () => {})
    test.mock.timers.tick(1_000)
    test.mock.timers.tick(100)
    assert.match(String((await viewer.next()).value), /event: problem\ndata: .*"kind":"silent"/)
    viewer.cancel()
  })
})
