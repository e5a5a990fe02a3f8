import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecordingCost } from '#src/devconsole/record/recording-cost.js'

describe('RecordingCost', () => {
  it('returns the median of the newest 100 times and the longest time', () => {
    const cost = new RecordingCost()
    assert.deepEqual([cost.count, cost.median, cost.longest], [0, 0, 0])
    for (const time of [9, 1, 5]) cost.add(time)
    assert.deepEqual([cost.count, cost.median, cost.longest], [3, 5, 9])
    for (let time = 1; time <= 98; time++) cost.add(2)
    assert.deepEqual([cost.count, cost.median, cost.longest], [100, 2, 5])
  })
})
