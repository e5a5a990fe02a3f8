/** Histograms of the wire, as the page reads them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bucketBound } from '#src/devconsole/wire/buckets.js'
import { Histogram, QUANTILE_ERROR } from '#src/observe/histogram.js'
import * as histogram from '../../../page/pure/histogram.js'
import { createBucket } from '#test/buckets.js'

function sparseOf(values: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const value of values) {
    const bucket = createBucket(value)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return [...counts].toSorted(([a], [b]) => a - b).flat()
}

describe('createBucket(), bucketBound()', () => {
  it('puts a value above the previous bound and not above its own bound', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.002, max: 60_000, noNaN: true }), (value) => {
        const bucket = createBucket(value)
        assert.ok(value <= bucketBound(bucket) * (1 + 1e-12))
        assert.ok(value > bucketBound(bucket - 1) * (1 - 1e-12))
      }),
    )
  })

  it('puts values below the first bound into the first bucket', () => {
    assert.deepEqual([0, -1, 1e-6].map(createBucket), [0, 0, 0])
  })
})

describe('quantile()', () => {
  it('is as accurate as the histogram of the app', () => {
    const values = Array.from({ length: 500 }, (_, index) => 0.5 * 1.02 ** index)
    const own = new Histogram()
    for (const value of values) own.record(value)
    const counts = histogram.mergeCounts([sparseOf(values)])
    for (const share of [0.5, 0.9, 0.99]) {
      const found = histogram.quantile(counts, share) ?? 0
      const exact = values[Math.ceil(share * values.length) - 1] ?? 0
      assert.ok(Math.abs(found / exact - 1) <= QUANTILE_ERROR + 1e-9, `${share}: ${found} for ${exact}`)
      assert.ok(Math.abs(found / own.quantile(share) - 1) < 1e-9)
    }
  })

  it('returns null without values', () => {
    assert.equal(histogram.quantile(new Map(), 0.5), null)
  })
})

describe('mergeCounts(), totalOf()', () => {
  it('adds equal buckets, and ignores an incomplete pair', () => {
    const counts = histogram.mergeCounts([[80, 2, 96, 1], [80, 3, 99], []])
    assert.deepEqual(
      [...counts],
      [
        [80, 5],
        [96, 1],
      ],
    )
    assert.equal(histogram.countAll(counts), 6)
  })
})

describe('countBands()', () => {
  const range = { low: 1, high: 1_000 }

  it('counts values outside the range in the first and last band', () => {
    const counts = histogram.mergeCounts([sparseOf([0.1, 2, 20, 200, 5_000])])
    assert.deepEqual(histogram.countBands(counts, range, 3), [2, 1, 2])
  })

  it('starts each band at the end of the previous band', () => {
    const starts = [0, 1, 2, 3].map((band) => Math.round(histogram.bandStart(band, range, 3)))
    assert.deepEqual(starts, [1, 10, 100, 1_000])
    assert.deepEqual(
      [1, 9, 11, 999, 1_001].map((value) => histogram.findBand(value, range, 3)),
      [0, 0, 1, 2, 2],
    )
  })
})
