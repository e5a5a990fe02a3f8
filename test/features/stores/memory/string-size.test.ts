/** `stringSize`: bytes of a string in memory. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringSize } from '#src/features/stores/memory/string-size.js'

describe('stringSize()', () => {
  it('counts one byte for each Latin-1 character, and two for each if any is not', () => {
    assert.deepEqual(['', 'abc', '\0ÿ', 'ab€', '😀'].map(stringSize), [0, 3, 2, 6, 4])
  })
})
