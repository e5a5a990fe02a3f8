/** `app.handler` as middleware of Express 4 and 5, Connect and middie. */
import assert from 'node:assert/strict'
import { text as readText } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cursor, HttpError, redirect, Route, service, type App, type Context, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { files } from 'verbena/files'
import * as z from 'zod'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { createMiddleware, NEIGHBORS, openListener, type Middleware, type MiddlewareList } from '#test/neighbors.js'
import { createDirectory } from '#test/temp-directory.js'
import { requestUpgrade } from '#test/upgrades.js'

class Users extends Route {
  get({ request, response }: Context) {
    response.cookie('ours', '1')
    response.append('vary', 'accept-language, origin')
    return { url: request.url, path: request.path, href: request.href(User, { id: 7 }, { a: '1' }) }
  }

  post() {
    return redirect('/users', 303)
  }
}

class User extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ decorators: [log], params: z.object({ id: z.coerce.string() }) })
  get({ params, request }: Input<typeof User.get>) {
    if (params.id === 'none') throw new HttpError(404, `No user at ${request.url}`)
    if (params.id === 'broken') throw new Error('broken')
    return params
  }
}

const list = cursor(z.object({ id: z.coerce.number() }))

class List extends Route {
  static readonly get = this.contract({ query: list.query })
  get(input: Input<typeof List.get>) {
    return list.page([1, 2], input, (id) => ({ id }))
  }
}

class Home extends Route {
  static readonly path = '/'
  get({ request }: Context) {
    return request.url
  }
}

class Events extends Route {
  async *get() {
    yield 'one'
    yield 'two'
  }
}

class Upload extends Route {
  static readonly post = this.contract({ body: z.object({ name: z.string() }) })
  post({ body }: Input<typeof Upload.post>) {
    return body
  }
}

interface Neighborhood {
  readonly app: App
  readonly lines: readonly Line[]
  /** Arguments of each call of `next` by the app. */
  readonly passed: (readonly unknown[])[]
}

function createNeighborhood(t: TestContext, options: object = {}): Neighborhood {
  const { logger, lines } = captureLog()
  const routes = { Home, Users, User, List, Events, Upload }
  const app = createUntypedApp({ routes, logger, signals: false, ...options })
  onCleanup(t, () => app.close())
  return { app, lines, passed: [] }
}

/** Returns the handler of an app. Notes how often it calls `next`, and with which arguments. */
function noted({ app, passed }: Neighborhood): Middleware {
  const { handler } = app
  return (request, response, next) =>
    handler(request, response, (...args: unknown[]) => {
      passed.push(args)
      next()
    })
}

/** Responds to all requests with the headers that are already set, and the body that was not read yet. */
const answerLast: Middleware = async (request, response) => {
  const names = response.getHeaderNames().filter((name) => name !== 'x-powered-by')
  response.statusCode = 203
  response.end(`theirs: ${request.method} ${request.url} [${names.join()}] ${await readText(request)}`)
}

const last = ['/', answerLast] as const

async function send(url: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'GET' }

