import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupBy } from '#src/devconsole/wire/group-by.js'

describe('groupBy()', () => {
  it('keeps the order of the first items, and of the items of a group', () => {
    const groups = groupBy([5, 2, 7, 4], (item) => item % 2 === 0)
    assert.deepEqual(
      [...groups],
      [
        [false, [5, 7]],
        [true, [2, 4]],
      ],
    )
  })
})
