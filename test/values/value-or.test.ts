import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueOr } from '#src/values/value-or.js'

describe('valueOr()', () => {
  it('returns the result of the function, or the other value if it throws', () => {
    assert.equal(
      valueOr(() => decodeURIComponent('%20'), 'no'),
      ' ',
    )
    assert.equal(
      valueOr(() => decodeURIComponent('%'), 'no'),
      'no',
    )
  })
})
