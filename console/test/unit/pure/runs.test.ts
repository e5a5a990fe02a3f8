import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EarlierRun, Incident } from '#src/devconsole/wire/feed-types.js'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import {
  compareReplay,
  earlierRuns,
  failingRequests,
  fileBoot,
  findReplay,
  isOfFile,
  MAX_RUNS,
  mergeRuns,
  summarizeRun,
  trackIncidents,
} from '../../../page/pure/runs.js'
import { EMPTY, type State } from '../../../page/pure/state.js'
import { summary } from '#test/page-records.js'

const ENDPOINT = 'GET /users/{id}'

function incident(key: string, endpoint: string | null = ENDPOINT): Incident {
  const counts = { count: 1, unit: 'times', trend: [], first: 0, last: 0 }
  return { key, kind: 'slow', endpoint, title: [], detail: '', ...counts, facts: [], query: '', sample: null }
}

function run(boot: string, started: number, given: Partial<EarlierRun> = {}): EarlierRun {
  return { boot, started, incidents: [], endpoints: [{ endpoint: ENDPOINT, median: started }], ...given }
}

function state(given: Partial<State> = {}): State {
  return { ...EMPTY, boot: 'now', boots: new Map([['now', 9_000]]), ...given }
}

const CURRENT = summary({ boot: 'now', 'dev.duration': 4 })

/** Returns state, medians before and medians after the change, by key of the incident. */
function tracked(given: Partial<State>): Record<string, readonly unknown[]> {
  return Object.fromEntries(
    trackIncidents(state(given)).map(({ incident: { key }, standing, before, after }) => {
      const since = standing?.kind === 'gone' ? [standing.since] : []
      return [key, [standing?.kind ?? null, ...since, before, after]]
    }),
  )
}

describe('summarizeRun()', () => {
  it('contains the begin, the incidents and the median of each endpoint of the run', () => {
    const records = [3, 1, 8].map((duration) => ({ ...CURRENT, 'dev.duration': duration }))
    const post = { ...CURRENT, 'http.request.method': 'POST' }
    const others = [
      { ...CURRENT, boot: 'old' },
      { ...CURRENT, 'http.route': null },
    ]
    const problems = [incident('a')]
    assert.deepEqual(summarizeRun(state({ records: [...records, post, post, ...others], problems })), {
      boot: 'now',
      started: 9_000,
      incidents: problems,
      endpoints: [
        { endpoint: ENDPOINT, median: 3 },
        { endpoint: 'POST /users/{id}', median: 4 },
      ],
    })
    assert.equal(summarizeRun(state({ boots: new Map() })).started, 0)
  })

  it('uses the mean of the two middle durations of an even number', () => {
    const records = [1, 2, 4, 100].map((duration) => ({ ...CURRENT, 'dev.duration': duration }))
    assert.equal(summarizeRun(state({ records })).endpoints[0]?.median, 3)
  })

  it('uses the histogram of the app for endpoints whose requests are not listed', () => {
    const stats = { version: null, handler: null, calls: 1, errors: 0, since: 0, max: 8 }
    const endpoints = [
      { ...stats, method: 'GET', template: '/users/{id}', durations: [104, 1] },
      { ...stats, method: 'GET', template: '/other', durations: [104, 1] },
      { ...stats, method: 'GET', template: '/never', durations: [] },
    ]
    const medians = summarizeRun(state({ records: [CURRENT], endpoints })).endpoints
    assert.deepEqual(medians[0], { endpoint: ENDPOINT, median: 4 })
    assert.deepEqual([medians.length, medians[1]?.endpoint, Math.round(medians[1]?.median ?? 0)], [2, 'GET /other', 8])
  })
})

describe('mergeRuns(), earlierRuns()', () => {
  it('returns the newest runs first, each once, without runs that had no requests', () => {
    const empty = run('empty', 50, { endpoints: [] })
    const newer = run('a', 10, { incidents: [incident('x')], endpoints: [] })
    assert.deepEqual(mergeRuns([run('a', 10), empty], [run('b', 20), newer]), [run('b', 20), newer])
    const many = Array.from({ length: 9 }, (_, index) => run(`r${index}`, index))
    assert.deepEqual([mergeRuns(many).length, mergeRuns(many)[0]?.boot], [MAX_RUNS, 'r8'])
  })

  it('does not return the current run', () => {
    assert.deepEqual(earlierRuns(state({ runs: [run('now', 9_000), run('a', 1)] })), [run('a', 1)])
  })
})

