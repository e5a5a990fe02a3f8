import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Query } from '#src/devconsole/wire/request-types.js'
import {
  busyShare,
  compactQuery,
  durationText,
  groupQueries,
  outcomeText,
  queryLabel,
  querySpan,
  sortGroups,
  splitParams,
  summarizeQueries,
} from '../../../page/pure/queries.js'
import { record, summary } from '#test/page-records.js'

function query(changes: Partial<Query> = {}): Query {
  return {
    kind: 'sql',
    text: 'select 1',
    params: null,
    target: null,
    start: 0,
    duration: 1,
    rows: null,
    status: null,
    error: null,
    site: null,
    call: null,
    shape: 0,
    ...changes,
  }
}

const MIXED = [
  query({ text: 'select b', params: '1', duration: 2, rows: 3 }),
  query({ text: 'select a', params: '7', duration: 5, shape: 1, error: 'no' }),
  query({ text: 'select b', params: '2', duration: 4, rows: 1 }),
  query({ text: 'select b, c', params: '1', duration: null }),
]

describe('groupQueries()', () => {
  it('groups queries by shape, with the sums of time, rows and errors', () => {
    const groups = groupQueries(MIXED)
    assert.deepEqual(
      groups.map((it) => [it.index, it.members.map(({ index }) => index), it.total, it.rows, it.errors, it.params]),
      [
        [0, [0, 2, 3], 6, 4, 0, ['1', '2']],
        [1, [1], 5, null, 1, ['7']],
      ],
    )
    assert.equal(groups[0]?.first, MIXED[0])
    assert.deepEqual(groupQueries([]), [])
  })

  it('marks groups that the app reports as repeated', () => {
    const marks = (kind: string | null, name: string) =>
      groupQueries(MIXED, [{ kind, name, count: 3, total: 6, site: null }]).map(({ isRepeated }) => isRepeated)
    assert.deepEqual(marks('sql', 'select b'), [true, false])
    assert.deepEqual(marks(null, 'select b'), [false, false])
    assert.deepEqual(marks('sql', 'select a'), [false, false])
  })
})

describe('sortGroups()', () => {
  const groups = groupQueries(MIXED)
  const order = (...args: readonly [Parameters<typeof sortGroups>[1], boolean?]) =>
    sortGroups(groups, ...args).map(({ index }) => index)

  it('sorts order and text ascending, and numbers descending', () => {
    assert.deepEqual(
      [order('order'), order('query'), order('rows'), order('time')],
      [
        [0, 1],
        [1, 0],
        [0, 1],
        [0, 1],
      ],
    )
  })

  it('turns the order around', () => {
    assert.deepEqual(
      [order('order', true), order('query', true), order('rows', true), order('time', true)],
      [
        [1, 0],
        [0, 1],
        [1, 0],
        [1, 0],
      ],
    )
  })
})

describe('querySpan()', () => {
  it('stays within the request, and lasts until its end without a duration', () => {
    assert.deepEqual(querySpan(query({ start: 2, duration: 3 }), 10), { start: 0.2, length: 0.3 })
    assert.deepEqual(querySpan(query({ start: 5, duration: null }), 10), { start: 0.5, length: 0.5 })
    assert.deepEqual(querySpan(query({ start: 5, duration: 50 }), 10), { start: 0.5, length: 0.5 })
    assert.deepEqual(querySpan(query({ start: 20, duration: 1 }), 10), { start: 1, length: 0 })
  })
})

describe('busyShare()', () => {
  it('counts the time of parallel queries once', () => {
    const parallel = [
      query({ start: 4, duration: 2 }),
      query({ start: 0, duration: 5 }),
      query({ start: 1, duration: 1 }),
    ]
    assert.equal(busyShare(parallel, 10), 0.6)
    assert.equal(busyShare([query({ start: 0, duration: 1 }), query({ start: 4, duration: 1 })], 8), 0.25)
    assert.equal(busyShare([], 10), 0)
  })
})

describe('summarizeQueries()', () => {
  it('returns the number of queries and their share of the time', () => {
    const queries = [query({ duration: 4 }), query({ start: 2, duration: 4 })]
    assert.equal(summarizeQueries(summary(), record({ queries })), '2 queries, 60% of the time')
    assert.equal(summarizeQueries(summary(), record({ queries: [query()] })), '1 query, 10% of the time')
    assert.equal(
      summarizeQueries(summary(), record({ queries, queriesMore: 3 })),
      '5 queries, at least 60% of the time',
    )
    assert.equal(summarizeQueries(summary(), record({ queriesMore: 3 })), '3 queries')
  })
})

describe('splitParams()', () => {
  it('splits at commas between values, and not within them', () => {
    assert.deepEqual(splitParams('7, "a, \\"b", [1, {"c":[2,3]}],null'), ['7', '"a, \\"b"', '[1, {"c":[2,3]}]', 'null'])
  })

  it('returns one value for text that is cut or no JSON', () => {
    assert.deepEqual(splitParams('12345678901234567890'), ['12345678901234567890'])
    assert.deepEqual(splitParams('{"a":1, "b'), ['{"a":1, "b'])
    assert.deepEqual(splitParams(''), [''])
  })
})

describe('queryLabel()', () => {
  it('returns the text on one line, cut', () => {
    assert.equal(queryLabel(query({ text: " select\n  'a  b'" })), "select 'a  b'")
    assert.equal(queryLabel(query({ kind: 'redis', text: 'GET\n x' })), 'GET x')
    assert.equal(queryLabel(query({ kind: 'http', text: 'x'.repeat(500) })), `${'x'.repeat(240)}…`)
  })
})

describe('compactQuery()', () => {
  it('returns tokens only for SQL', () => {
    assert.equal(compactQuery('sql', 'select 1').length, 3)
    assert.deepEqual(compactQuery('redis', 'select 1'), [{ kind: 'plain', text: 'select 1' }])
  })
})

describe('outcomeText()', () => {
  it('shows the status, otherwise the rows', () => {
    assert.equal(outcomeText({ rows: 1, status: null }), '1 row')
    assert.equal(outcomeText({ rows: 0, status: null }), '0 rows')
    assert.equal(outcomeText({ rows: null, status: 404 }), '404')
    assert.equal(outcomeText({ rows: null, status: null }), '')
  })
})

describe('durationText()', () => {
  it('shows the duration, or that the query has not ended', () => {
    assert.deepEqual([durationText({ duration: 2 }), durationText({ duration: null })], ['2.00 ms', 'still running'])
  })
})
