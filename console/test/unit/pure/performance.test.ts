/** Figures of the performance view. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EndpointStats, HeatSlice, MetricsPoint } from '#src/devconsole/wire/feed-types.js'
import * as endpoints from '../../../page/pure/endpoints.js'
import { createBucket } from '#test/buckets.js'
import * as performance from '../../../page/pure/performance.js'

function point(changes: Partial<MetricsPoint> = {}): MetricsPoint {
  return {
    time: 1,
    classes: [0, 0, 3, 0, 0, 1],
    durations: [],
    inFlight: 2,
    loopDelay: 5,
    loopUse: 0,
    heap: 5e6,
    rss: 1,
    gc: 0,
    ...changes,
  }
}

function slice(time: number, duration: number, count = 10): HeatSlice {
  return { time, durations: [createBucket(duration), count] }
}

function endpoint(changes: Partial<EndpointStats> = {}): EndpointStats {
  return {
    method: 'GET',
    template: '/a',
    version: null,
    handler: 'A.get',
    calls: 4,
    errors: 1,
    since: 0,
    max: 10,
    durations: [createBucket(10), 4],
    ...changes,
  }
}

describe('computeFigures()', () => {
  it('returns one value for each second', () => {
    const figures = performance.computeFigures([point(), point({ classes: [], loopDelay: null })])
    assert.deepEqual(
      [figures.rate, figures.errors, figures.loopDelay, figures.heap, figures.inFlight],
      [
        [4, 0],
        [1, 0],
        [5, null],
        [5, 5],
        [2, 2],
      ],
    )
  })

  it('computes percentiles over five seconds', () => {
    const points = [point({ durations: [createBucket(100), 1] }), ...Array.from({ length: 6 }, () => point())]
    const { p50, p95, p99 } = performance.computeFigures(points)
    assert.deepEqual(
      p50.map((value) => value === null),
      [false, false, false, false, false, true, true],
    )
    assert.deepEqual([p95.at(-1), p99.at(-1)], [null, null])
  })
})

describe('summarizePoints()', () => {
  it('summarizes the last ten seconds, and the error rate of all seconds', () => {
    const points = [
      point({ classes: [0, 0, 0, 0, 0, 96] }),
      ...Array.from({ length: 10 }, () => point({ classes: [0, 0, 9, 0, 0, 1] })),
    ]
    const { rate, errorRate, heap, inFlight, loopDelay } = performance.summarizePoints(points)
    assert.deepEqual([rate, heap, inFlight, loopDelay], [10, 5, 2, 5])
    assert.equal(errorRate, 106 / 196)
  })

  it('returns empty values without seconds', () => {
    assert.deepEqual(performance.summarizePoints([]), {
      rate: 0,
      errorRate: 0,
      p50: null,
      p99: null,
      inFlight: 0,
      loopDelay: null,
      heap: 0,
    })
    assert.equal(performance.summarizePoints([point({ classes: [] })]).errorRate, 0)
  })
})

describe('heatColumns()', () => {
  it('returns 60 columns that end with the current one', () => {
    const columns = performance.heatColumns([slice(600_000, 10)], 605_000)
    assert.equal(columns.length, 60)
    assert.deepEqual([columns[0]?.time, columns.at(-1)?.time], [10_000, 600_000])
    assert.equal(
      columns.at(-1)?.bands.reduce((sum, count) => sum + count, 0),
      10,
    )
    assert.equal(columns[0]?.bands.length, performance.HEAT_BANDS)
  })
})

describe('countHeatColumns()', () => {
  it('returns the age of the oldest slice, between a minute and ten minutes', () => {
    for (const [times, expected] of [
      [[], 6],
      [[600_000], 6],
      [[500_000, 600_000], 11],
      [[0, 600_000], 60],
      [[700_000], 6],
    ] as const) {
      const slices = times.map((time) => slice(time, 1))
      assert.equal(performance.countHeatColumns(slices, 605_000), expected, String(times))
    }
    const columns = performance.heatColumns([slice(500_000, 1)], 605_000, 11)
    assert.deepEqual([columns.length, columns[0]?.time, columns.at(-1)?.time], [11, 500_000, 600_000])
  })
})

describe('worstEpisode()', () => {
  const slices = Array.from({ length: 20 }, (_, index) => slice(index * 10_000, index === 7 || index === 8 ? 100 : 10))
  const find = (given: readonly HeatSlice[]) => performance.worstEpisode(given, performance.heatColumns(given, 599_999))

  it('finds consecutive slices with at least twice the usual p99', () => {
    const episode = find(slices)
    assert.deepEqual([episode?.first, episode?.last], [7, 8])
    assert.ok(episode !== null && Math.abs(episode.factor - 10) < 0.5)
  })

  it('returns null without outliers or with too few requests', () => {
    assert.equal(find(slices.filter((_, index) => index < 7)), null)
    assert.equal(find(slices.slice(6, 9)), null)
    assert.equal(
      find(slices.map((it) => (it.time === 70_000 || it.time === 80_000 ? slice(it.time, 100, 4) : it))),
      null,
    )
  })
})

describe('endpointRows(), sortRows()', () => {
  it('returns rates, shares and percentiles not above the maximum', () => {
    const [row] = endpoints.endpointRows([endpoint()], 8_000)
    assert.deepEqual([row?.calls, row?.rate, row?.errors, row?.max], [4, 0.5, 0.25, 10])
    assert.ok(row !== undefined && row.p99 <= 10 && row.p50 > 9)
    assert.equal(
      row.bands.reduce((sum, count) => sum + count, 0),
      4,
    )
  })

  it('returns zeros for an endpoint without requests', () => {
    const [row] = endpoints.endpointRows([endpoint({ calls: 0, errors: 0, max: 0, durations: [] })], 0)
    assert.deepEqual([row?.rate, row?.errors, row?.p99], [0, 0, 0])
  })

  it('sorts names ascending and numbers descending', () => {
    const rows = endpoints.endpointRows(
      [
        endpoint({ template: '/b', calls: 1 }),
        endpoint({ template: '/a', calls: 9 }),
        endpoint({ template: '/c', calls: 5 }),
      ],
      1,
    )
    const by = (key: endpoints.SortKey) =>
      endpoints
        .sortRows(rows, key)
        .map((row) => row.stats.template)
        .join(' ')
    assert.deepEqual([by('endpoint'), by('calls')], ['/a /b /c', '/a /c /b'])
  })
})
