import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError } from '#test/apps.js'

describe('Route', () => {
  it('has no static path, so that a subclass overrides nothing', () => {
    assert.equal('path' in Route, false)
    assert.deepEqual(Object.getOwnPropertyNames(Route.prototype), ['constructor'])
  })

  it('makes contracts in the name of the class they stand in', () => {
    assertSetupError(
      () =>
        class Users extends Route {
          // @ts-expect-error - the key is unknown, for the compiler too
          static readonly get = this.contract({ retruns: null })
        },
      'CONTRACT_INVALID',
      '"Users"',
      'returns',
    )
  })

  it('has instances without anything of their own', () => {
    class Users extends Route {
      get() {}
    }
    assert.deepEqual(Reflect.ownKeys(new Users()), [])
  })
})
