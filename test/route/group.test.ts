import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route } from 'verbena'
import { assertSetupError, looseGroup } from '#test/apps.js'

class Health extends Route {
  get() {
    return 'fine'
  }
}

describe('group()', () => {
  it('stores its routes in "~group"', () => {
    const routes = { Health }
    assert.equal(group({ routes })['~group'], routes)
  })

  for (const [key, says] of [
    ['middlewares', 'Did you mean "middleware"?'],
    ['guards', 'Valid options are middleware, uses, errors, tags, public, errorFormat, cors, securityHeaders, routes'],
    ['prefix', '"prefix" of group(): it is unknown'],
  ] as const) {
    it(`rejects the key "${key}"`, () => {
      assertSetupError(() => looseGroup({ routes: { Health }, [key]: [] }), 'OPTION_INVALID', `"${key}"`, says)
    })
  }

  it('rejects uses that are not an object of providers', () => {
    for (const uses of [null, [], 7, { user: () => 1 }]) {
      assertSetupError(() => looseGroup({ routes: { Health }, uses }), 'USES_INVALID', 'a group')
    }
  })

  it('rejects "public" that is not a boolean', () => {
    assertSetupError(() => looseGroup({ routes: { Health }, public: 'yes' }), 'OPTION_INVALID', '"public"')
  })

  it('rejects tags that are not an array of strings', () => {
    for (const tags of ['users', [7]]) {
      assertSetupError(() => looseGroup({ routes: { Health }, tags }), 'OPTION_INVALID', '"tags"')
    }
  })
})
