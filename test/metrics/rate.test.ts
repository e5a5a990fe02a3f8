import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Rate } from '#src/metrics/rate.js'

/** A rate that counted once at each of these times, in ms. */
function rateOf(began: number, ...times: readonly number[]): Rate {
  const rate = new Rate(began)
  for (const time of times) rate.record(time)
  return rate
}

function everySecond(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => (from + index) * 1000)
}

describe('perSecond()', () => {
  it('is 0 without calls', () => assert.equal(rateOf(0).perSecond(5000), 0))

  it('counts from the beginning as long as that is less than a minute ago', () => {
    assert.equal(rateOf(0, 0, 1000, 1000, 9999).perSecond(10_000), 0.4)
    assert.equal(rateOf(7000, 7000, 8000).perSecond(11_000), 0.5)
  })

  it('counts over one second at least', () => {
    assert.equal(rateOf(500, 500, 501).perSecond(502), 2)
  })

  it('counts over the last minute, whatever came before', () => {
    const rate = rateOf(0, ...everySecond(0, 300))
    assert.equal(rate.perSecond(299_999).toFixed(3), '1.000')
    assert.equal(rate.perSecond(330_000).toFixed(1), '0.5')
    assert.equal(rate.perSecond(360_000), 0)
    assert.equal(rate.perSecond(3_600_000), 0)
  })

  it('forgets a second when the ring comes round to it', () => {
    const rate = rateOf(0, 5000, 5000, 5000, 65_000)
    assert.equal(rate.perSecond(65_999).toFixed(3), (1 / 59.999).toFixed(3))
  })

  it('takes clocks that began long ago', () => {
    const now = Date.UTC(2026, 0, 1)
    assert.equal(rateOf(now, now, now + 1).perSecond(now + 4000), 0.5)
  })
})
