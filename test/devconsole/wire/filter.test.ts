/** The filter of the list of requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MAX_FILTER_LENGTH, parseFilter } from '#src/devconsole/wire/filter.js'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import { compareVersions, parseVersion } from '#src/versioning/version.js'
import { jsonBody, record, summary } from '#test/page-records.js'

const failed = { 'http.response.status_code': 500, 'error.type': 'TypeError', 'dev.flags': ['error'] }
const slow = { 'dev.duration': 1_500, 'dev.flags': ['slow'] }

function asking(asked: string | null): Partial<RequestSummary> {
  return { 'dev.version': { asked, constraint: '>=1', ok: true } }
}

/** Filter, a matching request, a request that does not match. */
const ROWS: readonly (readonly [q: string, yes: Partial<RequestSummary>, no: Partial<RequestSummary>])[] = [
  ['status:422', { 'http.response.status_code': 422 }, {}],
  ['status:4XX', { 'http.response.status_code': 499 }, { 'http.response.status_code': 500 }],
  ['status:400..404', { 'http.response.status_code': 404 }, { 'http.response.status_code': 405 }],
  ['status:400..404', { 'http.response.status_code': 400 }, { 'http.response.status_code': 399 }],
  ['status:>=400', { 'http.response.status_code': 400 }, { 'http.response.status_code': 399 }],
  ['status:>400', { 'http.response.status_code': 401 }, { 'http.response.status_code': 400 }],
  ['status:<=204', { 'http.response.status_code': 204 }, { 'http.response.status_code': 205 }],
  ['status:<204', { 'http.response.status_code': 203 }, { 'http.response.status_code': 204 }],
  ['method:get,post', { 'http.request.method': 'POST' }, { 'http.request.method': 'PUT' }],
  ['path:/users', {}, { 'url.path': '/teams/users' }],
  ['path:/USERS/*', {}, { 'url.path': '/users' }],
  ['path:*ers*7', {}, { 'url.path': '/users/78' }],
  ['path:/a*b*c', { 'url.path': '/a-b-c' }, { 'url.path': '/a-c-b' }],
  ['path:/a*a', { 'url.path': '/aa' }, { 'url.path': '/a' }],
  ['path:/a*b*b', { 'url.path': '/abb' }, { 'url.path': '/ab' }],
  ['path:"/with space"', { 'url.path': '/with space/x' }, { 'url.path': '/with' }],
  ['template:/users/{id}', {}, { 'http.route': '/users/{id}/teams' }],
  ['template:/users*', {}, { 'http.route': null }],
  ['handler:user.', {}, { 'code.function.name': 'Users.get' }],
  ['handler:*.get', {}, { 'code.function.name': null }],
  ['dur:>200ms', slow, {}],
  ['dur:1s..3s', slow, { 'dev.duration': 3_001 }],
  ['dur:10', { 'dev.duration': 10.4 }, { 'dev.duration': 11 }],
  ['size:>10kb', { 'http.response.body.size': 10_001 }, { 'http.response.body.size': 10_000 }],
  ['size:1mb..2MB', { 'http.response.body.size': 1_500_000 }, { 'http.response.body.size': 999_999 }],
  ['size:100b..1kb', {}, { 'http.response.body.size': 2_000 }],
  ['db:>5', { 'dev.db': 6 }, { 'dev.db': 5 }],
  ['id:r_1', {}, { id: 'r_2' }],
  ['id:Ab3_9', { 'dev.requestId': 'Ab3_9xyz' }, {}],
  ['ab3_9XYZ', { 'dev.requestId': 'Ab3_9xyz' }, { 'dev.requestId': 'Ab3_9xy' }],
  ['pid:41', {}, { 'process.pid': 42 }],
  ['client:10.0.', { 'client.address': '10.0.0.7' }, { 'client.address': '10.1.0.7' }],
  ['client:*:1', { 'client.address': '::1' }, { 'client.address': null }],
  ['version:2', asking('2.1.0'), asking('20.0.0')],
  ['version:2.1', asking('2.1.7'), asking('2.0.1')],
  ['version:2.0.0', asking('2'), asking('2.0.1')],
  ['version:>=2.0.0', asking('2'), asking('1.9.9')],
  ['version:>2', asking('2.0.1'), asking('2.0.0')],
  ['version:<=2.1', asking('2.1.0'), asking('2.1.1')],
  ['version:<2026-01-31', asking('2026-01-30'), asking('2026-01-31')],
  ['version:2026-01', asking('2026-01-09'), asking('2026-02-01')],
  ['version:>1', asking('2'), asking('2026-01-31')],
  ['version:>1', asking('2.0'), asking('nonsense')],
  ['-version:>=0', {}, asking('0')],
  ['version:1', asking('1.0'), { 'dev.version': null }],
  ['id:r_1', {}, { id: 'r_2' }],
  ['is:slow', slow, {}],
  ['is:error', failed, {}],
  ['is:error', { 'error.type': 'HttpError' }, {}],
  ['is:invalid', { 'dev.issues': 1 }, {}],
  ['is:N+1', { 'dev.flags': ['n+1'] }, {}],
  ['is:pinned', { 'dev.pinned': true }, {}],
  ['is:replayed', { 'dev.replayOf': 'r_0' }, {}],
  ['is:inflight', { 'dev.flags': ['inflight'] }, {}],
  ['is:aborted', { 'dev.flags': ['aborted'] }, {}],
  ['has:logs', { 'dev.logs': 1 }, {}],
  ['has:body', { 'http.request.body.size': 1 }, {}],
  ['has:error', failed, {}],
  ['has:db', { 'dev.db': 1 }, {}],
  ['-status:200', { 'http.response.status_code': 201 }, {}],
  ['-"users/7"', { 'url.path': '/x' }, {}],
  ['users/7', {}, { 'url.path': '/users/8' }],
  ['User.get', {}, { 'code.function.name': null }],
  ['"?limit=5"', { 'url.query': 'limit=5' }, {}],
  ['R_1', {}, { id: 'r_2' }],
  ['status:5xx is:slow', { ...failed, ...slow }, { ...failed }],
  ['14:03', { 'url.path': '/at/14:03' }, {}],
  [':x', { 'url.path': '/:x' }, {}],
  ['-', { 'url.path': '/a-b' }, {}],
]

