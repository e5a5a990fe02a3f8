/** `cors` of apps and groups: on every answer, for every path, and the only OPTIONS that it changes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bearer, events, group, HttpError, reply, Route, stream, type CorsOptions, type Middleware } from 'verbena'
import { version } from 'verbena/decorators'
import { testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError, captureLog, createUntypedApp, looseGroup } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

const PAGE = 'https://app.example'
const OTHER = 'https://other.example'
const cors: CorsOptions = { origins: [PAGE] }
const fromPage = { headers: { origin: PAGE } }

class Notes extends Route {
  static readonly get = this.contract({ query: z.object({ page: z.int().optional() }), etag: true })
  get({ query }: { query: { page?: number | undefined } }) {
    if (query.page === 0) throw new Error('as it happens')
    return ['Buy tea']
  }
  post() {
    throw new HttpError(403, 'No')
  }
}

class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 1 }
  }
}

class Lines extends Route {
  static readonly get = this.contract({ returns: stream() })
  async *get() {
    yield 'one'
  }
}

/** Asks as a page would whether it may ask. */
function question(method: string, origin = PAGE, names?: string): RequestInit {
  const asked = names === undefined ? {} : { 'access-control-request-headers': names }
  return { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method, ...asked } }
}

/** The fields of an answer that a browser looks at. */
function shared(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
}

const NOT_SHARED = { vary: 'origin' }
const SHARED = { 'access-control-allow-origin': PAGE, vary: 'origin' }

async function sharedOf(options: object, target: string, init: RequestInit = fromPage) {
  const { status, headers } = await sendRequest(
    createUntypedApp({ routes: { Notes, Ticks, Lines }, cors, ...options }),
    target,
    init,
  )
  return [status, shared(headers)] as const
}

describe('the option cors', () => {
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
    it(`says who may read ${init.method ?? 'GET'} ${target}: ${status}`, async () => {
      const from = (origin: string): RequestInit => ({ ...init, headers: { ...Object(init.headers), origin } })
      assert.deepEqual(await sharedOf({}, target, from(PAGE)), [status, SHARED])
      assert.deepEqual(await sharedOf({}, target, from(OTHER)), [status, NOT_SHARED])
      assert.deepEqual(await sharedOf({}, target, init), [status, NOT_SHARED])
    })
  }

  it('changes nothing where it is not set', async () => {
    const plain = { cors: undefined }
    assert.deepEqual(await sharedOf(plain, '/notes'), [200, {}])
    assert.deepEqual(await sharedOf(plain, '/notes', question('GET')), [204, {}])
    assert.deepEqual(await sharedOf(plain, '/nothing', question('GET')), [404, {}])
  })

  it('says the same over a socket, also of a head that is refused', async () => {
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
      headers: Object(question('GET').headers),
    })
    assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, POST')
    await app.close()
  })

  it('lets the typed client in memory go on, and the tests of a page', async () => {
    const { api, close } = await testApp(createUntypedApp({ routes: { Notes }, cors }))
    const path: string = '/notes'
    // Proof: the app is made loosely, so its client has no types.
    const answer = await (api as (path: string) => { get(): Promise<{ status: number; headers: Headers }> })(path).get()
    assert.deepEqual([answer.status, answer.headers.get('vary')], [200, 'origin'])
    await close()
  })

  it('leaves alone what an author says, and still says what it depends on', async () => {
    class Open extends Route {
      get() {
        return reply(200, 'open', { 'access-control-allow-origin': '*', vary: 'Accept' })
      }
    }
    const [, said] = await sharedOf({ routes: { Open }, cors: { ...cors, credentials: true } }, '/open')
    assert.deepEqual(said, { 'access-control-allow-origin': '*', vary: 'Accept, origin' })
  })

  it('joins what middleware says, and is not lost when that fails', async () => {
    const varies: Middleware = async (_, next) => (await next()).with({ vary: 'Cookie' })
    const fails: Middleware = async () => {
      throw new HttpError(401)
    }
    assert.deepEqual(await sharedOf({ middleware: [varies] }, '/notes'), [200, { ...SHARED, vary: 'Cookie, origin' }])
    assert.deepEqual(await sharedOf({ middleware: [fails] }, '/notes'), [401, SHARED])
  })

  it('does not share what the page may not do', async () => {
    const readOnly = { cors: { ...cors, methods: ['GET'] } }
    assert.deepEqual(await sharedOf({ cors: { ...cors, methods: ['POST'] } }, '/notes'), [200, NOT_SHARED])
    assert.deepEqual(await sharedOf(readOnly, '/notes'), [200, SHARED])
    assert.deepEqual(await sharedOf(readOnly, '/notes', { ...fromPage, method: 'HEAD' }), [200, SHARED])
    assert.deepEqual(await sharedOf(readOnly, '/notes', { ...fromPage, method: 'POST' }), [403, NOT_SHARED])
  })

  it('says whose credentials and which fields', async () => {
    const options = { cors: { origins: ['https://*.example'], credentials: true, expose: ['etag', 'x-request-id'] } }
    const own = { 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'etag, x-request-id' }
    assert.deepEqual(await sharedOf(options, '/notes'), [200, { ...SHARED, ...own }])
    assert.deepEqual(await sharedOf({ cors: { origins: '*' } }, '/notes'), [
      200,
      { 'access-control-allow-origin': '*', vary: 'origin' },
    ])
  })
})

