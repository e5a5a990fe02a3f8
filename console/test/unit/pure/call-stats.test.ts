import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  meanDuration,
  sortServices,
  sortStatements,
  type ServiceSort,
  type StatementSort,
} from '../../../page/pure/call-stats.js'

const statement = { kind: 'sql', target: null, slowest: 'r_1' }
const STATEMENTS = [
  { ...statement, text: 'b', count: 10, errors: 0, total: 20, max: 9, rows: null },
  { ...statement, text: 'a', count: 1, errors: 2, total: 5, max: 5, rows: 0 },
]
const SERVICES = [
  { name: 'b', count: 10, errors: 0, total: 20, own: 1, max: 9 },
  { name: 'a', count: 1, errors: 2, total: 5, own: 5, max: 5 },
]

describe('sortStatements()', () => {
  const first = (sort: StatementSort, isReversed?: boolean) => sortStatements(STATEMENTS, sort, isReversed)[0]?.text

  it('sorts text ascending, and numbers descending', () => {
    const sorts = ['text', 'count', 'mean', 'max', 'total', 'rows', 'errors'] as const
    assert.deepEqual(
      sorts.map((sort) => first(sort)),
      ['a', 'b', 'a', 'b', 'b', 'a', 'a'],
    )
  })

  it('turns the order around', () => {
    assert.deepEqual([first('text', true), first('total', true)], ['b', 'a'])
  })
})

describe('sortServices()', () => {
  const first = (sort: ServiceSort, isReversed?: boolean) => sortServices(SERVICES, sort, isReversed)[0]?.name

  it('sorts names ascending, and numbers descending', () => {
    const sorts = ['name', 'count', 'own', 'total', 'max', 'errors'] as const
    assert.deepEqual(
      sorts.map((sort) => first(sort)),
      ['a', 'b', 'a', 'b', 'b', 'a'],
    )
  })

  it('turns the order around', () => {
    assert.deepEqual([first('name', true), first('own', true)], ['b', 'b'])
  })
})

describe('meanDuration()', () => {
  it('divides the total by the count', () => {
    assert.deepEqual([meanDuration({ total: 20, count: 10 }), meanDuration({ total: 0, count: 0 })], [2, 0])
  })
})
