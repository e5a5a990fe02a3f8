/** The waterfall, and two records side by side. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RecordedServiceCall } from '#src/devconsole/wire/request-types.js'
import { candidatesFor, compareSummaries, isSuccess, findOriginal } from '../../../page/pure/compare.js'
import { formatServerTiming, buildWaterfall } from '../../../page/pure/waterfall.js'
import { summary } from '#test/page-records.js'

function call(name: string, start: number, duration: number): RecordedServiceCall {
  return { name, start, duration, own: duration, args: '', result: null, error: null, site: null }
}

describe('buildWaterfall()', () => {
  it('starts each phase at the end of the previous phase', () => {
    const rows = buildWaterfall(summary(), null, false)
    assert.deepEqual(
      rows.map(({ name, duration }) => [name, duration]),
      [
        ['Route', 1],
        ['Read body', null],
        ['Validate', 1],
        ['Handler', 6],
        ['Serialize', 1],
        ['Send', 1],
      ],
    )
    assert.deepEqual(rows[3]?.pieces, [{ start: 0.2, length: 0.6 }])
    assert.deepEqual(rows[1]?.pieces, [])
  })

  it('shows guards and providers in their order', () => {
    const names = buildWaterfall(
      summary({ 'dev.duration': 6, 'dev.phases': [1, 1, 0, 0, 1, 1, 1, 1] }),
      null,
      false,
    ).map((row) => row.name)
    assert.deepEqual(names, ['Route', 'Guards', 'Read body', 'Validate', 'Providers', 'Handler', 'Serialize', 'Send'])
  })

  it('shows the remaining time as middleware, unless it is negligible', () => {
    const last = (duration: number) => buildWaterfall(summary({ 'dev.duration': duration }), null, false).at(-1)
    assert.deepEqual([last(20)?.name, last(20)?.duration, last(20)?.share], ['Middleware', 10, 0.5])
    assert.equal(last(10.05)?.name, 'Send')
  })

  it('stays within the total duration if phases are longer', () => {
    const rows = buildWaterfall(summary({ 'dev.duration': 1 }), null, false)
    for (const { pieces } of rows) for (const { start, length } of pieces) assert.ok(start + length <= 1 + 1e-9)
    assert.equal(buildWaterfall(summary({ 'dev.duration': 0, 'dev.phases': [] }), null, false).length, 6)
  })

  it('groups calls with the same name below the handler', () => {
    const calls = [call('db.a', 2, 1), call('db.b', 3, 1), call('db.b', 5, 2)]
    const rows = buildWaterfall(summary(), { calls, queries: [] }, false)
    assert.deepEqual(
      rows.slice(4, 6).map(({ name, kind, duration, pieces }) => [name, kind, duration, pieces.length]),
      [
        ['db.a', 'call', 1, 1],
        ['db.b ×2', 'call', 3, 2],
      ],
    )
  })

  it('shows each call in its row, and groups calls beyond a maximum', () => {
    const calls = Array.from({ length: 203 }, (_, index) => call(`db.c${index}`, 2, 0.01))
    const rows = buildWaterfall(summary(), { calls, queries: [] }, true).filter((row) => row.kind === 'call')
    assert.equal(rows.length, 201)
    assert.equal(rows.at(-1)?.name, 'others ×3')
    const few = buildWaterfall(summary(), { calls: calls.slice(0, 5), queries: [] }, true)
    assert.equal(few.filter((row) => row.kind === 'call').length, 5)
  })
})

describe('formatServerTiming()', () => {
  it('lists the phases that ran', () => {
    assert.equal(
      formatServerTiming(summary({ 'dev.phases': [0.5, 0, 0, 0, 0, 2] })),
      'route;desc="Route";dur=0.50, handler;desc="Handler";dur=2.00',
    )
  })
})

describe('candidatesFor()', () => {
  const now = summary({ id: 'r_9', time: 900 })
  const records = [
    now,
    summary({ id: 'r_8', time: 950 }),
    summary({ id: 'r_7', time: 800, 'http.response.status_code': 500 }),
    summary({ id: 'r_6', time: 700, 'http.request.method': 'PUT' }),
    summary({ id: 'r_5', time: 600, 'code.function.name': 'Other.get' }),
    summary({ id: 'r_4', time: 500, 'http.route': '/other' }),
    summary({ id: 'r_3', time: 400 }),
    summary({ id: 'r_2', time: 300, 'dev.pinned': true, 'http.response.status_code': 404 }),
  ]

  it('finds the newest earlier successful request, and pinned requests', () => {
    const { previous, pinned } = candidatesFor(now, records)
    assert.deepEqual([previous?.id, pinned.map((it) => it.id)], ['r_3', ['r_2']])
  })

  it('returns no candidates without other requests', () => {
    assert.deepEqual(candidatesFor(now, [now]), { previous: null, pinned: [] })
  })
})

describe('candidatesFor(), findOriginal(): files and replays', () => {
  it('does not compare requests of the app with requests of a file', () => {
    const ofFile = summary({ id: 'f_1', boot: 'file-1', time: 100 })
    assert.equal(candidatesFor(summary({ id: 'r_2' }), [ofFile]).previous, null)
    assert.equal(candidatesFor({ ...ofFile, id: 'f_2' }, [ofFile, summary()]).previous?.id, 'f_1')
  })

  it('finds the request of which a request is a replay', () => {
    const original = summary({ 'http.response.status_code': 500 })
    const replay = summary({ id: 'r_2', 'dev.replayOf': 'r_1' })
    assert.equal(findOriginal(replay, [replay, original]), original)
    assert.equal(findOriginal(original, [replay, original]), null)
  })
})

describe('compareSummaries()', () => {
  it('compares the phases that ran in either request, then the total', () => {
    const deltas = compareSummaries(
      summary({ 'dev.phases': [1, 0, 0, 0, 0, 4] }),
      summary({ 'dev.phases': [1, 0, 2, 0, 0, 6], 'dev.duration': 12 }),
    )
    assert.deepEqual(
      deltas.map(({ name, before, after, isWorse }) => [name, before, after, isWorse]),
      [
        ['Route', 1, 1, false],
        ['Read body', 0, 2, true],
        ['Handler', 4, 6, true],
        ['Total', 10, 12, false],
      ],
    )
  })

  it('does not mark a tiny difference as worse', () => {
    const [route] = compareSummaries(summary({ 'dev.phases': [0.1] }), summary({ 'dev.phases': [0.5] }))
    assert.equal(route?.isWorse, false)
  })
})

describe('isSuccess()', () => {
  it('accepts 2xx and 3xx', () => {
    const ofStatus = (status: number) => isSuccess(summary({ 'http.response.status_code': status }))
    assert.deepEqual([0, 199, 200, 304, 399, 400].map(ofStatus), [false, false, true, true, true, false])
  })
})