for (const { name, open } of NEIGHBORS) {
  const isFastify = name.startsWith('Fastify')

  describe(`app.handler in ${name}`, () => {
    it('passes requests for other paths on, unchanged', async (t) => {
      let count = 0
      const middleware = (_: unknown, next: () => unknown): unknown => {
        count++
        return next()
      }
      const cors = { origins: '*' }
      const neighborhood = createNeighborhood(t, { middleware: [middleware], cors, metrics: '/metrics' })
      const url = await open(t, [['/', noted(neighborhood)], last])
      const requests: [path: string, init: RequestInit][] = [
        ['/none', {}],
        ['/users/1/posts?a=1', { method: 'POST', body: 'the body' }],
        ['/none/', { method: 'PROPFIND' }],
        ['/none', { method: 'OPTIONS', headers: PREFLIGHT }],
        // Fastify rejects it.
        ...(isFastify ? [] : [['/%zz', {}] satisfies [string, RequestInit]]),
      ]
      for (const [path, init] of requests) {
        const { text, headers } = await send(url + path, init)
        assert.equal(text, `theirs: ${init.method ?? 'GET'} ${path} [] ${String(init.body ?? '')}`)
        assert.equal(headers.get('x-request-id'), null)
      }
      assert.deepEqual(
        neighborhood.passed,
        requests.map(() => []),
      )
      assert.deepEqual(neighborhood.lines, [])
      assert.equal(count, 0)
      assert.match(await (await send(`${url}/metrics`)).text, /\nhttp_server_active_requests\S* 1\n/)
    })

    it('handles all requests for its paths', async (t) => {
      const neighborhood = createNeighborhood(t, { cors: { origins: '*' } })
      const url = await open(t, [['/api', noted(neighborhood)], last])
      const statuses: [path: string, method: string, status: number][] = [
        ['/users', 'GET', 200],
        ['/users', 'HEAD', 200],
        ['/users', 'DELETE', 405],
        ['/users', 'PROPFIND', 501],
        ['/users', 'OPTIONS', 204],
        ['/users/none', 'GET', 404],
        ['/users/broken', 'GET', 500],
        [`/users/${'x'.repeat(9_000)}`, 'GET', 414],
        ...(isFastify ? [] : [['/users/%zz', 'GET', 400] satisfies [string, string, number]]),
      ]
      for (const [path, method, status] of statuses) {
        assert.equal((await send(`${url}/api${path}`, { method })).status, status, `${method} ${path.slice(0, 20)}`)
      }
      const preflight = await send(`${url}/api/users`, { method: 'OPTIONS', headers: PREFLIGHT })
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, POST')
      const body = JSON.stringify({ name: 'Ada' })
      const headers = { 'content-type': 'application/json' }
      assert.equal((await send(`${url}/api/upload`, { method: 'POST', body, headers })).text, body)
      assert.equal((await send(`${url}/api/upload`, { method: 'POST', body: '{}', headers })).status, 422)
      assert.equal((await send(`${url}/api/events`)).text, 'onetwo')
      assert.deepEqual(neighborhood.passed, [])
    })

    it('adds the mount to request.url, request.path, hrefs, redirects and the log', async (t) => {
      const { app, lines } = createNeighborhood(t, { trailingSlash: 'redirect' })
      const origin = await open(t, [['/api', app.handler], last])
      const mount = `${new URL(origin).pathname.replace('/', '')}/api`.replace(/^(?=[^/])/, '/')
      const url = `${origin}/api`
      const users = await send(`${url}/users?a=%20b`)
      const expected = { url: `${mount}/users?a=%20b`, path: `${mount}/users`, href: `${mount}/users/7?a=1` }
      assert.deepEqual(JSON.parse(users.text), expected)
      const moved = await send(`${url}/users/?a=1`)
      assert.deepEqual([moved.status, moved.headers.get('location')], [308, `${mount}/users?a=1`])
      const next = (await send(`${url}/list?limit=1`)).headers.get('link') ?? ''
      assert.match(next, new RegExp(`^<${mount}/list\\?limit=1&cursor=\\w+>; rel="next"$`))
      assert.match((await send(`${url}/users/none`)).text, new RegExp(`"No user at ${mount}/users/none"`))
      assert.equal((await send(`${url}/users/broken`)).status, 500)
      const paths = lines.map(({ fields }) => fields['path'])
      assert.deepEqual(paths, [`${mount}/users/none`, `${mount}/users/broken`, `${mount}/users/broken`])
      assert.equal((await send(url)).text, `${mount}/`)
      assert.equal((await send(`${url}/`)).text, `${mount}/`)
    })

    it('keeps Set-Cookie and Vary of other middleware', async (t) => {
      const { app } = createNeighborhood(t, { cors: { origins: 'https://a.example' } })
      const others: MiddlewareList = [
        [
          '/',
          (_request, response, next) => {
            response.setHeader('Set-Cookie', ['theirs=1; Path=/', 'more=2'])
            response.setHeader('Vary', 'Origin, X-Theirs')
            response.setHeader('Content-Length', '3')
            response.setHeader('X-Other', 'stays')
            next()
          },
        ],
      ]
      const url = await open(t, [...others, ['/', app.handler], last])
      for (const method of ['GET', 'HEAD']) {
        const { headers, text } = await send(`${url}/users`, { method })
        assert.deepEqual(headers.getSetCookie().slice(0, 2), ['theirs=1; Path=/', 'more=2'])
        assert.match(headers.getSetCookie()[2] ?? '', /^ours=1; /)
        assert.equal(headers.getSetCookie().length, 3)
        assert.equal(headers.get('vary'), 'Origin, X-Theirs, accept-language')
        assert.equal(headers.get('x-other'), 'stays')
        assert.equal(headers.get('content-type'), 'application/json')
        assert.equal(headers.get('content-length') === '3', false)
        if (method === 'GET') assert.equal(headers.get('content-length'), String(text.length))
      }
      const events = await send(`${url}/events`)
      assert.equal(events.text, 'onetwo')
      assert.deepEqual(events.headers.getSetCookie(), ['theirs=1; Path=/', 'more=2'])
    })
  })
}

