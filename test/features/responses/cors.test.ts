/** The option `cors` of apps: on every response, for every path, and preflights. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bearer, group, HttpError, reply, Route, type Middleware } from 'verbena'
import { version } from 'verbena/decorators'
import { testApp } from 'verbena/testing'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'
import { cors, fromPage, Lines, NOT_SHARED, Notes, OTHER, PAGE, preflight, sendForCors, SHARED } from '#test/cors.js'
import { askWire } from '#test/e2e.js'

describe('app option cors', () => {
  const ANSWERS: readonly (readonly [target: string, init: RequestInit, status: number])[] = [
    ['/notes', {}, 200],
    ['/notes', { method: 'HEAD' }, 200],
    ['/notes', { method: 'OPTIONS' }, 204],
    ['/notes', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '1' }, 403],
    ['/notes', { method: 'POST', body: 'text' }, 415],
    ['/notes', { method: 'DELETE' }, 405],
    ['/notes', { headers: { 'if-none-match': '*' } }, 304],
    ['/notes', { headers: { 'if-match': '"x"' } }, 412],
    ['/notes?page=x', {}, 422],
    ['/notes?page=0', {}, 500],
    ['/nothing', {}, 404],
    ['/nothing', { method: 'OPTIONS' }, 404],
    ['/%zz', {}, 400],
    ['/openapi.json', {}, 200],
    ['/ticks', {}, 200],
    ['/lines', {}, 200],
  ]
  for (const [target, init, status] of ANSWERS) {
    it(`sets CORS headers on ${init.method ?? 'GET'} ${target}: ${status}`, async () => {
      const from = (origin: string): RequestInit => ({ ...init, headers: { ...Object(init.headers), origin } })
      assert.deepEqual(await sendForCors({}, target, from(PAGE)), [status, SHARED])
      assert.deepEqual(await sendForCors({}, target, from(OTHER)), [status, NOT_SHARED])
      assert.deepEqual(await sendForCors({}, target, init), [status, NOT_SHARED])
    })
  }

  for (const [state, none] of [
    ['is not set', undefined],
    ['has an empty array of origins', { origins: [] }],
  ] as const) {
    it(`sends no CORS headers if cors ${state}`, async () => {
      const plain = { cors: none }
      assert.deepEqual(await sendForCors(plain, '/notes'), [200, {}])
      assert.deepEqual(await sendForCors(plain, '/notes', preflight('GET')), [204, {}])
      assert.deepEqual(await sendForCors(plain, '/nothing', preflight('GET')), [404, {}])
    })
  }

  it('sets CORS headers over a socket, even if the request target is rejected', async () => {
    const app = createUntypedApp({ routes: { Notes, Lines }, cors, signals: false, limits: { url: 20 } })
    const { port } = await app.listen()
    for (const [target, status] of [
      ['/notes', 200],
      ['/lines', 200],
      ['/none', 404],
      [`/${'a'.repeat(40)}`, 414],
    ] as const) {
      const { headers, ...answer } = await askWire(port, { target, headers: { origin: PAGE } })
      assert.deepEqual(
        [answer.status, headers.get('access-control-allow-origin'), headers.get('vary')],
        [status, PAGE, 'origin'],
      )
    }
    const { headers } = await askWire(port, {
      target: '/notes',
      method: 'OPTIONS',
      headers: Object(preflight('GET').headers),
    })
    assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, POST')
    await app.close()
  })

  it('does not affect the typed client in memory', async () => {
    const { api, close } = await testApp(createUntypedApp({ routes: { Notes }, cors }))
    const path: string = '/notes'
    // Proof: the app is made loosely, so its client has no types.
    const answer = await (api as (path: string) => { get(): Promise<{ status: number; headers: Headers }> })(path).get()
    assert.deepEqual([answer.status, answer.headers.get('vary')], [200, 'origin'])
    await close()
  })

  it('keeps Access-Control-Allow-Origin of the author and adds Vary', async () => {
    class Open extends Route {
      get() {
        return reply(200, 'open', { 'access-control-allow-origin': '*', vary: 'Accept' })
      }
    }
    const [, said] = await sendForCors({ routes: { Open }, cors: { ...cors, credentials: true } }, '/open')
    assert.deepEqual(said, { 'access-control-allow-origin': '*', vary: 'Accept, origin' })
  })

  it('appends to Vary of middleware, and adds CORS headers if middleware fails', async () => {
    const varies: Middleware = async (_, next) => (await next()).with({ vary: 'Cookie' })
    const fails: Middleware = async () => {
      throw new HttpError(401)
    }
    assert.deepEqual(await sendForCors({ middleware: [varies] }, '/notes'), [
      200,
      { ...SHARED, vary: 'Cookie, origin' },
    ])
    assert.deepEqual(await sendForCors({ middleware: [fails] }, '/notes'), [401, SHARED])
  })

  it('does not share responses to methods that are not allowed', async () => {
    const readOnly = { cors: { ...cors, methods: ['GET'] } }
    assert.deepEqual(await sendForCors({ cors: { ...cors, methods: ['POST'] } }, '/notes'), [200, NOT_SHARED])
    assert.deepEqual(await sendForCors(readOnly, '/notes'), [200, SHARED])
    assert.deepEqual(await sendForCors(readOnly, '/notes', { ...fromPage, method: 'HEAD' }), [200, SHARED])
    assert.deepEqual(await sendForCors(readOnly, '/notes', { ...fromPage, method: 'POST' }), [403, NOT_SHARED])
  })

  it('allows credentials and exposes headers', async () => {
    const options = { cors: { origins: ['https://*.example'], credentials: true, expose: ['etag', 'x-request-id'] } }
    const own = { 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'etag, x-request-id' }
    assert.deepEqual(await sendForCors(options, '/notes'), [200, { ...SHARED, ...own }])
  })
})

describe("cors.origins: '*'", () => {
  const open = { cors: { origins: '*' } }
  const ALL = { 'access-control-allow-origin': '*' }
  const ANSWERS: readonly (readonly [target: string, init: RequestInit, status: number])[] = [
    ['/notes', {}, 200],
    ['/notes', { method: 'HEAD' }, 200],
    ['/notes', { method: 'OPTIONS' }, 204],
    ['/notes', { method: 'POST', body: 'text' }, 415],
    ['/notes', { method: 'DELETE' }, 405],
    ['/notes', { headers: { 'if-none-match': '*' } }, 304],
    ['/notes?page=0', {}, 500],
    ['/nothing', {}, 404],
    ['/%zz', {}, 400],
    ['/openapi.json', {}, 200],
    ['/ticks', {}, 200],
    ['/lines', {}, 200],
  ]
  for (const [target, init, status] of ANSWERS) {
    it(`sends the same CORS headers with and without Origin on ${init.method ?? 'GET'} ${target}: ${status}`, async () => {
      const fromOther = { ...init, headers: { ...Object(init.headers), origin: OTHER } }
      assert.deepEqual(await sendForCors(open, target, init), [status, ALL])
      assert.deepEqual(await sendForCors(open, target, fromOther), [status, ALL])
    })
  }

  it('sends the exposed headers without Origin, and nothing to other methods', async () => {
    const options = { cors: { origins: ['*', 'null'], methods: ['GET'], expose: ['etag'] } }
    const exposed = { ...ALL, 'access-control-expose-headers': 'etag' }
    assert.deepEqual(await sendForCors(options, '/notes', {}), [200, exposed])
    assert.deepEqual(await sendForCors(options, '/notes', { ...fromPage, method: 'POST' }), [403, {}])
  })

  it('keeps Vary of middleware and of credentials', async () => {
    const varies: Middleware = async (_, next) => (await next()).with({ vary: 'Accept' })
    class Mine extends Route {
      static readonly uses = { user: bearer((token) => (token === 'ada' ? token : undefined)) }
      get() {
        return 'mine'
      }
    }
    const options = { ...open, middleware: [varies], routes: { Mine } }
    for (const [status, headers] of [
      [401, {}],
      [200, { authorization: 'Bearer ada' }],
    ] as const) {
      assert.deepEqual(await sendForCors(options, '/mine', { headers }), [
        status,
        { ...ALL, vary: 'Accept, authorization' },
      ])
    }
  })

  it('keeps Access-Control-Allow-Origin of the author and adds Vary', async () => {
    class Single extends Route {
      get() {
        return reply(200, 'single', { 'access-control-allow-origin': PAGE })
      }
    }
    assert.deepEqual(await sendForCors({ ...open, routes: { Single } }, '/single', {}), [200, SHARED])
  })

  it('sends preflights as for listed origins', async () => {
    const [status, headers] = await sendForCors(open, '/notes', preflight('GET'))
    assert.deepEqual([status, headers['access-control-allow-origin'], headers['vary']], [204, '*', DEPENDS])
  })
})

describe('cors.origins as a function', () => {
  it('calls the function with the origin and accepts a boolean or a promise', async () => {
    const asked: string[] = []
    const now = (origin: string) => asked.push(origin) > 0
    const later = async (origin: string) => {
      await wait(1)
      return origin === PAGE
    }
    assert.deepEqual(await sendForCors({ cors: { origins: now } }, '/notes'), [200, SHARED])
    assert.deepEqual(await sendForCors({ cors: { origins: later } }, '/notes'), [200, SHARED])
    const fromOther = { headers: { origin: OTHER } }
    assert.deepEqual(await sendForCors({ cors: { origins: later } }, '/notes', fromOther), [200, NOT_SHARED])
    const [status, said] = await sendForCors({ cors: { origins: later } }, '/notes', preflight('GET'))
    assert.deepEqual([status, said['access-control-allow-origin']], [204, PAGE])
    assert.deepEqual(asked, [PAGE])
  })

  it('rejects the origin if the function fails or does not return true, and logs the error', async () => {
    const away = (): never => {
      throw new Error('db is away')
    }
    const wrong: readonly (readonly [origins: () => unknown, isFailing: boolean])[] = [
      ...([
        [() => 'yes', false],
        [() => undefined, false],
        [async () => 1, false],
      ] as const),
      ...([
        [away, true],
        [async () => away(), true],
      ] as const),
    ]
    for (const [origins, isFailing] of wrong) {
      const { logger, lines } = captureLog()
      assert.deepEqual(await sendForCors({ cors: { origins }, logger }, '/notes'), [200, NOT_SHARED])
      const failed = lines.filter(({ level }) => level === 'error').map(({ message }) => message)
      assert.deepEqual(failed, isFailing ? ['The "cors.origins" function threw an error'] : [])
    }
  })

  it('does not call the function for origin null with credentials', async () => {
    const nobody = { headers: { origin: 'null' } }
    const all = { origins: () => true }
    assert.deepEqual(await sendForCors({ cors: { ...all, credentials: true } }, '/notes', nobody), [200, NOT_SHARED])
    assert.deepEqual(await sendForCors({ cors: all }, '/notes', nobody), [
      200,
      { 'access-control-allow-origin': 'null', vary: 'origin' },
    ])
  })
})

const DEPENDS = 'origin, access-control-request-method, access-control-request-headers'

describe('CORS preflights', () => {
  const GRANTED = {
    'access-control-allow-origin': PAGE,
    'access-control-allow-methods': 'GET, HEAD, OPTIONS, POST',
    'access-control-max-age': '600',
    vary: DEPENDS,
  }

  it('allows the methods of the path and the requested headers', async () => {
    assert.deepEqual(await sendForCors({}, '/notes', preflight('GET')), [204, GRANTED])
    const names = 'authorization,content-type'
    const withNames = { ...GRANTED, 'access-control-allow-headers': names }
    assert.deepEqual(await sendForCors({}, '/notes', preflight('POST', PAGE, names)), [204, withNames])
    assert.deepEqual(await sendForCors({}, '/notes', preflight('POST', PAGE, 'a b\u00e4')), [204, GRANTED])
  })

  it('allows all methods of an unknown path, so that the page can read the 404', async () => {
    const methods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY'
    const expected = { ...GRANTED, 'access-control-allow-methods': methods }
    assert.deepEqual(await sendForCors({}, '/nothing', preflight('DELETE')), [204, expected])
  })

  it('sends no CORS headers if the origin or the method is not allowed', async () => {
    assert.deepEqual(await sendForCors({}, '/notes', preflight('GET', OTHER)), [204, { vary: DEPENDS }])
    const readOnly = { cors: { ...cors, methods: ['GET', 'DELETE'] } }
    assert.deepEqual(await sendForCors(readOnly, '/notes', preflight('POST')), [204, { vary: DEPENDS }])
    const granted = { ...GRANTED, 'access-control-allow-methods': 'GET, HEAD' }
    assert.deepEqual(await sendForCors(readOnly, '/notes', preflight('GET')), [204, granted])
  })

  it('sends Allow and no body', async () => {
    const { headers, text } = await sendRequest(
      createUntypedApp({ routes: { Notes }, cors }),
      '/notes',
      preflight('GET'),
    )
    assert.deepEqual([headers.get('allow'), text], ['GET, HEAD, OPTIONS, POST', ''])
  })

  it('does not treat OPTIONS without both request headers as a preflight', async () => {
    const plain = createUntypedApp({ routes: { Notes } })
    const app = createUntypedApp({ routes: { Notes }, cors })
    const { 'access-control-request-method': asked, origin } = Object(preflight('GET').headers)
    for (const headers of [{}, { origin }, { 'access-control-request-method': asked }]) {
      for (const target of ['/notes', '/nothing']) {
        const [one, other] = await Promise.all(
          [plain, app].map((each) => sendRequest(each, target, { method: 'OPTIONS', headers })),
        )
        assert.deepEqual([other?.status, other?.headers.get('allow')], [one?.status, one?.headers.get('allow')])
      }
    }
  })

  it('does not treat OPTIONS * or an invalid request target as a preflight', async () => {
    const app = createUntypedApp({ routes: { Notes }, cors, signals: false })
    const { port } = await app.listen()
    const headers: Record<string, string> = Object(preflight('GET').headers)
    const star = await askWire(port, { target: '*', method: 'OPTIONS', headers })
    assert.deepEqual([star.status, star.headers.has('access-control-allow-methods')], [204, false])
    const refused = await askWire(port, { target: '/../x', method: 'OPTIONS', headers })
    assert.equal(refused.status, 400)
    await app.close()
  })

  it('runs no middleware, guard, provider, method or version negotiation', async () => {
    const ran: string[] = []
    const noted: Middleware = async (_, next) => {
      ran.push('middleware')
      return next()
    }
    const user = bearer(() => {
      ran.push('guard')
      return undefined
    })
    class Old extends Route {
      static readonly path = '/things'
      static readonly middleware = [noted]
      static readonly uses = { user }
      @version('<2.0.0')
      get() {
        return 'old'
      }
    }
    class New extends Route {
      static readonly path = '/things'
      static readonly uses = { user }
      @version('>=2.0.0')
      put() {
        return 'new'
      }
    }
    const app = createUntypedApp({
      routes: { all: group({ uses: { user }, routes: { Old, New } }) },
      middleware: [noted],
      cors,
    })
    const { status, headers } = await sendRequest(app, '/things', {
      ...preflight('PUT', PAGE, 'accept-version,authorization'),
    })
    assert.deepEqual([status, ran], [204, []])
    assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, PUT')
    const wrong = await sendRequest(app, '/things', { headers: { origin: PAGE, 'accept-version': '3.0.0' } })
    assert.deepEqual([wrong.status, wrong.headers.get('access-control-allow-origin')], [406, PAGE])
  })

  it('accepts a preflight with an invalid path parameter, so that the page can read the error', async () => {
    class Tree extends Route {
      static readonly path = '/tree/{path...}'
      get() {
        return 'found'
      }
    }
    const options = { routes: { Tree } }
    assert.deepEqual((await sendForCors(options, '/tree/a%2Fb', preflight('GET')))[0], 204)
    assert.deepEqual(await sendForCors(options, '/tree/a%2Fb'), [400, SHARED])
  })
})
