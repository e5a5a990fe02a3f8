import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { selectTrend } from '../../../page/pure/trend.js'

const TREND = [0, 0, 0, 1, 5, 5, 2]
const MINUTE = 60_000

describe('selectTrend()', () => {
  it('returns the minutes since the start', () => {
    assert.deepEqual(selectTrend(TREND, 3.5 * MINUTE), [1, 5, 5, 2])
    assert.deepEqual(selectTrend(TREND, 90 * MINUTE), TREND)
  })

  it('returns nothing in the first two minutes', () => {
    assert.deepEqual(
      [0, MINUTE, 2 * MINUTE].map((age) => selectTrend(TREND, age)),
      [[], [], []],
    )
    assert.deepEqual(selectTrend(TREND, 2 * MINUTE + 1), [5, 5, 2])
  })
})
