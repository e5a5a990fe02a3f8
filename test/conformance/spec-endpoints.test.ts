/** Section 4 of the specification, rule by rule and row by row: methods, paths and the table of endpoints. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reply, Route, type Context, type Input } from 'verbena'
import { sendRequest, json, createUntypedApp } from '#test/apps.js'
import { db, User, UserProfiles, users, type Database } from '#test/apps-users.js'
import * as z from 'zod'

describe('section 4.1: mapping of methods to endpoints', () => {
  it('rule 1: exactly get, post, put, delete and patch become endpoints', () => {
    class Every extends Route {
      get() {}
      post() {}
      put() {}
      delete() {}
      patch() {}
      head() {}
      options() {}
      trace() {}
      connect() {}
      Get() {}
      GET() {}
    }
    const methods = createUntypedApp({ routes: { Every } })
      .routes()
      .map(({ method }) => method)
    assert.deepEqual(methods.toSorted(), ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])
  })

  it('rule 2: the HTTP method is the verb named by the method', () => {
    for (const { verb, method } of users().routes()) assert.equal(method, verb.toUpperCase())
  })

  it('rule 3: any other name, such as a verb with a suffix, is an internal helper', async () => {
    class Helped extends Route {
      get({ query }: Input) {
        return this.get_by_id(String(query['id']))
      }
      get_by_id(id: string) {
        return `helped ${id}`
      }
      getById() {}
      post_all() {}
    }
    const app = createUntypedApp({ routes: { Helped } })
    assert.equal(app.routes().length, 1)
    assert.equal((await sendRequest(app, '/helped?id=7')).text, 'helped 7')
    assert.equal((await sendRequest(app, '/helped', { method: 'POST' })).status, 405)
    for (const path of ['/helped/7', '/helped/get_by_id', '/helped/get-by-id']) {
      assert.equal((await sendRequest(app, path)).status, 404)
    }
  })

  it('rule 4: endpoint methods are declared async', async () => {
    assert.equal(UserProfiles.prototype.get.constructor.name, 'AsyncFunction')
    assert.equal((await sendRequest(users(), '/user-profiles')).status, 200)
  })

  it('rule 5: the endpoint path is the path attribute if set, otherwise the derived path', () => {
    class Set extends Route {
      static readonly path = '/as-given/{id}'
      get() {}
    }
    class Derived extends Route {
      get() {}
    }
    assert.deepEqual(
      createUntypedApp({ routes: { Set, Derived } })
        .routes()
        .map(({ path }) => path),
      ['/as-given/{id}', '/derived'],
    )
  })

  it('conflict: get_by_id does not create an endpoint with an id in its path; a class with its path does', async () => {
    assert.equal((await sendRequest(users(), '/user-profiles/1')).status, 404)
    class UserById extends Route<{ db: Database }> {
      static readonly path = '/user-profiles/{user_id}'
      async get({ params }: Context & { params: Record<string, string> }) {
        return (await this.db.get_user(params['user_id'] ?? '')) ?? reply(204)
      }
    }
    const app = createUntypedApp({ routes: { UserProfiles, UserById }, services: { db } })
    assert.deepEqual((await sendRequest(app, '/user-profiles/1')).body, { id: '1', name: 'Ada' })
  })
})

describe('section 4.2: path derivation', () => {
  const named = (name: string) =>
    Object.defineProperty(
      class extends Route {
        get() {}
      },
      'name',
      { value: name },
    )
  const pathOf = (name: string) => createUntypedApp({ routes: [named(name)] }).routes()[0]?.path

  it('path not set: "/" and the class name in kebab-case', () => assert.equal(pathOf('OrderLines'), '/order-lines'))

  it('a path that the class sets is used unchanged', () => {
    const Given = Object.assign(named('OrderLines'), { path: '/Order_Lines' })
    assert.equal(createUntypedApp({ routes: [Given] }).routes()[0]?.path, '/Order_Lines')
  })

  for (const [name, path] of [
    ['UserProfiles', '/user-profiles'],
    ['APIStatus', '/api-status'],
    ['Home', '/home'],
  ] as const) {
    it(`${name} is ${path}`, () => {
      assert.equal(pathOf(name), path)
      assert.equal(createUntypedApp({ routes: { [name]: named('g') } }).routes()[0]?.path, path)
    })
  }

  it('a run of capitals before a capitalized word is one word', () => {
    assert.deepEqual([pathOf('HTMLParser'), pathOf('MyHTTPServer')], ['/html-parser', '/my-http-server'])
  })

  it('keeps digits with the letters before them, and splits at "_" and "$" (not specified, defined here)', () => {
    assert.deepEqual(
      [pathOf('OAuth2Tokens'), pathOf('HTTP2Server'), pathOf('User_Profiles')],
      ['/o-auth2-tokens', '/http2-server', '/user-profiles'],
    )
  })
})

describe('section 4.3: endpoint table for a route', () => {
  class Items extends Route {
    async get({ query }: Input) {
      return { verb: 'get', query }
    }
    async post({ body }: Input) {
      return { verb: 'post', body }
    }
    async put({ body }: Input) {
      return { verb: 'put', body }
    }
    async patch({ body }: Input) {
      return { verb: 'patch', body }
    }
    async delete() {
      return { verb: 'delete' }
    }
  }
  const app = createUntypedApp({ routes: { Items } })

  it('GET: calls get and sends its return value, serialized as JSON', async () => {
    const { status, body, headers } = await sendRequest(app, '/items?q=1')
    assert.deepEqual([status, body], [200, { verb: 'get', query: { q: '1' } }])
    assert.equal(headers.get('content-type'), 'application/json')
  })

  for (const verb of ['post', 'put', 'patch']) {
    it(`${verb.toUpperCase()}: calls ${verb} with the request body`, async () => {
      const { status, body } = await sendRequest(app, '/items', json({ a: 1 }, verb.toUpperCase()))
      assert.deepEqual([status, body], [200, { verb, body: { a: 1 } }])
    })
  }

  it('DELETE: calls delete and sends its return value', async () => {
    assert.deepEqual((await sendRequest(app, '/items', { method: 'DELETE' })).body, { verb: 'delete' })
  })

  it('rule 1: requests and responses are validated and serialized by typed data models', async () => {
    const { status, body } = await sendRequest(users(), '/user-profiles', json({}))
    assert.deepEqual([status, Object(body).errors[0].pointer], [422, '/name'])
  })

  it('rule 2: a handler returns a plain mapping or an instance of a model', async () => {
    class Model {
      readonly id = '7'
      readonly name = 'Ada'
      readonly secret = 'x'
    }
    class Models extends Route {
      static readonly get = this.contract({ returns: User })
      async get() {
        return new Model()
      }
      async post() {
        return { id: '7' }
      }
    }
    const models = createUntypedApp({ routes: { Models } })
    assert.deepEqual((await sendRequest(models, '/models')).body, { id: '7', name: 'Ada' })
    assert.deepEqual((await sendRequest(models, '/models', { method: 'POST' })).body, { id: '7' })
  })

  it('rule 3: contracts declare path, query and header parameters, statuses and response models', async () => {
    class Bound extends Route {
      static readonly path = '/bound/{id}'
      static readonly put = this.contract({
        ...{ params: z.object({ id: z.int() }), query: z.object({ q: z.boolean() }) },
        ...{ headers: z.object({ 'x-n': z.int() }), returns: z.array(z.unknown()), status: 202 },
      })
      async put({ params, query, headers }: Input<typeof Bound.put>) {
        return [params, query, headers]
      }
    }
    const request = { method: 'PUT', headers: { 'x-n': '3' } }
    const { status, body } = await sendRequest(createUntypedApp({ routes: { Bound } }), '/bound/7?q=true', request)
    assert.deepEqual([status, body], [202, [{ id: 7 }, { q: true }, { 'x-n': 3 }]])
  })
})
