/** Headers and the endpoint that middleware reads and sets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reply, Route, type App, type Middleware } from 'verbena'
import { sendRequest, createUntypedApp } from '#test/apps.js'

class Home extends Route {
  static readonly path = '/'
  get({ request }: { request: { url: string } }) {
    if (request.url === '/?throw') throw new Error('secret')
    return { hello: 'world' }
  }
}

const around = (middleware: readonly Middleware[]): App => createUntypedApp({ routes: { Home }, middleware })

const same: Middleware = (_context, next) => next()

describe('middleware: response headers', () => {
  it('appends headers in the order of middleware, endpoint and reply', async () => {
    class Vary extends Route {
      get({ response }: { response: { append(name: string, value: string): void } }) {
        response.append('vary', 'accept')
        return reply(200, 'x', { vary: 'cookie', 'x-who': 'reply' })
      }
    }
    const setting: Middleware = async ({ response }, next) => {
      response.header('vary', 'origin')
      response.header('x-who', 'before')
      const answer = await next()
      response.header('x-late', 'after')
      return answer.with({ vary: 'x-tenant' })
    }
    const { headers } = await sendRequest(createUntypedApp({ routes: { Vary }, middleware: [setting] }), '/vary')
    assert.deepEqual(
      [headers.get('vary'), headers.get('x-who'), headers.get('x-late')],
      ['origin, accept, cookie, x-tenant', 'reply', 'after'],
    )
  })

  it('keeps headers of middleware and drops headers of the endpoint on a failure', async () => {
    class Fails extends Route {
      get({ response }: { response: { header(name: string, value: string): void } }) {
        response.header('x-endpoint', '1')
        throw new Error('secret')
      }
    }
    const setting: Middleware = async ({ response }, next) => {
      response.header('x-before', '1')
      const answer = await next()
      response.header('x-after', '1')
      return answer.with({ 'x-with': '1' })
    }
    for (const middleware of [[setting], [setting, same], [same, setting]]) {
      const { status, headers } = await sendRequest(createUntypedApp({ routes: { Fails }, middleware }), '/fails')
      const kept = ['x-before', 'x-after', 'x-with', 'x-endpoint'].map((name) => headers.get(name))
      assert.deepEqual([status, ...kept], [500, '1', '1', '1', null])
    }
  })

  it('keeps headers of outer middleware if inner middleware throws before or after next()', async () => {
    const setting: Middleware = ({ response }, next) => {
      response.header('x-outer', '1')
      return next()
    }
    const before: Middleware = () => Promise.reject(new Error('secret'))
    const after: Middleware = (_context, next) => next().then(() => assert.fail('secret'))
    for (const failing of [before, after]) {
      const { status, headers } = await sendRequest(around([setting, failing]), '/')
      assert.deepEqual([status, headers.get('x-outer')], [500, '1'])
    }
  })

  it('responds to a preflight and adds CORS headers to every response, including failures', async () => {
    const cors: Middleware = async ({ request }, next) => {
      const origin = { 'access-control-allow-origin': 'https://app.example', vary: 'origin' }
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        return reply(204, null, { ...origin, 'access-control-allow-methods': 'GET' })
      }
      return (await next()).with(origin)
    }
    const app = around([cors])
    const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }
    const asked = [
      sendRequest(app, '/', preflight),
      sendRequest(app, '/'),
      sendRequest(app, '/?throw'),
      sendRequest(app, '/none'),
      sendRequest(app, '/%zz'),
    ]
    for (const { headers } of await Promise.all(asked)) {
      assert.equal(headers.get('access-control-allow-origin'), 'https://app.example')
      assert.equal(headers.get('vary'), 'origin')
    }
    const { status, headers } = await sendRequest(app, '/', preflight)
    assert.deepEqual([status, headers.get('access-control-allow-methods'), headers.get('allow')], [204, 'GET', null])
  })
})

describe('context.endpoint', () => {
  class Named extends Route {
    static readonly path = '/named/{id}'
    static readonly meta: object = { role: 'admin', of: 'class' }
    static readonly get = this.contract({ meta: { of: 'contract' } as object })
    get() {}
  }
  const seen: unknown[] = []
  const see: Middleware = (context, next) => {
    seen.push(context.endpoint)
    return next()
  }

  it('is undefined without an endpoint; otherwise contains its route, method, path, meta and params', async () => {
    const app = createUntypedApp({ routes: { Named }, middleware: [see] })
    for (const [target, method] of [
      ['/none', 'GET'],
      ['/named/7', 'PUT'],
      ['/named/7', 'OPTIONS'],
      ['/named/a%20b', 'GET'],
      ['/named/7', 'HEAD'],
    ] as const) {
      await sendRequest(app, target, { method })
    }
    const endpoint = { route: 'Named', method: 'GET', path: '/named/{id}', meta: { role: 'admin', of: 'contract' } }
    assert.deepEqual(seen.slice(0, 3), [undefined, undefined, undefined])
    assert.deepEqual(JSON.parse(JSON.stringify(seen.slice(3))), [
      { ...endpoint, params: { id: 'a b' } },
      { ...endpoint, params: { id: '7' } },
    ])
  })
})
