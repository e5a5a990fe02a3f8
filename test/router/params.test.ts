import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NO_PARAMS, ParamsRecord } from '#src/router/params.js'

describe('ParamsRecord', () => {
  it('inherits nothing', () => {
    const params = new ParamsRecord()
    const inherited = ['constructor', 'toString', 'hasOwnProperty', '__proto__'].filter((name) => name in params)
    assert.deepEqual(inherited, [])
  })
})

describe('NO_PARAMS', () => {
  it('is empty and frozen', () => {
    assert.deepEqual(Object.keys(NO_PARAMS), [])
    assert.ok(Object.isFrozen(NO_PARAMS))
  })
})