describe('origins as a function', () => {
  it('is asked with the origin, at once or later', async () => {
    const asked: string[] = []
    const now = (origin: string) => asked.push(origin) > 0
    const later = async (origin: string) => {
      await wait(1)
      return origin === PAGE
    }
    assert.deepEqual(await sharedOf({ cors: { origins: now } }, '/notes'), [200, SHARED])
    assert.deepEqual(await sharedOf({ cors: { origins: later } }, '/notes'), [200, SHARED])
    const fromOther = { headers: { origin: OTHER } }
    assert.deepEqual(await sharedOf({ cors: { origins: later } }, '/notes', fromOther), [200, NOT_SHARED])
    const [status, said] = await sharedOf({ cors: { origins: later } }, '/notes', question('GET'))
    assert.deepEqual([status, said['access-control-allow-origin']], [204, PAGE])
    assert.deepEqual(asked, [PAGE])
  })

  it('refuses where it fails or says anything but true, and the log says why', async () => {
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
      assert.deepEqual(await sharedOf({ cors: { origins }, logger }, '/notes'), [200, NOT_SHARED])
      const failed = lines.filter(({ level }) => level === 'error').map(({ message }) => message)
      assert.deepEqual(failed, isFailing ? ['The function in the option "cors.origins" failed'] : [])
    }
  })

  it('is not asked for a page without an origin where there are credentials', async () => {
    const nobody = { headers: { origin: 'null' } }
    const all = { origins: () => true }
    assert.deepEqual(await sharedOf({ cors: { ...all, credentials: true } }, '/notes', nobody), [200, NOT_SHARED])
    assert.deepEqual(await sharedOf({ cors: all }, '/notes', nobody), [
      200,
      { 'access-control-allow-origin': 'null', vary: 'origin' },
    ])
  })
})

const DEPENDS = 'origin, access-control-request-method, access-control-request-headers'

describe('a preflight', () => {
  const GRANTED = {
    'access-control-allow-origin': PAGE,
    'access-control-allow-methods': 'GET, HEAD, OPTIONS, POST',
    'access-control-max-age': '600',
    vary: DEPENDS,
  }

  it('is told what the path answers, and may send what it asks for', async () => {
    assert.deepEqual(await sharedOf({}, '/notes', question('GET')), [204, GRANTED])
    const names = 'authorization,content-type'
    const withNames = { ...GRANTED, 'access-control-allow-headers': names }
    assert.deepEqual(await sharedOf({}, '/notes', question('POST', PAGE, names)), [204, withNames])
    assert.deepEqual(await sharedOf({}, '/notes', question('POST', PAGE, 'a b\u00e4')), [204, GRANTED])
  })

  it('may ask for any method of a path that nothing answers, so that the page sees the 404', async () => {
    const methods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'
    const expected = { ...GRANTED, 'access-control-allow-methods': methods }
    assert.deepEqual(await sharedOf({}, '/nothing', question('DELETE')), [204, expected])
  })

  it('is told nothing where the origin or the method is not allowed', async () => {
    assert.deepEqual(await sharedOf({}, '/notes', question('GET', OTHER)), [204, { vary: DEPENDS }])
    const readOnly = { cors: { ...cors, methods: ['GET', 'DELETE'] } }
    assert.deepEqual(await sharedOf(readOnly, '/notes', question('POST')), [204, { vary: DEPENDS }])
    const granted = { ...GRANTED, 'access-control-allow-methods': 'GET, HEAD' }
    assert.deepEqual(await sharedOf(readOnly, '/notes', question('GET')), [204, granted])
  })

  it('keeps Allow, and has no body', async () => {
    const { headers, text } = await sendRequest(
      createUntypedApp({ routes: { Notes }, cors }),
      '/notes',
      question('GET'),
    )
    assert.deepEqual([headers.get('allow'), text], ['GET, HEAD, OPTIONS, POST', ''])
  })

  it('is OPTIONS with both fields: all others stay as they are', async () => {
    const plain = createUntypedApp({ routes: { Notes } })
    const app = createUntypedApp({ routes: { Notes }, cors })
    const { 'access-control-request-method': asked, origin } = Object(question('GET').headers)
    for (const headers of [{}, { origin }, { 'access-control-request-method': asked }]) {
      for (const target of ['/notes', '/nothing']) {
        const [one, other] = await Promise.all(
          [plain, app].map((each) => sendRequest(each, target, { method: 'OPTIONS', headers })),
        )
        assert.deepEqual([other?.status, other?.headers.get('allow')], [one?.status, one?.headers.get('allow')])
      }
    }
  })

  it('is of a path: neither OPTIONS * nor a refused head is one', async () => {
    const app = createUntypedApp({ routes: { Notes }, cors, signals: false })
    const { port } = await app.listen()
    const headers: Record<string, string> = Object(question('GET').headers)
    const star = await askWire(port, { target: '*', method: 'OPTIONS', headers })
    assert.deepEqual([star.status, star.headers.has('access-control-allow-methods')], [204, false])
    const refused = await askWire(port, { target: '/../x', method: 'OPTIONS', headers })
    assert.equal(refused.status, 400)
    await app.close()
  })

  it('runs no middleware, no guard, no provider, no method and no choice of a version', async () => {
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
      ...question('PUT', PAGE, 'accept-version,authorization'),
    })
    assert.deepEqual([status, ran], [204, []])
    assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, PUT')
    const wrong = await sendRequest(app, '/things', { headers: { origin: PAGE, 'accept-version': '3.0.0' } })
    assert.deepEqual([wrong.status, wrong.headers.get('access-control-allow-origin')], [406, PAGE])
  })

  it('passes for a path whose parameter is refused, which the page sees then', async () => {
    class Tree extends Route {
      static readonly path = '/tree/{path...}'
      get() {
        return 'found'
      }
    }
    const options = { routes: { Tree } }
    assert.deepEqual((await sharedOf(options, '/tree/a%2Fb', question('GET')))[0], 204)
    assert.deepEqual(await sharedOf(options, '/tree/a%2Fb'), [400, SHARED])
  })
})

