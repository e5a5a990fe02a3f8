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

/** Returns the bounds and counts of the buckets that are not empty. */
function filled(histogram: Histogram): (readonly [bound: number, count: number])[] {
  return histogram
    .buckets()
    .filter(({ count }) => count > 0)
    .map(({ bound, count }) => [bound, count])
}

describe('Histogram', () => {
  it('returns 0 for every property without values', () => {
    const empty = new Histogram()
    assert.deepEqual([empty.count, empty.sum, empty.max, filled(empty)], [0, 0, 0, []])
    assert.deepEqual([empty.quantile(0), empty.quantile(0.5), empty.quantile(1)], [0, 0, 0])
  })

  it('keeps fractions of a ms in sum and maximum', () => {
    const { count, sum, max } = histogramOf(0.25, 1.5, 0.5)
    assert.deepEqual([count, sum, max], [3, 2.25, 1.5])
  })
})

describe('Histogram: buckets()', () => {
  it('returns eight buckets per power of two in ascending order, and an unbounded last bucket', () => {
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

  it('covers durations from below 1 µs to more than 1 h', () => {
    const bounds = new Histogram().buckets().map(({ bound }) => bound)
    assert.ok(Number(bounds[0]) < MICROSECOND && Number(bounds.at(-2)) > HOUR)
  })

  it('counts a value equal to a bound in its bucket, and the next number in the next bucket', () => {
    for (const { bound } of new Histogram().buckets().slice(0, -1)) {
      assert.deepEqual(filled(histogramOf(bound)), [[bound, 1]])
      const [[next] = []] = filled(histogramOf(bound * (1 + Number.EPSILON)))
      assert.ok(next !== undefined && next > bound, `${bound}`)
    }
  })

  it('counts a number just below a bound in the bucket of the bound', () => {
    for (const { bound } of new Histogram().buckets().slice(0, -1)) {
      assert.deepEqual(filled(histogramOf(bound * (1 - Number.EPSILON))), [[bound, 1]])
    }
  })

  it('counts values outside of the range in the first and the last bucket', () => {
    assert.deepEqual(filled(histogramOf(0, -1, NaN, Number.MIN_VALUE, 2 ** -10)), [[2 ** -10, 5]])
    assert.deepEqual(filled(histogramOf(Number.MAX_VALUE, Infinity, 2 ** 22 + 1)), [[Infinity, 3]])
  })

  it('counts negative numbers and NaN as 0', () => {
    const { count, sum, max } = histogramOf(-5, NaN, 2)
    assert.deepEqual([count, sum, max], [3, 2, 2])
  })
})

describe('Histogram: quantile()', () => {
  it('returns the first value at which the share is reached', () => {
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

  it('has an error below 4.5 %, and never exceeds the maximum', () => {
    assert.ok(QUANTILE_ERROR < 0.045)
    assert.equal(histogramOf(0.9172).quantile(0.5), 0.9172)
  })

  it('returns the maximum for values above the last bound', () => {
    assert.equal(histogramOf(1, 5_000_000).quantile(1), 5_000_000)
  })
})

describe('Histogram: merge()', () => {
  it('adds another histogram without changing it', () => {
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
  it('rounds a duration to the µs', () => assert.equal(toMicros(1.23456), 1.235))
})