describe('parseFilter()', () => {
  for (const [q, yes, no] of ROWS) {
    it(`matches ${q} with ${JSON.stringify(yes)}, but not with ${JSON.stringify(no)}`, () => {
      const { matches, errors, isEmpty } = parseFilter(q)
      assert.deepEqual(errors, [])
      assert.equal(isEmpty, false)
      assert.deepEqual([matches({ summary: summary(yes) }), matches({ summary: summary(no) })], [true, false])
    })
  }

  it('matches everything if the filter is empty', () => {
    const { matches, errors, isEmpty } = parseFilter(' \t ')
    assert.deepEqual([matches({ summary: summary() }), errors, isEmpty], [true, [], true])
  })

  it('searches log lines if they are passed', () => {
    const { matches } = parseFilter('"Out of Paper"')
    assert.equal(matches({ summary: summary(), logText: 'the printer is out of paper' }), true)
    assert.equal(matches({ summary: summary() }), false)
  })

  const WRONG: readonly (readonly [q: string, message: RegExp])[] = [
    ['stat:500', /^Unknown key "stat"\. Keys are status, method, path/],
    ['status:', /^"status:" needs a value: a status, 5xx/],
    ['status:6xx', /^"status:" takes a status/],
    ['status:x', /^"status:" takes/],
    ['dur:>', /^"dur:" takes a duration/],
    ['dur:1h', /^"dur:" takes/],
    ['dur:1.2.3', /^"dur:" takes/],
    ['dur:1..x', /^"dur:" takes/],
    ['dur:x..1', /^"dur:" takes/],
    ['is:odd', /^"is:" takes one of slow, error/],
    ['has:odd', /^"has:" takes one of logs/],
    [`path:${'a'.repeat(201)}`, /^"path:" takes/],
    ['after:25:00', /^"after:" takes a time/],
    ['after:10:60', /^"after:" takes a time/],
    ['after:10:00:60', /^"after:" takes a time/],
    ['after:10', /^"after:" takes a time/],
    ['before:1:2:3:4', /^"before:" takes a time/],
    ['before:1:-2', /^"before:" takes a time/],
    ['version:v2', /^"version:" takes a version/],
    ['version:>=', /^"version:" takes/],
    ['version:1.2.3.4', /^"version:" takes/],
    ['version:2.x', /^"version:" takes/],
  ]
  for (const [q, message] of WRONG) {
    it(`reports an error for ${q.slice(0, 20)} and applies the other terms`, () => {
      const { errors, matches } = parseFilter(`${q} status:404`)
      assert.equal(errors.length, 1)
      assert.equal(errors[0]?.term, q)
      assert.match(errors[0]?.message ?? '', message)
      assert.equal(matches({ summary: summary({ 'http.response.status_code': 404 }) }), true)
      assert.equal(matches({ summary: summary() }), false)
    })
  }

  it('compares versions like version negotiation', () => {
    const part = fc.integer({ min: 0, max: 3 })
    const numbers = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
    const dates = fc.tuple(part, part).map(([month, day]) => `2026-0${month + 1}-1${day}`)
    const versions = fc.oneof(numbers, dates)
    const SIGNS = new Map([
      ['>', (order: number) => order > 0],
      ['>=', (order: number) => order >= 0],
      ['<', (order: number) => order < 0],
      ['<=', (order: number) => order <= 0],
    ])
    fc.assert(
      fc.property(versions, versions, fc.constantFrom(...SIGNS), (asked, bound, [sign, holds]) => {
        const [one, other] = [parseVersion(asked), parseVersion(bound)]
        assert.ok(one !== undefined && other !== undefined)
        const expected = one.kind === other.kind && holds(compareVersions(one, other))
        const { matches } = parseFilter(`version:${sign}${bound}`)
        assert.equal(matches({ summary: summary(asking(asked)) }), expected)
      }),
    )
  })

  it('interprets a time as the last occurrence of that time', () => {
    const clock = (time: number) => new Date(time).toTimeString().slice(0, 8)
    const past = Date.now() - 3_600_000
    const [old, fresh] = [past - 60_000, past + 60_000].map((time) => ({ summary: summary({ time }) }))
    assert.ok(old !== undefined && fresh !== undefined)
    const after = parseFilter(`after:${clock(past)}`).matches
    const before = parseFilter(`before:${clock(past)}`).matches
    assert.deepEqual([after(old), after(fresh), before(old), before(fresh)], [false, true, true, false])
  })

  it('interprets a future time of day as yesterday', () => {
    const soon = new Date(Date.now() + 2 * 60_000)
    const { matches } = parseFilter(`after:${soon.toTimeString().slice(0, 5)}`)
    assert.equal(matches({ summary: summary({ time: Date.now() }) }), true)
    assert.equal(matches({ summary: summary({ time: Date.now() - 25 * 3_600_000 }) }), false)
  })

  it('interprets a time of day in the next minute as today', () => {
    const [now, soon] = [Date.UTC(2026, 0, 2, 14, 3, 25), Date.UTC(2026, 0, 2, 14, 3, 30)]
    const request = { summary: summary({ time: now - 1_000 }) }
    for (const [q, isMatch] of [
      ['after:14:03:20 before:14:03:30', true],
      ['before:14:04:25', true],
      ['before:14:04:26', false],
      ['after:14:04', false],
    ] as const) {
      assert.equal(parseFilter(q, now, 0).matches(request), isMatch, q)
    }
    assert.equal(parseFilter('before:14:03:30', now, 0).matches({ summary: summary({ time: soon }) }), false)
  })

  it('interprets a time of day in the time zone of the browser', () => {
    const now = Date.UTC(2026, 0, 2, 22, 45)
    const early = { summary: summary({ time: Date.UTC(2026, 0, 2, 20, 0) }) }
    // 20:30 UTC is 02:00 of the next day in Kolkata, and 15:30 in New York.
    for (const [q, minutes] of [
      ['before:20:30', 0],
      ['before:02:00', -330],
      ['before:15:30', 300],
    ] as const) {
      assert.equal(parseFilter(q, now, minutes).matches(early), true, q)
      assert.equal(parseFilter(q.replace('before', 'after'), now, minutes).matches(early), false, q)
    }
  })

  it('reads only the beginning of a long filter', () => {
    const { errors, matches } = parseFilter(`status:404${' '.repeat(MAX_FILTER_LENGTH)}status:200`)
    assert.match(errors[0]?.message ?? '', /^Only the first 1000 characters/)
    assert.equal(matches({ summary: summary({ 'http.response.status_code': 404 }) }), true)
  })

  it('never throws, for any filter', () => {
    const words = [
      'status:',
      'is:',
      'path:',
      'dur:',
      '-',
      '"',
      '*',
      '..',
      '>',
      'after:',
      ' ',
      '5xx',
      'constructor:',
      '__proto__:',
    ]
    const typed = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' })), { maxLength: 40 })
    fc.assert(
      fc.property(typed, (parts) => {
        const { matches } = parseFilter(parts.join(''))
        assert.equal(typeof matches({ summary: summary() }), 'boolean')
      }),
    )
  })

  it('matches `*` like an equivalent regular expression', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    const path = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(piece, path, (pattern, text) => {
        const expected = new RegExp(`^/${pattern.replaceAll('*', '.*')}$`).test(`/${text}`)
        const { matches } = parseFilter(`template:/${pattern}`)
        assert.equal(matches({ summary: summary({ 'http.route': `/${text}` }) }), expected)
      }),
    )
  })

  it('matches a pattern without backtracking', () => {
    const { matches } = parseFilter(`path:${'a*'.repeat(90)}b`)
    assert.equal(matches({ summary: summary({ 'url.path': 'a'.repeat(8_000) }) }), false)
  })
})

