import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Histogram, QUANTILE_ERROR, toMicros } from '#src/observe/histogram.js'

const MICROSECOND = 0.001
const HOUR = 3_600_000

function histogramOf(...values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

/** Bounds of the buckets that hold something, with what they hold. */
function filled(histogram: Histogram): (readonly [bound: number, count: number])[] {
  return histogram
    .buckets()
    .filter(({ count }) => count > 0)
    .map(({ bound, count }) => [bound, count])
}

describe('Histogram', () => {
  it('is empty at first', () => {
    const empty = new Histogram()
    assert.deepEqual([empty.count, empty.sum, empty.max, filled(empty)], [0, 0, 0, []])
    assert.deepEqual([empty.quantile(0), empty.quantile(0.5), empty.quantile(1)], [0, 0, 0])
  })

  it('keeps fractions of a ms in sum and maximum', () => {
    const { count, sum, max } = histogramOf(0.25, 1.5, 0.5)
    assert.deepEqual([count, sum, max], [3, 2.25, 1.5])
  })
})

describe('buckets()', () => {
  it('gives eight buckets to each power of two, ascending, the last one open', () => {
    const bounds = new Histogram().buckets().map(({ bound }) => bound)
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
    )
    assert.equal(bounds.at(-1), Infinity)
    for (let power = 2 ** -10; power < 2 ** 22; power *= 2) {
      assert.equal(bounds.filter((bound) => bound > power && bound <= power * 2).length, 8, `from ${power} ms`)
    }
  })

  it('reaches from below 1 µs to more than 1 h', () => {
    const bounds = new Histogram().buckets().map(({ bound }) => bound)
    assert.ok(Number(bounds[0]) < MICROSECOND && Number(bounds.at(-2)) > HOUR)
  })

  it('counts a value that is a bound below it, and the next number above it', () => {
    for (const { bound } of new Histogram().buckets().slice(0, -1)) {
      assert.deepEqual(filled(histogramOf(bound)), [[bound, 1]])
      const [[next] = []] = filled(histogramOf(bound * (1 + Number.EPSILON)))
      assert.ok(next !== undefined && next > bound, `${bound}`)
    }
  })

  it('counts a number just below a bound with it', () => {
    for (const { bound } of new Histogram().buckets().slice(0, -1)) {
      assert.deepEqual(filled(histogramOf(bound * (1 - Number.EPSILON))), [[bound, 1]])
    }
  })

  it('loses nothing at the edges', () => {
    assert.deepEqual(filled(histogramOf(0, -1, NaN, Number.MIN_VALUE, 2 ** -10)), [[2 ** -10, 5]])
    assert.deepEqual(filled(histogramOf(Number.MAX_VALUE, Infinity, 2 ** 22 + 1)), [[Infinity, 3]])
  })

  it('takes what is no duration for 0, in all figures', () => {
    const { count, sum, max } = histogramOf(-5, NaN, 2)
    assert.deepEqual([count, sum, max], [3, 2, 2])
  })
})

describe('quantile()', () => {
  it('gives the first value up to which the share lies', () => {
    const histogram = histogramOf(1, 10, 100, 1000)
    for (const [share, exact] of [
      [0, 1],
      [0.25, 1],
      [0.26, 10],
      [0.5, 10],
      [0.51, 100],
      [0.75, 100],
      [0.99, 1000],
      [1, 1000],
    ] as const) {
      const error = Math.abs(histogram.quantile(share) - exact) / exact
      assert.ok(error <= QUANTILE_ERROR, `${share}: ${histogram.quantile(share)} is not ${exact}`)
    }
  })

  it('is off by less than 4.5 %, and never greater than the maximum', () => {
    assert.ok(QUANTILE_ERROR < 0.045)
    assert.equal(histogramOf(0.9172).quantile(0.5), 0.9172)
  })

  it('gives the maximum for values beyond the last bound', () => {
    assert.equal(histogramOf(1, 5_000_000).quantile(1), 5_000_000)
  })
})

describe('merge()', () => {
  it('adds the other one, and leaves that as it is', () => {
    const [one, other] = [histogramOf(1, 2), histogramOf(2, 50)]
    one.merge(other)
    assert.deepEqual([one.count, one.sum, one.max], [4, 55, 50])
    assert.deepEqual(one.buckets(), histogramOf(1, 2, 2, 50).buckets())
    assert.deepEqual(other.buckets(), histogramOf(2, 50).buckets())
  })

  it('keeps the greater maximum of the two', () => {
    const one = histogramOf(9)
    one.merge(histogramOf(3))
    assert.equal(one.max, 9)
  })

  it('counts beyond 32 bits, and never wraps', () => {
    const histogram = histogramOf(1)
    const counts = [1]
    for (let doubling = 1; doubling <= 70; doubling++) {
      histogram.merge(histogram)
      counts.push(histogram.count)
    }
    histogram.record(1)
    assert.equal(counts[40], 2 ** 40)
    assert.deepEqual(filled(histogram), [[1, histogram.count]])
    assert.ok(histogram.count >= Number(counts.at(-1)))
  })
})

describe('toMicros()', () => {
  it('rounds to the µs', () => assert.equal(toMicros(1.23456), 1.235))
})