describe('cors of a group', () => {
  const inner: CorsOptions = { origins: [OTHER] }
  const routes = {
    Notes,
    '/api': group({ cors: inner, routes: { Lines, '/deep': group({ cors: false, routes: { Ticks } }) } }),
    '/orgs/{org}': group({ cors: inner, routes: { named: group({ tags: ['x'], routes: { Ticks } }) } }),
  }
  const from = (target: string, origin: string) => sharedOf({ routes }, target, { headers: { origin } })
  const shares = async (target: string, origin: string) =>
    (await from(target, origin))[1]['access-control-allow-origin'] === origin

  it('takes the place of that around it, on its routes', async () => {
    assert.deepEqual([await shares('/notes', PAGE), await shares('/notes', OTHER)], [true, false])
    assert.deepEqual([await shares('/api/lines', PAGE), await shares('/api/lines', OTHER)], [false, true])
    assert.deepEqual(await from('/api/deep/ticks', OTHER), [200, {}])
    assert.deepEqual([await shares('/orgs/a/ticks', PAGE), await shares('/orgs/a/ticks', OTHER)], [false, true])
  })

  it('holds for what nothing answers below its path', async () => {
    const other = ['/api', '/api/', '/api/x', '/api/x/y', '/api//', '/orgs/a', '/orgs/a/x', '/api/lines/']
    const page = ['/', '/x', '/apis', '/orgs', '/orgs//x', '/API/x', '/%61pi/x', '/orgs/']
    for (const target of other)
      assert.deepEqual(await from(target, OTHER), [404, { ...SHARED, 'access-control-allow-origin': OTHER }], target)
    for (const target of page) assert.deepEqual(await from(target, PAGE), [404, SHARED], target)
    assert.deepEqual(await from('/api/deep/x', OTHER), [404, {}])
    assert.deepEqual(await from('/api/deep/x', PAGE), [404, {}])
  })

  it('holds everywhere for a group under /', async () => {
    const own = { routes: { '/': group({ cors: inner, routes: { Lines } }) } }
    const fromOther = { headers: { origin: OTHER } }
    for (const [target, status] of [
      ['/lines', 200],
      ['/none', 404],
    ] as const) {
      assert.deepEqual(await sharedOf(own, target, fromOther), [
        status,
        { ...SHARED, 'access-control-allow-origin': OTHER },
      ])
    }
  })

  it('answers preflights below its path', async () => {
    const allowed = async (target: string, origin: string) => {
      const [status, said] = await sharedOf({ routes }, target, question('PUT', origin))
      return [status, said['access-control-allow-origin']]
    }
    assert.deepEqual(await allowed('/api/x', OTHER), [204, OTHER])
    assert.deepEqual(await allowed('/api/x', PAGE), [204, undefined])
    assert.deepEqual(await allowed('/x', PAGE), [204, PAGE])
    assert.deepEqual(await allowed('/api/deep/x', OTHER), [404, undefined])
  })

  it('must be the same for classes that share a path', () => {
    class Old extends Route {
      static readonly path = '/things'
      @version('<2.0.0')
      get() {}
    }
    class New extends Old {
      @version('>=2.0.0')
      override get() {}
    }
    const appOf = (one: unknown, other: unknown) =>
      createUntypedApp({
        routes: { a: looseGroup({ cors: one, routes: { Old } }), b: looseGroup({ cors: other, routes: { New } }) },
      })
    assertSetupError(
      () => appOf(cors, inner),
      'ROUTE_CONFLICT',
      '"/things" of "New"',
      'other "cors"',
      'the same "cors"',
    )
    assertSetupError(() => appOf(cors, false), 'ROUTE_CONFLICT')
    assert.doesNotThrow(() => appOf({ origins: [PAGE] }, { origins: [PAGE] }))
    assert.doesNotThrow(() => appOf(false, undefined))
  })
})
