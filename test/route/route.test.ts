import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError } from '#test/apps.js'

describe('Route', () => {
  it('has no static path, so a subclass does not need override', () => {
    assert.equal('path' in Route, false)
    assert.deepEqual(Object.getOwnPropertyNames(Route.prototype), ['constructor'])
  })

  it('names the class in errors of this.contract()', () => {
    assertSetupError(
      () =>
        class Users extends Route {
          // @ts-expect-error - the key is unknown, for the compiler too
          static readonly get = this.contract({ retruns: null })
        },
      'OPTION_INVALID',
      '"Users"',
      'returns',
    )
  })

  it('creates instances without own properties', () => {
    class Users extends Route {
      get() {}
    }
    assert.deepEqual(Reflect.ownKeys(new Users()), [])
  })
})
