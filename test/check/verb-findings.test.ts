/** `app.check()`: methods whose name looks like a verb. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

class Base extends Route {
  Head() {}
  get() {}
}

function check(routes: object): string[] {
  const findings = createUntypedApp({ routes })
    .check()
    .filter(({ code }) => code === 'VERB_MISSPELLED')
  return findings.map(({ route, method, message, fix }) => `${method} ${route}: ${message}. ${fix}`)
}

describe('app.check(): VERB_MISSPELLED', () => {
  it('reports names of other frameworks and verbs in another case, with the fix', () => {
    class Users extends Route {
      post() {}
      del() {}
      all() {}
      OPTIONS() {}
      Get() {}
      PATCH() {}
      head() {}
    }
    const state = (name: string): string =>
      `POST Users: The method "${name}" of "Users" handles no requests, because it is not named after a verb`
    assert.deepEqual(check({ Users }), [
      `${state('del')}. Rename it to "delete"`,
      `${state('all')}. Write a method for each verb: get, post, put, patch, delete`,
      `${state('OPTIONS')}. Remove it: Verbena responds to OPTIONS, and the option "cors" to preflight requests`,
      `${state('Get')}. Rename it to "get"`,
      `${state('PATCH')}. Rename it to "patch"`,
      `${state('head')}. Remove it: "get" also handles HEAD`,
    ])
  })

  it('reports an inherited method once, and a class that is registered twice once', () => {
    class First extends Base {}
    class Second extends Base {
      post() {}
    }
    assert.equal(check({ First, Second, Base, '/again': { First } }).length, 1)
    class Overrides extends Base {
      override Head() {}
    }
    assert.equal(check({ Overrides }).length, 2)
  })

  it('accepts verbs, other names, and properties that are not methods', () => {
    class Users extends Route {
      static readonly del = 1
      readonly all = () => {}
      get() {}
      delete() {}
      getAll() {}
      deleted() {}
      get head() {
        return 1
      }
    }
    assert.deepEqual(check({ Users }), [])
  })

  it('leaves classes without endpoints to the setup error', () => {
    class Users extends Route {
      Get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Users } }), 'ROUTE_EMPTY', 'get, post, put, patch, delete')
  })

  it('is part of strict', () => {
    class Users extends Route {
      static readonly get = this.contract({ returns: null })
      get() {}
      del() {}
    }
    const create = () => createUntypedApp({ routes: { Users }, openapi: false, strict: true })
    assertSetupError(create, 'CHECK_FAILED', 'VERB_MISSPELLED of "Users.get"')
  })
})

describe('app.check(): QUERY_UNUSED', () => {
  it('reports a method "query" without a contract once', () => {
    class Reports extends Route {
      get() {}
      post() {}
      query() {}
    }
    class Search extends Route {
      static readonly query = this.contract({ body: z.string() })
      query() {}
      Query() {}
    }
    class Inherits extends Search {
      override query() {}
    }
    const findings = createUntypedApp({ routes: { Reports, Search, Inherits } })
      .check()
      .filter(({ code }) => code === 'QUERY_UNUSED' || code === 'VERB_MISSPELLED')
    assert.deepEqual(findings, [
      {
        code: 'QUERY_UNUSED',
        route: 'Reports',
        method: 'GET',
        message: 'The method "query" of "Reports" handles no requests, because it has no contract',
        fix: 'Add "static readonly query = this.contract({ body: … })" to handle QUERY requests, or rename a helper',
      },
    ])
  })
})
