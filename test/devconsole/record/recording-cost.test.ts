import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Spent } from '#src/devconsole/record/recording-cost.js'

describe('Spent', () => {
  it('says of the newest hundred which is in the middle, and which was the longest', () => {
    const spent = new Spent()
    assert.deepEqual([spent.count, spent.median, spent.longest], [0, 0, 0])
    for (const time of [9, 1, 5]) spent.add(time)
    assert.deepEqual([spent.count, spent.median, spent.longest], [3, 5, 9])
    for (let time = 1; time <= 98; time++) spent.add(2)
    assert.deepEqual([spent.count, spent.median, spent.longest], [100, 2, 5])
  })
})
