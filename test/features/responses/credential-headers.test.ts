/** Responses of endpoints that read credentials: no shared cache sends them to other clients. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  apiKey,
  bearer,
  createApp,
  group,
  HttpError,
  reply,
  Route,
  type App,
  type Context,
  type Middleware,
  type Uses,
} from 'verbena'
import { version, deprecated, speed } from 'verbena/decorators'
import { override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { askWire } from '#test/e2e.js'
import { openListener } from '#test/neighbors.js'

const user = bearer((token) => token === 'a1b2' && 'ada')
const GOOD = { authorization: 'Bearer a1b2' }

/** Serves an endpoint with these providers. */
function appWith(uses: Uses, contract: object = {}, options: object = {}): App {
  class Data extends Route {
    static readonly get = this.contract({ uses, etag: true, ...contract })
    get() {
      return { a: 1 }
    }
    static readonly post = this.contract({ uses, body: z.object({ a: z.number() }) })
    post() {
      throw new HttpError(409)
    }
  }
  return createUntypedApp({ routes: { Data }, ...options })
}

/** Returns status, `Vary` and `Cache-Control` of a response. */
async function cachingOf(app: Pick<App, 'fetch'>, target: string, init: RequestInit = {}) {
  const { status, headers } = await sendRequest(app, target, init)
  return [status, headers.get('vary'), headers.get('cache-control')]
}

