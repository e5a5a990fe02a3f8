import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRun } from '../../../page/pure/parse-run.js'
import type { EarlierRun, Incident } from '#src/devconsole/wire/feed-types.js'

const INCIDENT: Incident = {
  key: 'slow GET /books',
  kind: 'slow',
  endpoint: 'GET /books',
  title: ['Slow endpoint ', 'Books.get'],
  detail: 'It took 900 ms',
  count: 3,
  unit: 'slow calls',
  trend: [0, 3],
  first: 1,
  last: 2,
  facts: ['GET /books'],
  query: 'is:slow',
  sample: 'r_1',
}
const RUN: EarlierRun = {
  boot: 'a1',
  started: 1_000,
  incidents: [INCIDENT],
  endpoints: [{ endpoint: 'GET /books', median: 5 }],
}

describe('parseRun()', () => {
  it('returns an equal run for a run that went through JSON', () => {
    assert.deepEqual(parseRun(JSON.parse(JSON.stringify(RUN))), RUN)
  })

  it('returns null without a boot and a begin', () => {
    for (const value of [null, 5, {}, { ...RUN, boot: 5 }, { ...RUN, started: '1' }, { ...RUN, started: Infinity }]) {
      assert.equal(parseRun(value), null)
    }
  })

  it('drops incidents without a key or a known kind, and replaces other values', () => {
    const incidents = [{}, { ...INCIDENT, kind: 'other' }, { ...INCIDENT, key: 5 }, { key: 'x', kind: 'burst' }]
    const parsed = parseRun({ ...RUN, incidents, endpoints: [5, { endpoint: 'GET /a', median: 'x' }] })
    assert.equal(parsed?.incidents.length, 1)
    assert.deepEqual([parsed?.incidents[0]?.count, parsed?.incidents[0]?.endpoint], [1, null])
    assert.deepEqual(parsed?.endpoints, [{ endpoint: 'GET /a', median: 0 }])
  })
})