describe('app.handler after middleware that patches the response', () => {
  const session = (): Middleware =>
    createMiddleware('express-session', { secret: 'a', resave: true, rolling: true, saveUninitialized: true })
  const compression = (): Middleware => createMiddleware('compression', { threshold: 0 })

  for (const { name, open } of NEIGHBORS.filter(({ name: each }) => !each.includes(' in '))) {
    it(`sends the cookie of express-session and its own in ${name}`, async (t) => {
      const { app } = createNeighborhood(t)
      const url = await open(t, [['/', session()], ['/', app.handler], last])
      for (const [path, method, status] of [
        ['/users', 'GET', 200],
        ['/users', 'HEAD', 200],
        ['/users/none', 'GET', 404],
        ['/events', 'GET', 200],
      ] as const) {
        const { headers, ...response } = await send(url + path, { method })
        assert.equal(response.status, status)
        assert.equal(response.text === '', method === 'HEAD')
        const names = headers.getSetCookie().map((cookie) => cookie.split('=')[0])
        assert.deepEqual(names, path === '/users' ? ['ours', 'connect.sid'] : ['connect.sid'])
      }
    })

    it(`is compressed by compression in ${name}`, async (t) => {
      const { app } = createNeighborhood(t)
      const url = await open(t, [['/', compression()], ['/', app.handler], last])
      const headers = { 'accept-encoding': 'gzip' }
      for (const path of ['/users', '/users/none', '/events']) {
        const response = await send(url + path, { headers })
        const plain = await send(url + path, { headers: { 'accept-encoding': 'identity' } })
        assert.equal(response.headers.get('content-encoding'), 'gzip')
        assert.match(response.headers.get('vary') ?? '', /accept-encoding/i)
        assert.equal(response.text.replace(/"requestId":"[^"]+"/, ''), plain.text.replace(/"requestId":"[^"]+"/, ''))
      }
      const head = await send(`${url}/users`, { method: 'HEAD', headers })
      assert.deepEqual([head.status, head.text], [200, ''])
      const body = JSON.stringify({ name: 'x'.repeat(100_000) })
      const post = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
      assert.equal((await send(`${url}/upload`, post)).text, body)
    })
  }
})