describe('trackIncidents()', () => {
  it('compares nothing without an earlier run', () => {
    assert.deepEqual(tracked({ problems: [incident('a')], runs: [run('now', 9_000)] }), { a: [null, null, null] })
  })

  it('distinguishes gone, not requested, still there and new, with medians before and after', () => {
    const other = incident('unrequested', 'GET /other')
    const incidents = [incident('gone'), other, incident('still')]
    const endpoints = [...run('old', 10).endpoints, { endpoint: 'GET /other', median: 7 }]
    const problems = [incident('still'), incident('new'), incident('first', 'GET /first')]
    assert.deepEqual(tracked({ runs: [run('old', 10, { incidents, endpoints })], problems, records: [CURRENT] }), {
      still: ['still', 10, 4],
      new: ['new', 10, 4],
      first: ['new', null, null],
      gone: ['gone', 9_000, 10, 4],
      unrequested: ['unrequested', 7, null],
    })
  })

  it('is gone since the first run in which the endpoint was requested again', () => {
    const runs = [run('c', 300), run('b', 200, { endpoints: [] }), run('a', 100, { incidents: [incident('x')] })]
    assert.deepEqual(tracked({ runs }), { x: ['gone', 300, 100, 300] })
    assert.deepEqual(tracked({ runs: [run('b', 200), ...runs.slice(2)], records: [CURRENT] }), {
      x: ['gone', 200, 100, 4],
    })
  })

  it('uses the newest run of an incident, and lists it once', () => {
    const runs = [run('b', 200, { incidents: [incident('x')] }), run('a', 100, { incidents: [incident('x')] })]
    assert.deepEqual(tracked({ runs }), { x: ['unrequested', 200, null] })
  })

  it('lists no earlier incidents without an endpoint, which cannot be requested again', () => {
    const runs = [run('a', 100, { incidents: [incident('stall', null)] })]
    assert.deepEqual(tracked({ runs, records: [CURRENT] }), {})
    assert.deepEqual(tracked({ runs, problems: [incident('stall', null)] }), { stall: ['still', null, null] })
  })
})

describe('failingRequests()', () => {
  const failed = (id: string, time: number, given: Partial<RequestSummary> = {}) =>
    summary({ id, time, boot: 'old', 'http.response.status_code': 500, 'url.path': `/${id}`, ...given })
  const idsOf = (...records: readonly RequestSummary[]) => failingRequests(state({ records })).map(({ id }) => id)

  it('returns the failing requests of the newest earlier run that has them, oldest first', () => {
    const slow = failed('slow', 3, { 'http.response.status_code': 200, 'dev.flags': ['slow'] })
    const lost = failed('lost', 2, { 'http.response.status_code': 0 })
    const ordinary = summary({ id: 'fine', boot: 'newer', time: 9 })
    assert.deepEqual(idsOf(ordinary, slow, lost, failed('a', 1), failed('b', 0, { boot: 'older' })), [
      'a',
      'lost',
      'slow',
    ])
    assert.deepEqual(idsOf(failed('a', 1, { boot: 'now' }), failed('b', 1, { boot: fileBoot(1) }), ordinary), [])
  })

  it('returns the newest of equal requests, and at most 20', () => {
    const same = { 'url.path': '/same' }
    assert.deepEqual(idsOf(failed('b', 2, same), failed('a', 1, same)), ['b'])
    assert.deepEqual(idsOf(failed('b', 2, { ...same, 'url.query': 'x=1' }), failed('a', 1, same)), ['a', 'b'])
    const many = Array.from({ length: 30 }, (_, index) => failed(`r${index}`, index))
    assert.deepEqual([idsOf(...many).length, idsOf(...many)[0]], [20, 'r10'])
  })
})

describe('compareReplay(), findReplay()', () => {
  it('distinguishes fixed, the same failure, and another one', () => {
    const failed = summary({ 'http.response.status_code': 500, 'error.type': 'TypeError', 'dev.flags': ['error'] })
    const missing = summary({ 'http.response.status_code': 404 })
    const results = [summary(), failed, missing, { ...failed, 'error.type': 'RangeError' }]
    assert.deepEqual(
      results.map((after) => compareReplay(failed, after)),
      ['fixed', 'same', 'other', 'other'],
    )
  })

  it('finds the newest replay of the current run', () => {
    const replay = { ...CURRENT, id: 'r_2', 'dev.replayOf': 'r_1' }
    const records = [replay, { ...replay, id: 'r_3' }, { ...replay, boot: 'old' }]
    assert.equal(findReplay(state({ records }), 'r_1'), replay)
    assert.equal(findReplay(state({ records: records.slice(2) }), 'r_1'), null)
  })
})

describe('fileBoot(), isOfFile()', () => {
  it('distinguishes requests in files from requests of processes', () => {
    assert.deepEqual([isOfFile({ boot: fileBoot(3) }), isOfFile(CURRENT)], [true, false])
  })
})