describe('parseFilter(): header and body', () => {
  const sent = record({
    request: { headers: [['X-Tenant', 'Acme GmbH']], body: jsonBody('{"a":"Tea"}') },
    response: { headers: [['etag', '"a=b"']], body: null },
  })
  const matches = (q: string) => parseFilter(q).matches({ summary: sent, record: sent })

  it('matches names from their start, values and bodies at any place', () => {
    for (const q of [
      'header:x-ten',
      'header:gmbh',
      'header:X-TENANT=acme',
      'header:etag=a=b',
      'header:"x-tenant: acme gmbh"',
      'header:a=b',
      'header:etag:"a=b"',
      'body:tea',
      'body:"a":"tea"',
      '-body:cup',
    ]) {
      assert.ok(matches(q), q)
    }
    for (const q of [
      'header:tenant',
      'header:x-ten=acme',
      'header:etag=acme',
      'header:etag:b=a',
      'body:cup',
      'body:"a":tee',
    ])
      assert.ok(!matches(q), q)
  })

  it('matches nothing without the full request, and reports that it needs it', () => {
    assert.ok(!parseFilter('header:x body:y').matches({ summary: sent }))
    assert.deepEqual(
      ['body:x', '-header:x', 'body:', 'path:/x', ''].map((q) => parseFilter(q).needsRecord),
      [true, true, false, false, false],
    )
  })
})
