import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HostEndpoint } from '#src/devconsole/host/console-host.js'
import { Gauge } from '#src/devconsole/store/gauge.js'
import { Series } from '#src/devconsole/store/series.js'
import type { CountedCall, NumberedEndpoint } from '#src/observe/event-types.js'

const START = 1_000_000_000_000

function endpointAt(number: number): HostEndpoint {
  const version = number === 1 ? '>=2.0.0' : null
  return {
    ...{ id: 'R.get', class: 'R', method: 'GET', template: `/r${number}`, decorators: [], version },
    ...{ deprecated: false, operation: null, vendor: null, warnings: [], notes: [], place: null },
  }
}

/** Moments are taken for ms since the start. */
const clock = { at: (moment: number) => START + moment }

const endpoints = Array.from({ length: 510 }, (_, number) => endpointAt(number))

const series = () => new Series({ endpoints, gauge: new Gauge(), inFlight: () => 3, clock }, 0)

/** A call that ended at a moment. */
function until(end: number, duration: number, prepared: NumberedEndpoint | null = null): CountedCall {
  return { prepared, exchange: { method: 'GET' }, began: end - duration, duration }
}

describe('Series', () => {
  it('adds a point for each full second, including idle seconds', () => {
    const made = series()
    made.record(until(100, 2), 200)
    made.record(until(200, 2), 0)
    made.record(until(3_100, 4), 503)
    const { points } = made.metrics(START + 4_000)
    assert.deepEqual(
      points.map(({ time, classes }) => [(time - START) / 1000, classes.join('')]),
      [
        [1, '101000'],
        [2, '000000'],
        [3, '000000'],
        [4, '000001'],
      ],
    )
    assert.deepEqual([points[0]?.durations, points[1]?.durations], [[88, 2], []])
    assert.deepEqual([points[0]?.inFlight, points[0]?.loopDelay, points[0]?.gc], [3, null, 0])
    assert.ok((points[0]?.heap ?? 0) > 0)
    assert.equal(made.latest(START + 4_500)?.time, START + 4_000)
  })

  it('has no point before the first second has passed, and at most 120 points', () => {
    const made = series()
    assert.equal(made.latest(START + 900), null)
    assert.equal(made.metrics(START + 3_600_000).points.length, 120)
    assert.equal(made.latest(START + 3_600_000)?.time, START + 3_600_000)
  })

  it('keeps the slices of the last ten minutes', () => {
    const made = series()
    for (let minute = 0; minute < 20; minute++) {
      for (let slice = 0; slice < 6; slice++) {
        made.record(until(minute * 60_000 + slice * 10_000, 1), 200)
      }
    }
    const { slices } = made.metrics(START + 19 * 60_000 + 55_000)
    assert.equal(slices.length, 60)
    assert.ok(slices.every(({ time, durations }) => time % 10_000 === 0 && durations[1] === 1))
    assert.equal(made.metrics(START + 3_600_000).slices.length, 0)
  })

  it('counts at most 500 endpoints separately, and all further endpoints together', () => {
    const made = series()
    for (let index = 0; index < 510; index++) {
      made.record(until(0, index, { number: index }), index === 0 ? 500 : 200)
    }
    const { endpoints } = made.metrics(START)
    assert.equal(endpoints.length, 501)
    assert.deepEqual(
      [endpoints[0]?.template, endpoints[0]?.errors, endpoints[0]?.calls, endpoints[0]?.handler],
      ['/r0', 1, 1, 'R.get'],
    )
    assert.deepEqual(
      [0, 1, 500].map((index) => endpoints[index]?.version),
      [null, '>=2.0.0', null],
    )
    const other = endpoints.at(-1)
    assert.deepEqual([other?.template, other?.method, other?.handler, other?.calls], ['other', 'other', null, 10])
    assert.equal(other?.max, 509)
    made.clear()
    assert.deepEqual(made.metrics(START), { points: [], slices: [], endpoints: [] })
  })
})
