import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { quietly } from '#src/values/quietly.js'

describe('quietly()', () => {
  it('gives what is read, and another value where that throws', () => {
    assert.equal(
      quietly(() => decodeURIComponent('%20'), 'no'),
      ' ',
    )
    assert.equal(
      quietly(() => decodeURIComponent('%'), 'no'),
      'no',
    )
  })
})
