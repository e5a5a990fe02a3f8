import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Query, RecordedServiceCall } from '#src/devconsole/wire/request-types.js'
import { buildCallRows, listCallRows, type CallRow } from '../../../page/pure/call-rows.js'

function call(name: string, start: number, error: string | null = null): RecordedServiceCall {
  return { name, start, duration: 2, own: 1, args: '', result: null, error, site: null }
}

function query(text: string, changes: Partial<Query> = {}): Query {
  const values = { params: null, target: null, rows: null, status: null, error: null, site: null }
  return { kind: 'sql', text, start: 0, duration: 1, call: null, shape: 0, ...values, ...changes }
}

const CALLS = [call('db.list', 0), call('db.find', 2), call('db.find', 4, 'gone')]
const QUERIES = [
  query('select list', { start: 0.5, call: 0 }),
  query('select find 1', { start: 2.5, call: 1, shape: 1 }),
  query('select find 2', { start: 4.5, call: 2, shape: 1 }),
  query('GET http://x/', { kind: 'http', start: 1, duration: null, shape: 3 }),
]
const names = (rows: readonly CallRow[]): unknown[] => rows.map((row) => [row.name, ...names(row.queries)])

describe('buildCallRows()', () => {
  it('puts queries below the call that sent them, and queries without a call on their own level', () => {
    assert.deepEqual(names(buildCallRows({ calls: CALLS, queries: QUERIES }, 10, true)), [
      ['db.list', ['select list']],
      ['GET http://x/'],
      ['db.find', ['select find 1']],
      ['db.find', ['select find 2']],
    ])
  })

  it('groups calls of the same name and queries of the same shape', () => {
    const rows = buildCallRows({ calls: CALLS, queries: QUERIES }, 10, false)
    assert.deepEqual(names(rows), [
      ['db.list', ['select list']],
      ['GET http://x/'],
      ['db.find ×2', ['select find 1 ×2']],
    ])
    const [, , find] = rows
    assert.deepEqual([find?.duration, find?.share, find?.hasError, find?.pieces.length], [4, 0.4, true, 2])
    assert.deepEqual(names(find?.members ?? []), [
      ['db.find', ['select find 1']],
      ['db.find', ['select find 2']],
    ])
  })

  it('groups repeated queries within a call, and keeps single queries in a group of calls', () => {
    const twice = [query('a', { call: 1 }), query('a', { call: 1 }), query('b', { call: 2, shape: 2 })]
    const [, find] = buildCallRows({ calls: CALLS, queries: twice }, 10, false)
    assert.deepEqual(names(find?.queries ?? []), [['a ×2'], ['b']])
    assert.deepEqual(names(find?.members[0]?.queries ?? []), [['a ×2']])
  })

  it('extends a query without an end to the end of the request', () => {
    const [row] = buildCallRows({ calls: [], queries: QUERIES.slice(3) }, 10, false)
    assert.deepEqual([row?.pieces, row?.duration], [[{ start: 0.1, length: 0.9 }], null])
    assert.deepEqual(names(buildCallRows({ calls: [], queries: [query('a', { call: 5 })] }, 10, false)), [['a']])
  })

  it('sums only the durations of ended queries in a group', () => {
    const queries = [query('a', { error: 'no' }), query('a', { duration: null })]
    const [row] = buildCallRows({ calls: [], queries }, 10, false)
    assert.deepEqual([row?.name, row?.kind, row?.duration, row?.hasError], ['a ×2', 'query', 1, true])
  })

  it('keeps the queries of calls beyond the maximum', () => {
    const calls = Array.from({ length: 202 }, (_, index) => call(`db.c${index}`, 0))
    const rows = buildCallRows({ calls, queries: [query('late', { call: 201 })] }, 10, true)
    assert.deepEqual(names(rows.slice(-1)), [['others ×2', ['late']]])
  })
})

describe('listCallRows()', () => {
  const rows = buildCallRows({ calls: CALLS, queries: QUERIES }, 10, false)
  const listed = (open: readonly string[]) =>
    listCallRows(rows, new Set(open)).map(({ row, depth }) => `${depth} ${row.name}`)

  it('lists rows with their queries', () => {
    assert.deepEqual(listed([]), [
      '0 db.list',
      '1 select list',
      '0 GET http://x/',
      '0 db.find ×2',
      '1 select find 1 ×2',
    ])
  })

  it('lists the members of an open row, each with its queries', () => {
    const key = rows[2]?.key ?? ''
    assert.deepEqual(listed([key, 'c0']).slice(3), [
      '0 db.find ×2',
      '1 db.find',
      '2 select find 1',
      '1 db.find',
      '2 select find 2',
    ])
  })

  it('has a different key for each row', () => {
    const keys = listCallRows(rows, new Set(rows.map(({ key }) => key))).map(({ row }) => row.key)
    assert.equal(new Set(keys).size, keys.length)
  })
})
