import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

describe('checkContractRules()', () => {
  it('rejects a body for get, also in an inherited contract', () => {
    class Users extends Route {
      static readonly get = this.contract({ body: z.object({}) })
      get() {}
    }
    class Members extends Users {}
    const create = (routeClass: typeof Users) => () => createUntypedApp({ routes: { [routeClass.name]: routeClass } })
    assertSetupError(create(Users), 'CONTRACT_INVALID', 'Users.get', 'a GET request has no body', '"query"', '"post"')
    assertSetupError(create(Members), 'CONTRACT_INVALID', 'Members.get')
  })
})
