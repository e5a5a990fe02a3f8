import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupByClass, routeSearch, rowOffsets, rowsInView } from '../../../page/pure/route-rows.js'
import type { RouteInfo } from '#src/devconsole/wire/view-types.js'

function route(name: string, method: string, given: Partial<RouteInfo> = {}): RouteInfo {
  return {
    id: `${name}.${method.toLowerCase()}`,
    class: name,
    method,
    template: `/${name.toLowerCase()}`,
    place: null,
    decorators: [],
    version: null,
    deprecated: false,
    operation: null,
    warnings: [],
    notes: [],
    ...given,
  }
}

const ROUTES = [
  route('Users', 'GET', { decorators: ['@log'] }),
  route('Goods', 'GET'),
  route('Users', 'POST', { template: '/users/{id}' }),
]
const idsOf = (routes: readonly RouteInfo[]): string[] => routes.map(({ id }) => id)

describe('routeSearch()', () => {
  it('searches method, path, class and decorators without case', () => {
    const search = routeSearch(ROUTES)
    assert.deepEqual(idsOf(search(' POST ')), ['Users.post'])
    assert.deepEqual(idsOf(search('/users/{')), ['Users.post'])
    assert.deepEqual(idsOf(search('goods')), ['Goods.get'])
    assert.deepEqual(idsOf(search('@LOG')), ['Users.get'])
    assert.deepEqual(idsOf(search('')), idsOf(ROUTES))
    assert.deepEqual(search('nothing'), [])
  })
})

describe('groupByClass()', () => {
  it('orders classes by their first endpoint, and marks it', () => {
    const rows = groupByClass(ROUTES).map(({ route, isFirst }) => `${route.id} ${isFirst}`)
    assert.deepEqual(rows, ['Users.get true', 'Users.post false', 'Goods.get true'])
  })
})

describe('rowOffsets()', () => {
  it('adds the height of a heading to the first row of a class', () => {
    assert.deepEqual(rowOffsets(groupByClass(ROUTES), { row: 10, heading: 5 }), [0, 15, 25, 40])
    assert.deepEqual(rowOffsets([], { row: 10, heading: 5 }), [0])
  })
})

describe('rowsInView()', () => {
  const OFFSETS = [0, 15, 25, 40, 50, 60]

  it('returns the rows that overlap the view', () => {
    assert.deepEqual(rowsInView(OFFSETS, { top: 14, height: 12 }, 0), { first: 0, end: 3 })
    assert.deepEqual(rowsInView(OFFSETS, { top: 15, height: 9 }, 0), { first: 1, end: 2 })
  })

  it('adds spare rows, but not beyond the list', () => {
    assert.deepEqual(rowsInView(OFFSETS, { top: 26, height: 1 }, 1), { first: 1, end: 4 })
    assert.deepEqual(rowsInView(OFFSETS, { top: 26, height: 1 }, 9), { first: 0, end: 5 })
  })

  it('returns the last or the first rows for a position outside of the list', () => {
    assert.deepEqual(rowsInView(OFFSETS, { top: 1_000, height: 10 }, 0), { first: 4, end: 5 })
    assert.deepEqual(rowsInView(OFFSETS, { top: -50, height: 10 }, 0), { first: 0, end: 1 })
  })

  it('returns no rows of an empty list', () => {
    assert.deepEqual(rowsInView([0], { top: 0, height: 10 }, 3), { first: 0, end: 0 })
  })
})
