import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Histogram, QUANTILE_ERROR } from '#src/observe/histogram.js'

/** Range in ms in which the error of quantiles is bounded. */
const [SHORTEST, LONGEST] = [2 ** -10, 2 ** 22]

/** Durations with a uniform logarithm; uniform doubles would be mostly long. */
const duration = fc
  .double({ min: Math.log2(SHORTEST), max: Math.log2(LONGEST), noNaN: true })
  .map((power) => Math.min(Math.max(2 ** power, SHORTEST), LONGEST))
const anything = fc.oneof(duration, fc.double(), fc.constantFrom(0, -0, SHORTEST, LONGEST))
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.9, 0.99, 1))

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

describe('quantile()', () => {
  it('differs from the exact quantile by at most QUANTILE_ERROR', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 200 }), share, (values, share) => {
        const sorted = values.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(0, Math.ceil(share * values.length) - 1)]
        const given = histogramOf(values).quantile(share)
        assert.ok(exact !== undefined)
        // The documented error, plus rounding errors.
        assert.ok(Math.abs(given - exact) <= exact * (QUANTILE_ERROR + 1e-12), `${given} for ${exact}`)
      }),
      { numRuns: 500 },
    )
  })

  it('grows with the share', () => {
    fc.assert(
      fc.property(fc.array(anything), share, share, (values, one, other) => {
        const histogram = histogramOf(values)
        assert.ok(histogram.quantile(Math.min(one, other)) <= histogram.quantile(Math.max(one, other)))
      }),
    )
  })
})

describe('record()', () => {
  it('counts each value in one bucket whose bounds contain it', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const buckets = histogramOf([value]).buckets()
        const index = buckets.findIndex(({ count }) => count === 1)
        const counted = value > 0 ? value : 0
        assert.equal(
          buckets.reduce((sum, { count }) => sum + count, 0),
          1,
        )
        assert.ok(counted <= Number(buckets[index]?.bound))
        assert.ok(index === 0 || counted > Number(buckets[index - 1]?.bound))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('merge()', () => {
  it('has the same result as recording both', () => {
    fc.assert(
      fc.property(fc.array(anything), fc.array(anything), (one, other) => {
        const merged = histogramOf(one)
        merged.merge(histogramOf(other))
        const both = histogramOf([...one, ...other])
        assert.deepEqual([merged.count, merged.max], [both.count, both.max])
        assert.deepEqual(merged.buckets(), both.buckets())
        const isClose = merged.sum === both.sum || Math.abs(merged.sum - both.sum) <= both.sum * 1e-12
        assert.ok(isClose, `${merged.sum} is not ${both.sum}`)
      }),
    )
  })
})
