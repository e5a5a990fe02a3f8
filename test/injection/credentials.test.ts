import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { challenge } from '#src/injection/credentials.js'

describe('challenge()', () => {
  it('formats a scheme and its parameters (RFC 9110 section 11.3)', () => {
    assert.equal(challenge('Bearer', {}), 'Bearer')
    assert.equal(challenge('Bearer', { realm: undefined }), 'Bearer')
    assert.equal(challenge('Basic', { realm: 'a', charset: 'UTF-8' }), 'Basic realm="a", charset="UTF-8"')
  })

  it('escapes quotes and backslashes', () => {
    assert.equal(challenge('Basic', { realm: '"a\\b", x="' }), String.raw`Basic realm="\"a\\b\", x=\""`)
  })
})
