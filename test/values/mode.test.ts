import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { readMode, readVariables } from '#src/values/mode.js'

describe('readMode()', () => {
  const { NODE_ENV: before } = process.env
  afterEach(() => {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  })

  for (const [value, mode] of [
    ['production', 'production'],
    ['development', 'development'],
    ['test', 'other'],
    ['Production', 'other'],
    ['', 'unset'],
  ] as const) {
    it(`is ${mode} with NODE_ENV="${value}"`, () => {
      process.env['NODE_ENV'] = value
      assert.equal(readMode(), mode)
    })
  }

  it('is unset without NODE_ENV', () => {
    delete process.env['NODE_ENV']
    assert.equal(readMode(), 'unset')
  })
})

describe('readVariables()', () => {
  it('returns the variables of the process, not a copy', () => assert.equal(readVariables(), process.env))
})
