import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sameSecret } from 'verbena'

describe('sameSecret()', () => {
  it('compares strings and bytes of any length', () => {
    const cases: readonly (readonly [given: string | Uint8Array, expected: string | Uint8Array, same: boolean])[] = [
      ['secret', 'secret', true],
      ['secret', 'Secret', false],
      ['secret', 'secret ', false],
      ['secre', 'secret', false],
      ['', 'secret', false],
      ['', '', true],
      ['ä', 'ä', true],
      ['ä', Buffer.from('ä'), true],
      [Buffer.of(1, 2), new Uint8Array([1, 2]), true],
      [Buffer.of(1, 2), Buffer.of(1, 3), false],
    ]
    for (const [given, expected, same] of cases) {
      assert.equal(sameSecret(given, expected), same)
      assert.equal(sameSecret(expected, given), same)
    }
  })
})
