/** `invoke()`: calls one method without an app. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decorator, health, HttpError, provide, reply, Route, SetupError, type Input, text } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { invoke } from 'verbena/testing'
import * as z from 'zod'

const user = provide({}, (): { name: string } => {
  throw new Error('is not run')
})
const events: string[] = []
const noted = decorator(() => ({
  around: (_input, proceed) => {
    events.push('around')
    return proceed()
  },
}))

class Notes extends Route<{ db: Map<string, string> }> {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/notes/{id}'
  static readonly uses = { user }
  static readonly get = this.contract({ query: z.object({ limit: z.int() }), errors: [404] })
  readonly size = this.db.size
  @noted
  async get({ params, query, user }: Input<typeof Notes.get>) {
    const found = this.db.get(params.id)
    if (found === undefined) throw new HttpError(404, `Nothing for ${user.name}`)
    return [found, query.limit, this.size, this.helper()]
  }
  post({ request, response, log, signal, params, query, body }: Input) {
    response.header('x-any', '1')
    response.after(() => events.push('after'))
    log.info({}, 'silent')
    const hrefs = [request.href(Notes, { org: 'a', id: 'ü' }, { q: 1 }), request.href(Things, {})]
    const { id, method, url, path, ip, headers } = request
    return { hrefs, id, method, url, path, ip, headers, aborted: signal.aborted, params, query, body }
  }
  helper() {
    return 'helped'
  }
}
class Org extends Route {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/'
  get({ request }: Input) {
    return request.href(Org, { org: 'b' })
  }
}
class Things extends Route {
  get() {
    return 'things'
  }
}

const services = { db: new Map([['1', 'milk']]) }
const given = { params: { org: 'a', id: '1' }, query: { limit: 2 }, uses: { user: { name: 'ada' } }, services }

describe('invoke()', () => {
  it('returns the result of the method with services on `this`, and runs no provider or decorator', async () => {
    assert.deepEqual(await invoke(Notes, 'get', given), ['milk', 2, 1, 'helped'])
    assert.equal(await invoke(Things, 'get'), 'things')
    assert.deepEqual(events, [])
  })

  it('links to the prefix of a class with the path "/"', async () => {
    assert.equal(await invoke(Org, 'get'), '/orgs/b')
  })

  it('does not validate sources', async () => {
    assert.deepEqual(await invoke(Notes, 'get', { ...given, query: { limit: 0.5 } }), ['milk', 0.5, 1, 'helped'])
  })

  it('rejects with the error of the method', async () => {
    const wrong = { ...given, params: { org: 'a', id: '2' } }
    await assert.rejects(invoke(Notes, 'get', wrong), (error: unknown) => {
      assert.ok(error instanceof HttpError)
      assert.deepEqual([error.status, error.detail], [404, 'Nothing for ada'])
      return true
    })
  })

  it('provides a context with links, a silent log and a default request', async () => {
    const { headers, ...made } = await invoke(Notes, 'post', { services, uses: given.uses })
    assert.deepEqual({ ...headers }, {})
    assert.deepEqual(made, {
      hrefs: ['/orgs/a/notes/%C3%BC?q=1', '/things'],
      ...{ id: 'test', method: 'GET', url: '/', path: '/', ip: '127.0.0.1', aborted: false },
      ...{ params: {}, query: undefined, body: undefined },
    })
    assert.deepEqual(events, [])
  })

  it('provides the passed request in the context', async () => {
    const request = new Request('http://a/b?c=d', { method: 'POST', headers: { 'x-any': '1' } })
    const body = { any: 1 }
    const made = await invoke(Notes, 'post', { services, uses: given.uses, request, body })
    assert.deepEqual([made.method, made.url, made.path, made.headers['x-any']], ['POST', '/b?c=d', '/b', '1'])
    assert.equal(made.body, body)
  })

  it('passes the key of the request if the contract has "idempotency"', async () => {
    class Keys extends Route {
      static readonly post = this.contract({
        idempotency: idempotency({ by: () => 'ada', ttl: 1000 }),
        returns: text(),
      })
      post({ request }: Input<typeof Keys.post>) {
        return request.idempotencyKey ?? 'none'
      }
    }
    const headers = { 'idempotency-key': '"a b"' }
    const request = new Request('http://localhost/', { method: 'POST', headers })
    assert.deepEqual([await invoke(Keys, 'post', { request }), await invoke(Keys, 'post')], ['a b', 'none'])
  })

  it('returns 200 from health routes, which have no app and no services', async () => {
    const { Livez, Readyz } = health()
    const headers = { 'cache-control': 'no-store' }
    assert.deepEqual(await invoke(Livez, 'get'), reply(200, {}, headers))
    assert.deepEqual(await invoke(Readyz, 'get'), reply(200, { services: {} }, headers))
  })

  it('rejects classes that are not routes, and methods that are not endpoints', async () => {
    const loosely = (...args: readonly unknown[]): Promise<unknown> =>
      Promise.resolve(Reflect.apply(invoke, undefined, args))
    const refused = (text: RegExp) => (error: unknown) => {
      assert.ok(error instanceof SetupError)
      assert.equal(error.code, 'TEST_INVALID')
      assert.match(error.message, text)
      return true
    }
    await assert.rejects(loosely(class {}, 'get'), refused(/Cannot invoke "get": the class must extend Route/))
    await assert.rejects(loosely(Things, 'post'), refused(/"Things" has no such endpoint/))
    await assert.rejects(loosely(Notes, 'helper', given), refused(/Cannot invoke "helper"/))
  })
})
