import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Input } from 'verbena'
import { findEndpoints } from '#src/route/endpoints.js'
import type { RouteClass } from '#src/route/route-class.js'
import { sendRequest, assertSetupError, json, looseContract, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

abstract class Listing extends Route {
  static readonly get = this.contract({ summary: 'List' })
  get(): unknown {
    return 'listing'
  }
}

const found = (routeClass: RouteClass) => findEndpoints(routeClass, 'Users').map(({ verb }) => verb)

describe('findEndpoints()', () => {
  for (const verb of VERBS) {
    it(`finds the method "${verb}"`, () => {
      class Users extends Route {}
      Object.defineProperty(Users.prototype, verb, { value() {} })
      assert.deepEqual(found(Users), [verb])
    })
  }

  it('returns all five verbs in a fixed order', () => {
    class Users extends Route {
      delete() {}
      patch() {}
      put() {}
      post() {}
      get() {}
    }
    assert.deepEqual(found(Users), VERBS)
  })

  it('ignores methods with other names, and private methods', () => {
    class Users extends Route {
      get() {}
      get_by_id() {}
      getById() {}
      GET() {}
      head() {}
      options() {}
      trace() {}
      all() {}
      del() {}
      static post() {}
      #put() {}
      put_it() {
        this.#put()
      }
    }
    Reflect.deleteProperty(Users, 'post')
    assert.deepEqual(found(Users), ['get'])
  })

  it('finds an inherited method with its contract', () => {
    class Users extends Listing {}
    assert.deepEqual(findEndpoints(Users, 'Users'), [{ verb: 'get', contract: { summary: 'List' } }])
  })

  it('uses the inherited contract for an overriding method', () => {
    class Users extends Listing {
      override get() {
        return 'users'
      }
    }
    assert.deepEqual(findEndpoints(Users, 'Users'), [{ verb: 'get', contract: { summary: 'List' } }])
  })

  it('uses a redeclared contract for an inherited method', () => {
    class Users extends Listing {
      static override readonly get = this.contract({ summary: 'List users' })
    }
    assert.deepEqual(findEndpoints(Users, 'Users'), [{ verb: 'get', contract: { summary: 'List users' } }])
  })

  it('finds methods with and without a contract in one class', () => {
    class Users extends Listing {
      delete() {}
    }
    assert.deepEqual(
      findEndpoints(Users, 'Users').map(({ verb, contract }) => [verb, contract?.summary]),
      [
        ['get', 'List'],
        ['delete', undefined],
      ],
    )
  })

  it('rejects a class without a verb method', () => {
    class Users extends Route {
      get_by_id() {}
    }
    assertSetupError(() => found(Users), 'ROUTE_EMPTY', '"Users"', 'get, post, put, patch, delete')
    assertSetupError(() => createUntypedApp({ routes: { Users } }), 'ROUTE_EMPTY', '"Users"')
  })

  it('rejects a contract without a method with the same name', () => {
    class Users extends Listing {
      static readonly post = this.contract({ summary: 'Create' })
    }
    assertSetupError(() => found(Users), 'CONTRACT_UNUSED', '"Users"', '"post"', 'async post(', 'remove the contract')
  })

  it('rejects a static verb that is not a contract', () => {
    for (const value of [{ summary: 'List' }, () => 'list', null, 'list']) {
      class Users extends Route {
        get() {}
      }
      Object.defineProperty(Users, 'get', { value })
      assertSetupError(() => found(Users), 'CONTRACT_INVALID', '"get" of "Users"', 'this.contract({ … })')
    }
  })

  it('rejects a static verb method', () => {
    class Users extends Route {
      static get() {
        return 'a slip: static'
      }
    }
    assertSetupError(() => found(Users), 'CONTRACT_INVALID', '"get" of "Users"')
  })

  it('accepts a body for delete', async () => {
    class Users extends Route {
      static readonly delete = this.contract({ body: z.object({ ids: z.array(z.string()) }) })
      delete({ body }: Input<typeof Users.delete>) {
        return body.ids
      }
    }
    const { body } = await sendRequest(
      createUntypedApp({ routes: { Users } }),
      '/users',
      json({ ids: ['7'] }, 'DELETE'),
    )
    assert.deepEqual(body, ['7'])
  })

  it('rejects a getter, a setter and a value as a verb', () => {
    const descriptors: PropertyDescriptor[] = [{ get: () => () => 'list' }, { set() {} }, { value: 'list' }]
    for (const descriptor of descriptors) {
      class Users extends Route {}
      Object.defineProperty(Users.prototype, 'get', descriptor)
      assertSetupError(() => found(Users), 'ROUTE_FIELD', '"get" of "Users"', 'it must be a method', 'async get(input)')
    }
  })

  it('rejects a method with a second parameter, as in other frameworks', () => {
    class Users extends Route {
      get(_request: unknown, response: { json(value: unknown): void }) {
        response.json(['ada'])
      }
    }
    assertSetupError(() => found(Users), 'ROUTE_FIELD', '"get" of "Users"', 'at most one parameter', 'async get(input)')
  })

  it('accepts optional parameters of a method that other code calls too', () => {
    class Users extends Route {
      get(_input?: Input, names = ['ada']) {
        return names
      }
    }
    assert.deepEqual(found(Users), ['get'])
  })

  it('rejects a getter that hides an inherited verb', () => {
    class Users extends Listing {}
    Object.defineProperty(Users.prototype, 'get', { get: () => undefined })
    assertSetupError(() => found(Users), 'ROUTE_FIELD', '"get" of "Users"')
  })

  it('names the class in the error of an invalid contract', () => {
    assertSetupError(
      () =>
        class Users extends Route {
          static readonly post = looseContract(this, { returns: { 200: z.string() }, status: 200 })
        },
      'CONTRACT_INVALID',
      '"Users"',
    )
  })

  it('finds a method "query" with its contract, own or inherited', () => {
    class Search extends Route {
      static readonly query = this.contract({ body: z.object({ text: z.string() }) })
      get() {}
      query({ body }: Input<typeof Search.query>): unknown {
        return body.text
      }
    }
    class Narrow extends Search {
      override query() {
        return 'narrow'
      }
    }
    assert.deepEqual(
      [found(Search), found(Narrow)],
      [
        ['get', 'query'],
        ['get', 'query'],
      ],
    )
  })

  it('leaves a method or field "query" without a contract to its author', () => {
    class Users extends Route {
      get() {}
      query(sql: string, values: readonly unknown[]) {
        return [sql, values]
      }
    }
    class Orders extends Route {
      readonly query = (sql: string) => sql
      get() {}
    }
    class Getter extends Route {
      get() {}
      get query() {
        return 'q'
      }
    }
    assert.deepEqual([found(Users), found(Orders), found(Getter)], [['get'], ['get'], ['get']])
    createUntypedApp({ routes: { Users, Orders, Getter } })
  })

  it('rejects a contract "query" without its method, with a field, and with a second parameter', () => {
    class Alone extends Route {
      static readonly query = this.contract({ body: z.string() })
    }
    class Field extends Route {
      static readonly query = this.contract({ body: z.string() })
      get() {}
      readonly query = () => 'q'
    }
    class Second extends Route {
      static readonly query = this.contract({ body: z.string() })
      query(_sql: string, values: readonly unknown[]) {
        return values
      }
    }
    class Static extends Route {
      static readonly query = 'select'
      get() {}
    }
    assertSetupError(() => found(Alone), 'CONTRACT_UNUSED', 'async query(input: Input<typeof Users.query>)')
    assertSetupError(() => createUntypedApp({ routes: { Field } }), 'ROUTE_FIELD', 'async query() { … }')
    assertSetupError(() => found(Second), 'ROUTE_FIELD', 'at most one parameter')
    assertSetupError(() => found(Static), 'CONTRACT_INVALID', 'static "query" of "Users"')
  })
})
