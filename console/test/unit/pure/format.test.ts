/** Formats of values in the page of the console. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as format from '../../../page/pure/format.js'
import { summary } from '#test/page-records.js'

describe('ms()', () => {
  const ROWS = [
    [0, '0.00 ms'],
    [0.126, '0.13 ms'],
    [9.99, '9.99 ms'],
    [9.996, '10.0 ms'],
    [12.34, '12.3 ms'],
    [99.96, '100 ms'],
    [248.4, '248 ms'],
    [999.6, '1.00 s'],
    [1_320, '1.32 s'],
    [90_000, '1.5 min'],
  ] as const
  for (const [value, text] of ROWS) it(`formats ${value} as ${text}`, () => assert.equal(format.ms(value), text))
})

describe('formatBytes()', () => {
  it('uses a larger unit for each factor of 1,000', () => {
    assert.deepEqual([0, 999, 1_000, 1_250_000].map(format.formatBytes), ['0 B', '999 B', '1.0 kB', '1.3 MB'])
  })
})

describe('int(), formatCount()', () => {
  it('formats thousands with commas, and the noun in singular or plural', () => {
    assert.deepEqual(
      [format.int(1_284.4), format.formatCount(1, 'call'), format.formatCount(2_000, 'call')],
      ['1,284', '1 call', '2,000 calls'],
    )
  })
})

describe('percent(), rate()', () => {
  it('never format a small value as 0 %', () => {
    assert.deepEqual([0, 0.004, 0.006, 0.25, 1].map(format.percent), ['0%', '<1%', '1%', '25%', '100%'])
    assert.deepEqual([0, 0.004, 0.0234, 0.25].map(format.rate), ['0%', '0.4%', '2.3%', '25%'])
  })
})

describe('clock()', () => {
  it('splits the local time of the day at the second', () => {
    assert.deepEqual(format.clock(new Date(2026, 0, 2, 3, 4, 5, 6).getTime()), ['03:04:05', '.006'])
  })
})

describe('statusClass()', () => {
  it('returns the class of a status, and s0 without a response', () => {
    assert.deepEqual([0, 101, 204, 304, 422, 599, 999].map(format.statusClass), [
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's5',
    ])
  })
})

describe('pathParts()', () => {
  const parts = (path: string, template: string | null) =>
    format.pathParts(path, template).map(({ text, isValue }) => (isValue ? `<${text}>` : text))

  it('marks the values of parameters', () => {
    assert.deepEqual(parts('/teams/core/members/7', '/teams/{team}/members/{id}'), [
      '/teams/',
      '<core>',
      '/members/',
      '<7>',
    ])
  })

  it('marks all segments that a wildcard matches', () => {
    assert.deepEqual(parts('/files/a/b', '/files/{path...}'), ['/files/', '<a>', '/', '<b>'])
  })

  it('marks nothing if no route matches, or if the path is longer than the template', () => {
    assert.deepEqual(parts('/a/b', null), ['/a/b'])
    assert.deepEqual(parts('/a/b', '/a'), ['/a/b'])
    assert.deepEqual(parts('/', '/'), ['/'])
  })
})

describe('describeRequest()', () => {
  it('describes a request in one line', () => {
    assert.equal(format.describeRequest(summary()), 'GET /users/7, 200, 10.0 ms')
    assert.match(format.describeRequest(summary({ 'http.response.status_code': 0 })), /no response/)
  })
})
