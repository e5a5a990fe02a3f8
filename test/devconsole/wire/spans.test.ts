import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coveredTime } from '#src/devconsole/wire/spans.js'

describe('coveredTime()', () => {
  it('counts overlapping spans once, in any order', () => {
    const spans = [
      { start: 8, length: 2 },
      { start: 0, length: 4 },
      { start: 1, length: 1 },
      { start: 3, length: 3 },
    ]
    assert.deepEqual([coveredTime(spans), coveredTime([])], [8, 0])
  })
})
