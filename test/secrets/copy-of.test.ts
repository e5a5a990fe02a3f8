import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { copyOf } from '#src/secrets/copy-of.js'

describe('copyOf()', () => {
  it('gives the same text', () => {
    for (const text of [
      '',
      'short',
      'twelve chars',
      'thirteen char',
      'ä longer text',
      '☃'.repeat(20),
      '😀'.repeat(9),
    ]) {
      assert.equal(copyOf(text), text)
    }
  })
})
