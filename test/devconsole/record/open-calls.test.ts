import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { CallsInWork } from '#src/devconsole/record/open-calls.js'
import { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import { createHost } from '#test/console-host.js'
import { PHASE } from '#src/observe/request-recorder.js'
import { endTrail } from '#test/console-trails.js'

const { recorder, store } = makeParts(createHost())

function trails(count: number): RecordedTrail[] {
  return Array.from({ length: count }, () => new RecordedTrail({ method: 'GET', url: '/' }, 0, recorder))
}

describe('CallsInWork: set', () => {
  it('keeps requests in the order of their start when others are removed', () => {
    const all = trails(12)
    const gone = [0, 11, 5, 6, 1, 10]
    const open = new CallsInWork(store)
    for (const trail of all) open.add(trail)
    for (const [taken, index] of gone.entries()) {
      const trail = all[index]
      if (trail !== undefined) open.delete(trail)
      const left = all.filter((_, at) => !gone.slice(0, taken + 1).includes(at))
      assert.deepEqual([[...open].map(({ id }) => id), open.size], [left.map(({ id }) => id), left.length])
    }
  })

  it('removes a request once, and ignores unknown requests', () => {
    const [one, two] = trails(2)
    assert.ok(one !== undefined && two !== undefined)
    const open = new CallsInWork(store)
    open.add(one)
    open.delete(two)
    open.delete(one)
    open.delete(one)
    assert.deepEqual([[...open], open.size], [[], 0])
    open.add(two)
    assert.deepEqual([...open], [two])
  })

  it('contains at most 2,000 requests', () => {
    const open = new CallsInWork(store)
    for (const trail of trails(2_100)) open.add(trail)
    assert.deepEqual([open.size, [...open].length], [2_000, 2_000])
  })
})

/** Answers after the event loop was held up. */
function answeredAfter(parts: ReturnType<typeof makeParts>, url: string, ms: number): RecordedTrail {
  // Proof: `begin` returns a `RecordedTrail` for recorded paths.
  const trail = parts.recorder.begin({ method: 'GET', url }, performance.now()) as RecordedTrail
  const end = performance.now() + ms
  while (performance.now() < end);
  trail.enter(PHASE.rest)
  endTrail(trail)
  return trail
}

describe('CallsInWork', () => {
  it('lists the requests during a stall, with the blocking request first', () => {
    const parts = makeParts(createHost())
    parts.recorder.begin({ method: 'GET', url: '/open?token=abc' }, performance.now())
    const waited = performance.now() + 40
    while (performance.now() < waited);
    const from = performance.now()
    const busy = answeredAfter(parts, '/busy', 40)
    // Proof: `begin` returns a `RecordedTrail` for recorded paths.
    endTrail(parts.recorder.begin({ method: 'GET', url: '/quick' }, performance.now()) as RecordedTrail)
    answeredAfter(parts, '/busy', 20)
    const to = performance.now()
    parts.recorder.begin({ method: 'GET', url: '/later' }, performance.now())
    assert.equal(busy.isEnded, true)
    assert.deepEqual(parts.callsInWork.during({ from, to }), ['GET /busy', 'GET /open'])
    assert.deepEqual(parts.callsInWork.during({ from: from - 1_000, to: from - 500 }), [])
  })

  it('lists at most five requests during a stall', () => {
    const { recorder, callsInWork } = makeParts(createHost())
    for (let index = 0; index < 9; index++) recorder.begin({ method: 'GET', url: `/open/${index}` }, performance.now())
    const to = performance.now() + 1_000
    assert.equal(callsInWork.during({ from: to - 500, to }).length, 5)
  })

  it('lists at most 100 requests that are in progress for longer than a given time', () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 2_500; index++)
      parts.recorder.begin({ method: 'GET', url: `/open?token=${index}` }, performance.now())
    const open = parts.callsInWork.longerThan(-1)
    assert.deepEqual([open.length, open[0]?.route], [100, '/open'])
    assert.deepEqual(parts.callsInWork.longerThan(60_000), [])
  })

  it('shows a request by its matched template, because a path can contain secrets', () => {
    const { recorder, callsInWork } = makeParts(createHost())
    const trail = recorder.begin({ method: 'GET', url: '/reset/hunter2' }, performance.now())
    assert.equal(callsInWork.longerThan(-1)[0]?.route, '/reset/hunter2')
    assert.ok(trail !== null)
    trail.template = '/reset/{token}'
    assert.equal(callsInWork.longerThan(-1)[0]?.route, '/reset/{token}')
  })

  it('redacts plain and encoded secrets in a path without a route', () => {
    const { recorder, callsInWork } = makeParts(createHost())
    recorder.begin({ method: 'GET', url: '/reset/password=hunter2?x' }, performance.now())
    recorder.begin({ method: 'GET', url: '/reset/password%3Dhunter2' }, performance.now())
    recorder.begin({ method: 'GET', url: '/a%20b' }, performance.now())
    const routes = ['/reset/password=redacted', '/reset/password=redacted', '/a%20b']
    assert.deepEqual(
      callsInWork.longerThan(-1).map(({ route }) => route),
      routes,
    )
    const to = performance.now() + 1_000
    assert.deepEqual(callsInWork.during({ from: to - 500, to }).toSorted(), [`GET ${routes[2]}`, `GET ${routes[0]}`])
  })
})
