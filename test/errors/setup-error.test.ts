import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SETUP_CODES, SetupError } from '#src/errors/setup-error.js'

describe('SetupError', () => {
  it('has a code, a name and a message', () => {
    const error = new SetupError('ROUTE_EMPTY', 'Cannot add route "A": it is empty')
    assert.ok(error instanceof Error)
    assert.equal(error.name, 'SetupError')
    assert.equal(error.code, 'ROUTE_EMPTY')
    assert.equal(error.message, 'Cannot add route "A": it is empty')
  })
})

describe('SETUP_CODES', () => {
  it('lists codes in alphabetical order, each with a summary', () => {
    const codes = Object.keys(SETUP_CODES)
    assert.deepEqual(codes, codes.toSorted())
    for (const [code, line] of Object.entries(SETUP_CODES)) {
      assert.match(code, /^[A-Z]+_[A-Z]+$/)
      assert.match(line, /^[A-Z].*[^.]$/)
    }
  })
})
