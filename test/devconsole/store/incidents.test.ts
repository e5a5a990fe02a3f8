import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Incidents } from '#src/devconsole/store/incidents.js'
import type { ErrorDetail, IssueDetail, RequestRecord } from '#src/devconsole/wire/request-types.js'
import { createFlaggedRecord as recordWith } from '#test/console-records.js'

const FRAME = { n: 0, function: 'Books.get', file: 'src/books.ts', line: 7, column: 1, kind: 'app' } as const
const ERROR: ErrorDetail = { name: 'TypeError', message: 'no', frames: [FRAME], source: null, cause: null, members: [] }

function issue(side: IssueDetail['side'], where: string): IssueDetail {
  return { side, where, message: 'Wrong', code: null, received: null }
}

function incidentOf(given: Partial<RequestRecord>) {
  const [incident, ...others] = new Incidents(800).look(recordWith(given))
  assert.deepEqual(others, [])
  return [incident?.kind, incident?.title.join(''), incident?.detail, incident?.facts.join(' '), incident?.query]
}

describe('Incidents', () => {
  it('returns nothing for a successful request', () => {
    assert.deepEqual(new Incidents(800).look(recordWith()), [])
  })

  it('names the newest request of a group as its sample', () => {
    const incidents = new Incidents(800)
    const slow = (id: string) => incidents.look(recordWith({ id, 'dev.flags': ['slow'] }))[0]?.sample
    assert.deepEqual([slow('r_1'), slow('r_2')], ['r_1', 'r_2'])
    assert.equal(incidents.stalled(300, [], 1).sample, null)
  })

  it('describes each kind with its details and filter', () => {
    assert.deepEqual(incidentOf({ 'http.response.status_code': 500, error: ERROR, 'dev.flags': ['error'] }), [
      ...['exception', 'TypeError in Books.get', 'no', 'GET /books/{id} src/books.ts:7', 'handler:Books.get is:error'],
    ])
    const call = {
      ...{ name: 'db.find', start: 0, duration: 750, own: 750, args: '' },
      ...{ result: null, error: null, site: null },
    }
    const quick = { ...call, name: 'db.quick', duration: 1, own: 1 }
    assert.deepEqual(incidentOf({ 'dev.duration': 1_000, 'dev.flags': ['slow'], calls: [quick, call] }), [
      'slow',
      'Slow endpoint Books.get',
      'It took 1000 ms, against a limit of 800 ms. 75% of the last request was spent in db.find.',
      'GET /books/{id}',
      'handler:Books.get is:slow',
    ])
    assert.equal(
      incidentOf({ 'dev.duration': 900, 'dev.flags': ['slow'] })[2],
      'It took 900 ms, against a limit of 800 ms.',
    )
    assert.deepEqual(incidentOf({ issues: [issue('request', 'body.title'), issue('request', 'body.title')] }), [
      ...['invalid', 'Clients send an invalid body.title', 'Wrong', 'GET /books/{id}', 'handler:Books.get is:invalid'],
    ])
    const repeated = { kind: null, name: 'db.find', count: 9, total: 5, site: { file: 'src/books.ts', line: 7 } }
    assert.deepEqual(incidentOf({ repeated: [repeated] }), [
      'repeated',
      'Looks like a repeated call: db.find',
      'Books.get called it 9 times in one request. One call for all may be enough.',
      'GET /books/{id} src/books.ts:7',
      'handler:Books.get is:n+1',
    ])
    assert.equal(incidentOf({ repeated: [{ ...repeated, site: null }] })[3], 'GET /books/{id}')
    const mismatch = { 'dev.flags': ['mismatch'], error: ERROR }
    assert.deepEqual(incidentOf({ ...mismatch, issues: [issue('response', 'body.title')] }), [
      'mismatch',
      'The response does not match its contract: Books.get',
      'body.title: Wrong',
      'GET /books/{id}',
      'handler:Books.get status:5xx',
    ])
    assert.equal(incidentOf(mismatch)[2], '')
    const version = { asked: '3.0.0', constraint: '1.x, 2.x', ok: false, from: 'accept-version', isDefault: false }
    const asked = { 'http.response.status_code': 406, version: { ...version, alternatives: ['1.x', '2.x'] } }
    assert.deepEqual(incidentOf(asked), [
      'version',
      'Clients request a version that is missing: GET /books/{id}',
      'The last one requested 3.0.0 by accept-version. Versions: 1.x, 2.x.',
      '',
      'template:/books/{id} status:406',
    ])
    const unasked = { version: { ...asked.version, isDefault: true, alternatives: ['1.x'] } }
    assert.equal(
      incidentOf(unasked)[2],
      'The last one did not request a version, so it got the default 3.0.0. Versions: 1.x.',
    )
    const missing = { version: { ...asked.version, asked: null } }
    assert.equal(incidentOf(missing)[2], 'The last one did not request a version. Versions: 1.x, 2.x.')
    assert.deepEqual(new Incidents(800).look(recordWith({ version: { ...asked.version, ok: true } })), [])
    assert.deepEqual(incidentOf({ 'http.response.body.size': 3 * 1024 * 1024 }), [
      ...[
        'large',
        'Large response of Books.get',
        'The last one had 3.0 MB.',
        'GET /books/{id}',
        'handler:Books.get size:>1mb',
      ],
    ])
  })

  it('describes an error without a route and without a frame of the app', () => {
    const given = { 'http.route': null, 'code.function.name': null, error: { ...ERROR, frames: [] } }
    assert.deepEqual(incidentOf({ ...given, 'dev.flags': ['error'] }), [
      ...['exception', 'TypeError in GET (no route)', 'no', 'GET (no route)', 'is:error'],
    ])
  })

  it('identifies an exception by code or name, endpoint and message without values, and not by the line of code', () => {
    const keyOf = (error: Partial<ErrorDetail>, given: Partial<RequestRecord> = {}) =>
      new Incidents(800).look(recordWith({ error: { ...ERROR, ...error }, 'dev.flags': ['error'], ...given }))[0]?.key
    const key = keyOf({ message: 'No seat 7 for "Ann"' })
    assert.equal(keyOf({ message: 'No seat 12 for "Bob"', frames: [{ ...FRAME, line: 99 }] }), key)
    const others = [
      keyOf({ message: 'No seat 7 for "Ann"', name: 'RangeError' }),
      keyOf({ message: 'No seat 7 for "Ann"', code: 'E_SEAT' }),
      keyOf({ message: 'No bed 7 for "Ann"' }),
      keyOf({ message: 'No seat 7 for "Ann"' }, { 'http.request.method': 'PUT' }),
      keyOf({ message: 'No seat 7 for "Ann"' }, { 'http.route': '/seats/{id}' }),
    ]
    assert.equal(new Set([key, ...others]).size, 6)
  })

  it('identifies an invalid field by its path without indexes, and its message without values', () => {
    const keysOf = (...issues: readonly IssueDetail[]) => new Incidents(800).look(recordWith({ issues })).length
    const tooLong = { ...issue('request', 'body.lines.2.count'), message: 'At most 5' }
    assert.equal(keysOf(tooLong, { ...tooLong, where: 'body.lines.3.count', message: 'At most 6' }), 1)
    assert.equal(keysOf(tooLong, { ...tooLong, where: 'body.lines2.count' }, { ...tooLong, message: 'No number' }), 3)
  })

  it('names the endpoint of an incident, unless no path template matches', () => {
    const endpointOf = (given: Partial<RequestRecord>) =>
      new Incidents(800).look(recordWith({ 'dev.flags': ['slow'], ...given }))[0]?.endpoint
    assert.deepEqual([endpointOf({}), endpointOf({ 'http.route': null })], ['GET /books/{id}', null])
    assert.equal(new Incidents(800).stalled(300, ['GET /books/{id}'], 1).endpoint, null)
  })

  it('groups equal incidents, with a count and a trend', () => {
    const incidents = new Incidents(800)
    const failed = { error: ERROR, 'dev.flags': ['error'] }
    incidents.look(recordWith({ ...failed, time: 0 }))
    const [again] = incidents.look(recordWith({ ...failed, time: 10 * 60_000 }))
    assert.deepEqual([again?.count, again?.first, again?.last], [2, 1, 600_001])
    assert.deepEqual([again?.trend.length, again?.trend.at(-1), again?.trend.at(-11)], [24, 1, 1])
    const [listed] = incidents.list(2 * 3_600_000)
    assert.deepEqual([listed?.count, listed?.trend.every((each) => each === 0)], [2, true])
    incidents.clear()
    assert.deepEqual(incidents.list(0), [])
  })

  it('describes stalls with the requests in progress', () => {
    const incidents = new Incidents(800)
    assert.equal(
      incidents.stalled(250.4, [], 1_000).detail,
      'No other code ran for 250 ms. No request was in progress.',
    )
    incidents.stalled(250.4, ['GET /a'], 1_500)
    const { title, detail, count } = incidents.stalled(300, ['GET /a', 'GET /b'], 2_000)
    assert.deepEqual(
      [title, detail, count],
      [
        ['The event loop was blocked during ', 'GET /a'],
        'No other code ran for 300 ms. In progress: GET /a, GET /b.',
        2,
      ],
    )
    assert.equal(incidents.list(2_000).length, 2)
  })

  it('keeps at most 100 groups, and a limited number of times for each', () => {
    const incidents = new Incidents(800)
    for (let index = 0; index < 130; index++) {
      incidents.look(recordWith({ issues: [issue('request', `query.k${index}`)], time: index }))
    }
    const titles = incidents.list(1_000).map(({ title }) => title[1])
    assert.deepEqual([titles.length, titles[0], titles.at(-1)], [100, 'query.k129', 'query.k30'])
    for (let index = 0; index < 500; index++) incidents.stalled(300, [], index)
    const [stall] = incidents.list(500)
    assert.deepEqual([stall?.count, stall?.trend.at(-1)], [500, 200])
  })
})
