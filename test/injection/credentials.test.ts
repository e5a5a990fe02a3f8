import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatChallenges } from '#src/injection/credentials.js'

describe('formatChallenges()', () => {
  it('formats a scheme and its parameters (RFC 9110 section 11.3)', () => {
    assert.equal(formatChallenges('Bearer', {}), 'Bearer')
    assert.equal(formatChallenges('Bearer', { realm: undefined }), 'Bearer')
    assert.equal(formatChallenges('Basic', { realm: 'a', charset: 'UTF-8' }), 'Basic realm="a", charset="UTF-8"')
  })

  it('escapes quotes and backslashes', () => {
    assert.equal(formatChallenges('Basic', { realm: '"a\\b", x="' }), String.raw`Basic realm="\"a\\b\", x=\""`)
  })
})
