import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Channel } from '#src/observe/channel.js'
import type { RequestEnd, NumberedEndpoint } from '#src/observe/event-types.js'
import { Metrics, type MeasuredEndpoint, Rate } from '#src/observe/metrics.js'

const USERS: MeasuredEndpoint = { number: 0, route: 'Users', method: 'GET', path: '/users' }
const USER: MeasuredEndpoint = { number: 2, route: 'User', method: 'GET', path: '/users/{id}' }

/** Creates metrics of two endpoints, with a clock that the test sets. */
function observed() {
  const clock = { now: 0 }
  const channel = new Channel()
  const metrics = new Metrics(() => clock.now)
  metrics.observe(channel, [USERS, USER])
  metrics.observeActive(channel)
  function call(endpoint: NumberedEndpoint | undefined, duration: number, more: Partial<RequestEnd> = {}): void {
    channel.emit('start', { ...END, url: '/', method: more.method ?? 'GET' })
    const { method, status } = { ...END, ...more }
    const counted = { prepared: endpoint ?? null, exchange: { method }, began: clock.now - duration, duration }
    channel.timer?.record(counted, status)
    channel.emit('end', { ...END, endpoint, duration, ...more })
  }
  return { clock, channel, metrics, call }
}

/** Returns the endpoint as it appears in the metrics. */
function shown({ route, method, path }: MeasuredEndpoint): Omit<MeasuredEndpoint, 'number'> {
  return { route, method, path }
}

const END: RequestEnd = {
  ...{ requestId: '1', traceId: undefined, route: undefined, method: 'GET', template: undefined, path: '/' },
  ...{
    version: undefined,
    status: 200,
    aborted: false,
    duration: 1,
    error: undefined,
    meta: undefined,
    endpoint: undefined,
  },
  ...{ input: { params: {}, query: {}, headers: {}, cookies: {}, body: undefined }, output: undefined },
}

const NONE = { count: 0, errors: 0, p50: 0, p90: 0, p99: 0, max: 0, rate: 0 }

describe('Metrics: figures()', () => {
  it('returns 0 for each endpoint before the first request', () => {
    assert.deepEqual(observed().metrics.figures(), {
      total: NONE,
      endpoints: [
        { ...shown(USERS), ...NONE },
        { ...shown(USER), ...NONE },
      ],
    })
  })

  it('summarizes each endpoint, and all endpoints together', () => {
    const { clock, metrics, call } = observed()
    for (let n = 1; n <= 100; n++) call(USERS, n)
    call(USER, 500.12345)
    clock.now = 10_000
    const { total, endpoints } = metrics.figures()
    const [users, user] = endpoints
    assert.deepEqual([users?.count, users?.max, users?.rate], [100, 100, 10])
    for (const [given, exact] of [
      [users?.p50, 50],
      [users?.p90, 90],
      [users?.p99, 99],
      [user?.p50, 500.123],
      [total.p50, 51],
    ] as const) {
      assert.ok(Math.abs(Number(given) - exact) <= exact * 0.045, `${given} is not ${exact}`)
    }
    assert.deepEqual([user?.count, user?.max, user?.rate], [1, 500.123, 0.1])
    assert.deepEqual([total.count, total.max, total.rate], [101, 500.123, 10.1])
  })

  it('counts a status of 500 or above as an error', () => {
    const { metrics, call } = observed()
    for (const status of [200, 404, 499, 500, 503]) call(USERS, 1, { status })
    const { total, endpoints } = metrics.figures()
    assert.deepEqual(
      [total, ...endpoints].map(({ count, errors }) => [count, errors]),
      [
        [5, 2],
        [5, 2],
        [0, 0],
      ],
    )
  })

  it('counts HEAD requests for the GET endpoint', () => {
    const { metrics, call } = observed()
    call(USERS, 1, { method: 'HEAD' })
    assert.equal(metrics.figures().endpoints[0]?.count, 1)
  })

  it('ignores requests without an endpoint, and endpoints that are not measured', () => {
    const { metrics, call } = observed()
    call(undefined, 1, { status: 404 })
    call({ number: 1 }, 1)
    call({ number: 3 }, 1)
    assert.deepEqual(metrics.figures().total, NONE)
  })
})

describe('Metrics: series()', () => {
  it('separates durations by method, path template and status', () => {
    const { metrics, call } = observed()
    call(USERS, 2)
    call(USERS, 3)
    call(USERS, 4, { status: 500 })
    call(USERS, 5, { method: 'HEAD' })
    call(USER, 6)
    call(undefined, 7, { method: 'BREW', status: 501 })
    const series = metrics.series().map(({ method, path, status, durations }) => [method, path, status, durations.sum])
    assert.deepEqual(series, [
      ['GET', '/users', 200, 5],
      ['GET', '/users', 500, 4],
      ['HEAD', '/users', 200, 5],
      ['GET', '/users/{id}', 200, 6],
      ['_OTHER', '', 501, 7],
    ])
  })
})

describe('Metrics: active', () => {
  it('counts active requests by method', () => {
    const { channel, metrics } = observed()
    for (const method of ['GET', 'GET', 'POST', 'BREW', 'TEA']) channel.emit('start', { ...END, url: '/', method })
    channel.emit('end', { ...END, method: 'POST' })
    channel.emit('end', { ...END, method: 'TEA' })
    assert.deepEqual(
      [...metrics.active],
      [
        ['GET', 2],
        ['POST', 0],
        ['_OTHER', 1],
      ],
    )
  })
})

/** A rate that counted once at each of these times, in ms. */
function rateOf(began: number, ...times: readonly number[]): Rate {
  const rate = new Rate(began)
  for (const time of times) rate.record(time)
  return rate
}

function everySecond(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => (from + index) * 1000)
}

describe('Rate: perSecond()', () => {
  it('returns 0 without requests', () => assert.equal(rateOf(0).perSecond(5000), 0))

  it('averages over the time since the start during the first minute', () => {
    assert.equal(rateOf(0, 0, 1000, 1000, 9999).perSecond(10_000), 0.4)
    assert.equal(rateOf(7000, 7000, 8000).perSecond(11_000), 0.5)
  })

  it('averages over at least one second', () => {
    assert.equal(rateOf(500, 500, 501).perSecond(502), 2)
  })

  it('averages over the last minute, and ignores earlier requests', () => {
    const rate = rateOf(0, ...everySecond(0, 300))
    assert.equal(rate.perSecond(299_999).toFixed(3), '1.000')
    assert.equal(rate.perSecond(330_000).toFixed(1), '0.5')
    assert.equal(rate.perSecond(360_000), 0)
    assert.equal(rate.perSecond(3_600_000), 0)
  })

  it('discards an old second when its slot is reused', () => {
    const rate = rateOf(0, 5000, 5000, 5000, 65_000)
    assert.equal(rate.perSecond(65_999).toFixed(3), (1 / 59.999).toFixed(3))
  })

  it('accepts a clock that started long ago', () => {
    const now = Date.UTC(2026, 0, 1)
    assert.equal(rateOf(now, now, now + 1).perSecond(now + 4000), 0.5)
  })
})