describe('credentialHeaders()', () => {
  it('sends Cache-Control: private if a request succeeds, and no-store if it fails', async () => {
    const app = appWith({ user })
    const body = { method: 'POST', body: '{"a":1}', headers: { ...GOOD, 'content-type': 'application/json' } }
    const invalid = { ...body, body: '{"a":"x"}' }
    assert.deepEqual(await cachingOf(app, '/data', { headers: GOOD }), [200, 'authorization', 'private'])
    assert.deepEqual(await cachingOf(app, '/data', { headers: GOOD, method: 'HEAD' }), [
      200,
      'authorization',
      'private',
    ])
    assert.deepEqual(await cachingOf(app, '/data'), [401, 'authorization', 'no-store'])
    assert.deepEqual(await cachingOf(app, '/data', body), [409, 'authorization', 'no-store'])
    assert.deepEqual(await cachingOf(app, '/data', invalid), [422, 'authorization', 'no-store'])
  })

  it('sends the header of the 200 in a 304', async () => {
    const app = appWith({ user })
    const { headers } = await sendRequest(app, '/data', { headers: GOOD })
    const again = { ...GOOD, 'if-none-match': String(headers.get('etag')) }
    assert.deepEqual(await cachingOf(app, '/data', { headers: again }), [304, 'authorization', 'private'])
    const changed = { ...GOOD, 'if-match': '"other"' }
    assert.deepEqual(await cachingOf(app, '/data', { headers: changed }), [412, 'authorization', 'no-store'])
  })

  it('keeps the Cache-Control of securityHeaders in a 304, for pages and for other responses', async () => {
    class Page extends Route {
      static readonly get = this.contract({ uses: { user }, etag: true })
      get() {
        return reply(200, '<p>', { 'content-type': 'text/html' })
      }
    }
    class Data extends Route {
      static readonly get = this.contract({ uses: { user }, etag: true })
      get() {
        return 1
      }
    }
    class Open extends Route {
      static readonly get = this.contract({ etag: true })
      get() {
        return 1
      }
    }
    const securityHeaders = { api: { 'cache-control': 'no-cache' }, html: { 'cache-control': 'private, max-age=9' } }
    const app = createUntypedApp({ routes: { Page, Data, Open }, securityHeaders })
    for (const [target, cached] of [
      ['/page', 'private, max-age=9'],
      ['/data', 'no-cache'],
      ['/open', null],
    ] as const) {
      const { headers } = await sendRequest(app, target, { headers: GOOD })
      if (cached !== null) assert.equal(headers.get('cache-control'), cached)
      const again = { ...GOOD, 'if-none-match': String(headers.get('etag')) }
      const unchanged = await sendRequest(app, target, { headers: again })
      assert.deepEqual([unchanged.status, unchanged.headers.get('cache-control')], [304, cached])
      assert.equal(unchanged.headers.get('x-frame-options'), null)
    }
  })

  it('keeps the header of a method, a reply, an error, middleware and securityHeaders', async () => {
    class Said extends Route {
      static readonly uses = { user }
      get({ response }: { response: { header(name: string, value: string): void } }) {
        response.header('cache-control', 'max-age=60')
        response.header('vary', 'Accept-Language')
      }
      post() {
        return reply(201, null, { 'cache-control': 'no-cache' })
      }
      put() {
        throw new HttpError(404, 'gone', { headers: { 'cache-control': 'max-age=5' } })
      }
    }
    class Plain extends Route {
      static readonly uses = { user }
      get() {
        return 1
      }
    }
    const mark: Middleware = async (_context, next) => (await next()).with({ 'cache-control': 'max-age=1' })
    const routes = {
      Said,
      '/marked': group({ middleware: [mark], routes: { Plain } }),
      '/safe': group({ securityHeaders: 'api', routes: { Plain } }),
    }
    const app = createUntypedApp({ routes })
    const say = (method: string) => cachingOf(app, '/said', { method, headers: GOOD })
    assert.deepEqual(await say('GET'), [204, 'Accept-Language, authorization', 'max-age=60'])
    assert.deepEqual(await say('POST'), [201, 'authorization', 'no-cache'])
    assert.deepEqual(await say('PUT'), [404, 'authorization', 'max-age=5'])
    assert.deepEqual(await cachingOf(app, '/marked/plain', { headers: GOOD }), [200, 'authorization', 'max-age=1'])
    assert.deepEqual(await cachingOf(app, '/marked/plain'), [401, 'authorization', 'max-age=1'])
    assert.deepEqual(await cachingOf(app, '/safe/plain', { headers: GOOD }), [200, 'authorization', 'no-store'])
  })

  it('keeps the headers of the server around the app', async (t) => {
    const { logger } = captureLog()
    const app = appWith({ user }, {}, { logger, signals: false })
    onCleanup(t, () => app.close())
    const url = await openListener(t, (request, response) => {
      if (request.headers['x-said'] !== undefined) response.setHeader('Cache-Control', 'max-age=7')
      response.setHeader('Vary', 'Accept')
      app.handler(request, response)
    })
    const port = Number(new URL(url).port)
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const answer = await askWire(port, { target: '/data', headers })
      return [answer.status, answer.headers.get('vary'), answer.headers.get('cache-control')]
    }
    assert.deepEqual(await ask(GOOD), [200, 'Accept, authorization', 'private'])
    assert.deepEqual(await ask({}), [401, 'Accept, authorization', 'no-store'])
    assert.deepEqual(await ask({ ...GOOD, 'x-said': '1' }), [200, 'Accept, authorization', 'max-age=7'])
    assert.deepEqual(await ask({ 'x-said': '1' }), [401, 'Accept, authorization', 'max-age=7'])
  })

  it('overrides the header of the server around the app if the route sets it', async (t) => {
    class Own extends Route {
      static readonly uses = { user }
      get() {
        return reply(200, 1, { 'cache-control': 'no-cache' })
      }
    }
    const app = createUntypedApp({ routes: { Own }, signals: false })
    onCleanup(t, () => app.close())
    const url = await openListener(t, (request, response) => {
      response.setHeader('cache-control', 'max-age=7')
      app.handler(request, response)
    })
    const answer = await askWire(Number(new URL(url).port), { target: '/own', headers: GOOD })
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
  })

  it('merges Vary with every other list, and adds no Vary for a key in the query', async () => {
    const inQuery = apiKey({ in: 'query', name: 'key' }, (key) => key === 'k' && 'acme')
    class Lists extends Route {
      static readonly get = this.contract({ uses: { user } })
      get({ request }: Context) {
        return reply(200, 1, { vary: request.headers['x-vary'] ?? '' })
      }
      static readonly post = this.contract({ uses: { inQuery } })
      post() {
        return reply(200, 1, { vary: 'accept' })
      }
    }
    const routes = { Lists, '/shared': group({ cors: { origins: ['https://a.example'] }, routes: { Lists } }) }
    const app = createUntypedApp({ routes })
    for (const vary of ['accept', 'accept', 'x-a', 'accept', 'Authorization', '*']) {
      const merged = vary === 'Authorization' ? vary : `${vary}, authorization`
      assert.deepEqual(await cachingOf(app, '/lists', { headers: { ...GOOD, 'x-vary': vary } }), [
        200,
        merged,
        'private',
      ])
    }
    const post = { method: 'POST' }
    assert.deepEqual(await cachingOf(app, '/lists?key=k', post), [200, 'accept', 'private'])
    assert.deepEqual(await cachingOf(app, '/shared/lists?key=k', post), [200, 'accept, origin', 'private'])
    assert.deepEqual(await cachingOf(app, '/shared/lists', post), [401, 'origin', 'no-store'])
  })

  it('adds nothing to responses before the guards', async () => {
    const stop: Middleware = () => Promise.resolve(reply(200, 'cached'))
    class Data extends Route {
      static readonly path = '/data/{id}'
      static readonly uses = { user }
      static readonly get = this.contract({ params: z.object({ id: z.coerce.number() }), returns: z.number() })
      get() {
        return 1
      }
    }
    const routes = { Data, '/stopped': group({ middleware: [stop], routes: { Data } }) }
    const app = createUntypedApp({ routes, cors: { origins: ['https://a.example'] } })
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
    for (const [target, init, status] of [
      ['/nothing', {}, 404],
      ['/data/1', { method: 'PUT' }, 405],
      ['/data/%ff', {}, 400],
      ['/data/1', { method: 'OPTIONS' }, 204],
      ['/data/1', { method: 'OPTIONS', headers: preflight }, 204],
      ['/data/1', { headers: { accept: 'text/html' } }, 406],
      ['/stopped/data/1', {}, 200],
    ] as const) {
      const { headers, ...answer } = await sendRequest(app, target, init)
      assert.equal(answer.status, status, target)
      assert.doesNotMatch(String(headers.get('vary')), /authorization/, target)
      assert.equal(headers.get('cache-control'), null, target)
    }
    assert.deepEqual(await cachingOf(app, '/data/x', { headers: GOOD }), [422, 'origin, authorization', 'no-store'])
  })

  it('adds both to the headers of versions, deprecation and timing', async () => {
    class Old extends Route {
      static readonly path = '/data'
      static readonly uses = { user }
      static readonly decorators = [version('1.x'), deprecated({ since: '2026-01-31' }), speed]
      get() {
        return 1
      }
      post() {
        return reply(200, 1, { 'x-own': '1' })
      }
    }
    class New extends Old {
      static override readonly decorators = [version('2.x')]
    }
    const app = createUntypedApp({ routes: { Old, New }, version: '2.0.0' })
    const ask = (accept: string, method = 'GET') =>
      sendRequest(app, '/data', { method, headers: { ...GOOD, 'accept-version': accept } })
    for (const method of ['GET', 'POST']) {
      const { headers, status } = await ask('1', method)
      assert.deepEqual([status, headers.get('vary')], [200, 'accept-version, authorization'])
      assert.equal(headers.get('cache-control'), 'private')
      assert.equal(headers.get('api-version'), '1.0.0')
      assert.ok(headers.has('deprecation'))
      assert.match(String(headers.get('server-timing')), /^app;dur=/)
    }
    const missing = await ask('7')
    assert.deepEqual([missing.status, missing.headers.get('vary')], [406, 'accept-version'])
  })

  it('adds both to the 500 of a response that could not be written', async () => {
    class Bad extends Route {
      static readonly uses = { user }
      get() {
        const answer = reply(200, 1)
        Object.defineProperty(answer, 'headers', { value: new Map([['x-bad', 'a\nb']]) })
        return answer
      }
    }
    const app = createUntypedApp({ routes: { Bad } })
    assert.deepEqual(await cachingOf(app, '/bad', { headers: GOOD }), [500, 'authorization', 'no-store'])
  })

  it('adds both with an override of the guard', async (t) => {
    class Me extends Route {
      static readonly get = this.contract({ uses: { user }, returns: z.string() })
      get() {
        return 'ada'
      }
    }
    const test = await testApp(createApp({ routes: { Me } }), { override: [override(user, () => 'ada' as const)] })
    onCleanup(t, () => test.close())
    assert.deepEqual(await cachingOf(test, '/me'), [200, 'authorization', 'private'])
  })
})

