/** Geometry of the charts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import * as geometry from '../../../page/pure/geometry.js'

describe('linear(), logarithmic()', () => {
  it('maps the ends and the middle of the domain', () => {
    const straight = geometry.linear([0, 10], [100, 0])
    assert.deepEqual([straight(0), straight(5), straight(10)], [100, 50, 0])
    const log = geometry.logarithmic([1, 100], [0, 50])
    assert.deepEqual([log(1), log(10), log(100)].map(Math.round), [0, 25, 50])
  })

  it('clamps values outside a logarithmic scale', () => {
    const log = geometry.logarithmic([1, 100], [0, 50])
    assert.deepEqual([log(0), log(1e9)].map(Math.round), [0, 50])
  })

  it('returns the start of the range for an empty domain', () => {
    assert.equal(geometry.linear([5, 5], [1, 2])(5), 1)
  })
})

describe('pathThrough(), areaBetween()', () => {
  it('starts a new segment after a gap', () => {
    assert.equal(geometry.pathThrough([[0, 1], [1.04, 2.06], null, [3, 4]]), 'M0 1L1 2.1M3 4')
    assert.equal(geometry.pathThrough([]), '')
  })

  it('closes an area over its base', () => {
    assert.equal(
      geometry.areaBetween(
        [
          [0, 1],
          [9, 2],
        ],
        [
          [0, 5],
          [9, 6],
        ],
      ),
      'M0 1L9 2L9 6L0 5Z',
    )
    assert.equal(geometry.areaBetween([], []), '')
  })
})

describe('niceTicks()', () => {
  it('returns round numbers up to the maximum', () => {
    assert.deepEqual(geometry.niceTicks(66), [0, 25, 50, 75])
    assert.deepEqual(geometry.niceTicks(3), [0, 1, 2, 3])
    assert.equal(geometry.niceTicks(0).length, 2)
  })

  it('covers every value with at most five ticks', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (greatest) => {
        const ticks = geometry.niceTicks(greatest)
        assert.ok((ticks.at(-1) ?? 0) >= greatest * (1 - 1e-9))
        assert.ok(ticks.length >= 2 && ticks.length <= 5, ticks.join(' '))
      }),
    )
  })
})

describe('logTicks(), tickLabel()', () => {
  it('returns powers of ten, and formats them with a unit', () => {
    assert.deepEqual(geometry.logTicks(0.5, 2_000).map(geometry.tickLabel), ['1 ms', '10 ms', '100 ms', '1 s'])
  })
})

describe('barLength(), barPieces()', () => {
  it('grows with the duration up to the maximum length', () => {
    const lengths = [0, 1, 10, 100, 1e9].map(geometry.barLength)
    assert.deepEqual(
      lengths,
      lengths.toSorted((a, b) => a - b),
    )
    assert.deepEqual([lengths[0], lengths.at(-1)], [2, 100])
  })

  it('divides the length between phases, with space for the remaining time', () => {
    assert.deepEqual(geometry.barPieces([1, 0, 3], 8, 80), [
      { index: 0, start: 0, length: 10 },
      { index: 2, start: 10, length: 30 },
    ])
  })

  it('stays within the length if phases are longer than the total', () => {
    const pieces = geometry.barPieces([5, 5], 1, 100)
    assert.deepEqual(pieces.at(-1), { index: 1, start: 50, length: 50 })
    assert.deepEqual(geometry.barPieces([], 0, 100), [])
  })
})

describe('clamp()', () => {
  it('keeps a value between two others', () => {
    assert.deepEqual(
      [-1, 5, 11].map((value) => geometry.clamp(value, 0, 10)),
      [0, 5, 10],
    )
  })
})

describe('timeLabels()', () => {
  it('returns four ages and now, in minutes for more than two minutes', () => {
    assert.deepEqual(geometry.timeLabels(60), ['−60 s', '−45 s', '−30 s', '−15 s', 'now'])
    assert.deepEqual(geometry.timeLabels(10), ['−10 s', '−8 s', '−5 s', '−3 s', 'now'])
    assert.deepEqual(geometry.timeLabels(600), ['−10 min', '−7.5 min', '−5 min', '−2.5 min', 'now'])
    assert.deepEqual(geometry.timeLabels(130)[0], '−2.2 min')
  })
})
