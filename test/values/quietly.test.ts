import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { valueOr } from '#src/values/quietly.js'

describe('valueOr()', () => {
  it('gives what is read, and another value where that throws', () => {
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