describe('a Cache-Control that lets shared caches store responses with credentials', () => {
  function loggedApp(value: string) {
    class Shared extends Route {
      static readonly uses = { user }
      get() {
        return reply(200, 1, { 'cache-control': value })
      }
      post() {
        return reply(200, 1, { 'cache-control': value })
      }
    }
    const { logger, lines } = captureLog()
    return { app: createUntypedApp({ routes: { Shared }, logger }), lines }
  }

  for (const value of ['public, max-age=60', 'max-age=5, S-MaxAge=60', 's-maxage=60', 'PUBLIC']) {
    it(`is sent as written, and logged once for each endpoint: ${value}`, async () => {
      const { app, lines } = loggedApp(value)
      for (const method of ['GET', 'GET', 'POST', 'POST']) {
        assert.deepEqual(await cachingOf(app, '/shared', { method, headers: GOOD }), [200, 'authorization', value])
      }
      assert.deepEqual(
        lines.map(({ level, fields, message }) => [level, fields['route'], message]),
        ['get', 'post'].map((verb) => [
          'warn',
          'Shared',
          `The response of "Shared.${verb}" depends on credentials, but "Cache-Control: ${value}" lets shared caches store it. ` +
            'Remove "public" and "s-maxage", or move the response to an endpoint without credentials',
        ]),
      )
    })
  }

  for (const value of ['private, max-age=60', 'max-age=60, extension="public"', 'x-public=1', 'no-cache']) {
    it(`causes no warning without these directives: ${value}`, async () => {
      const { app, lines } = loggedApp(value)
      assert.deepEqual(await cachingOf(app, '/shared', { headers: GOOD }), [200, 'authorization', value])
      assert.deepEqual(lines, [])
    })
  }
})
