import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { detachString } from '#src/secrets/detach-string.js'

describe('detachString()', () => {
  it('returns an equal string', () => {
    for (const text of [
      '',
      'short',
      'twelve chars',
      'thirteen char',
      'ä longer text',
      '☃'.repeat(20),
      '😀'.repeat(9),
    ]) {
      assert.equal(detachString(text), text)
    }
  })
})
