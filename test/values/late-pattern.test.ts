import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { latePattern } from '#src/values/late-pattern.js'

describe('latePattern()', () => {
  it('creates the pattern at the first call, and returns the same one later', () => {
    const letters = latePattern(String.raw`\p{L}+`, 'u')
    assert.equal(letters().exec('1 élan 2')?.[0], 'élan')
    assert.equal(letters(), letters())
  })

  it('does not parse the pattern before the first call', () => {
    const broken = latePattern('(', 'u')
    assert.throws(broken, SyntaxError)
  })
})