describe('several apps on one server', () => {
  it('respond in order to pipelined requests, as does the server', async (t) => {
    class Slow extends Route {
      async get() {
        await sleep(20)
        return 'slow'
      }
    }
    class Fast extends Route {
      get() {
        return 'fast'
      }
    }
    const slow = createNeighborhood(t, { routes: { Slow } })
    const fast = createNeighborhood(t, { routes: { Fast } })
    for (const { open } of NEIGHBORS) {
      const url = new URL(await open(t, [['/', slow.app.handler], ['/', fast.app.handler], last]))
      const paths = ['/slow', '/fast', '/none', '/fast', '/slow']
      const requests = paths.map((path, index) => {
        const end = index === paths.length - 1 ? 'Connection: close\r\n' : ''
        return `GET ${url.pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\nHost: a\r\n${end}\r\n`
      })
      const text = await requestUpgrade(Number(url.port), requests.join(''))
      assert.deepEqual(text.match(/slow$|slow(?=HTTP)|fast(?=HTTP)|theirs(?=: GET \S*\/none)/g), [
        ...['slow', 'fast', 'theirs', 'fast', 'slow'],
      ])
    }
  })
})

describe('app.handler with next', () => {
  it('passes other paths on before the services are created, and does not create them', async (t) => {
    let count = 0
    class Uses extends Route {
      declare readonly slow: string
      get() {
        return this.slow
      }
    }
    const slow = service(async () => `created ${++count}`)
    const { app } = createNeighborhood(t, { routes: { Uses }, services: { slow } })
    const url = await openListener(t, (request, response) =>
      app.handler(request, response, () => void answerLast(request, response, () => {})),
    )
    assert.match((await send(`${url}/none`)).text, /^theirs/)
    assert.equal(count, 0)
    assert.equal((await send(`${url}/uses`)).text, 'created 1')
  })

  it('handles each path of a fallback and of files, with any method', async (t) => {
    class Missing extends Route {
      static readonly path = '/pages/{path...}'
      static readonly fallback = true
      get() {
        return 'fallback'
      }
    }
    const directory = createDirectory({ 'a.txt': 'A', 'index.html': 'index' })
    const { app } = createNeighborhood(t, { routes: { Missing, '/assets': files(directory) } })
    const url = await openListener(t, (request, response) =>
      app.handler(request, response, () => void answerLast(request, response, () => {})),
    )
    const statuses: [path: string, method: string, status: number][] = [
      ['/pages/a/b', 'GET', 200],
      ['/pages/a/', 'GET', 200],
      ['/assets/a.txt', 'GET', 200],
      ['/assets/', 'GET', 200],
      ['/assets/none.txt', 'GET', 404],
      ['/assets/a.txt', 'POST', 404],
      ['/pages', 'GET', 203],
      ['/other', 'GET', 203],
    ]
    for (const [path, method, status] of statuses) {
      assert.equal((await send(url + path, { method })).status, status, `${method} ${path}`)
    }
  })

  it('passes requests on after the app is closed, except for its paths', async (t) => {
    const { app } = createNeighborhood(t)
    const url = await openListener(t, (request, response) =>
      app.handler(request, response, () => void answerLast(request, response, () => {})),
    )
    await app.close()
    assert.equal((await send(`${url}/none`)).status, 203)
  })

  it('lets an error of next reach its caller', () => {
    const { handler } = createUntypedApp({ routes: { Users } })
    const fail = (): never => {
      throw new Error('theirs')
    }
    const call: unknown = handler
    assert.ok(typeof call === 'function')
    assert.throws(() => call({ url: '/none' }, {}, fail), /^Error: theirs$/)
  })
})

describe('app.handler without next', () => {
  it('responds 404 to other paths', async (t) => {
    const { app } = createNeighborhood(t)
    const url = await openListener(t, app.handler)
    const { status, text } = await send(`${url}/none`)
    assert.equal(status, 404)
    assert.match(text, /"No resource matches this path"/)
  })

  it('passes nothing on if the third argument is not a function', async (t) => {
    const { app } = createNeighborhood(t)
    const handler: unknown = app.handler
    const url = await openListener(t, (request, response) => {
      assert.ok(typeof handler === 'function')
      handler(request, response, {})
    })
    assert.equal((await send(`${url}/none`)).status, 404)
  })
})
