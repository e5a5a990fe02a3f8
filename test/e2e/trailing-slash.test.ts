/** A slash at the end of a path: another path, the same one, or a way to it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { bearer, createApp, group, Route, type App, type Input, type Middleware, type Result } from 'verbena'
import { createClient } from 'verbena/client'
import { version } from 'verbena/decorators'
import { upgrade } from 'verbena/upgrade'
import { WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { sendRequest, json } from '#test/apps.js'
import { testRows, type ExpectedResponse, type Parts, type Row } from '#test/attack-rows.js'

const user = bearer((token) => token === 'a' && { id: 'ada' })
const marked: Middleware = async (_context, next) => (await next()).with({ 'x-marked': 'yes' })

class Home extends Route {
  get() {
    return 'home'
  }
}
class Alive extends Route {
  get() {
    return 'alive'
  }
}
class Users extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: z.object({ id: z.string(), path: z.string() }) })
  async get({ params, request }: Input<typeof Users.get>): Result<typeof Users.get> {
    return { id: params.id, path: request.path }
  }
  static readonly post = this.contract({ body: z.object({ a: z.int() }) })
  post({ body }: Input<typeof Users.post>) {
    return body
  }
}
class Secret extends Route {
  static readonly uses = { user }
  get() {
    return 'secret'
  }
}
class Files extends Route {
  static readonly path = '/files/{rest...}'
  get({ params }: Input) {
    return params
  }
}
class Page extends Route {
  static readonly path = '/app/{rest...}'
  static readonly fallback = true
  get({ params }: Input) {
    return params
  }
}
class Notes extends Route {
  @version('1.x')
  get() {
    return 'notes'
  }
}

function appWith(trailingSlash: 'strict' | 'ignore' | 'redirect'): App {
  return createApp({
    routes: {
      ...{ '/': Home, Alive, Users, Secret, Files, Page, Notes },
      '/v1': group({ middleware: [marked], routes: { Home } }),
    },
    ...{ trailingSlash, version: '1.0.0', logger: false, signals: false },
  })
}

const SOURCE = 'docs/guides/routes.md'

function rowOf(target: string, expect: ExpectedResponse, more: Omit<Parts, 'target'> = {}): Row {
  const rule = `${more.method ?? 'GET'} ${target}`
  return { rule, source: SOURCE, reach: 'both', send: { target, ...more }, expect }
}

/** What `app.fetch` never sees, because a URL has other forms of it. */
function onWire(row: Row): Row {
  return { ...row, reach: 'wire' }
}

const missing = (target: string, more?: Omit<Parts, 'target'>): Row =>
  rowOf(target, { status: 404, headers: { location: null } }, more)

const sent = (target: string, location: string, more?: Omit<Parts, 'target'>): Row =>
  rowOf(target, { status: 308, headers: { location, 'content-type': null }, body: '' }, more)

/** These targets match no path for any value of the option. A redirect to one of them could lead to another host. */
const NEVER: readonly Row[] = [
  ...['/nope/', '/users/7//', '/v1//', '/files/a//', '/app/a//'].map((target) => missing(target)),
  ...['//', '///', '//evil.example/', '//alive/', '//users/7/', '//evil.example/%2e%2e/'].map((target) =>
    onWire(target.includes('%2e') ? rowOf(target, { status: 400 }) : missing(target)),
  ),
  onWire(rowOf(String.raw`/\evil.example/`, { status: 400, headers: { location: null } })),
  onWire(rowOf('/alive/#', { status: 400 })),
  missing('/%2Fevil.example/'),
  missing('/alive%2F'),
  rowOf('/', { status: 200, body: 'home' }),
  rowOf('/alive', { status: 200, body: 'alive' }),
]

testRows("trailingSlash: 'strict'", () => appWith('strict'), [
  ...NEVER,
  ...['/alive/', '/users/7/', '/v1/', '/files/a/', '/openapi.json/'].map((target) => missing(target)),
  rowOf('/app/a/', { status: 200, body: { rest: 'a' } }),
  missing('/alive/', { method: 'OPTIONS' }),
])

testRows("trailingSlash: 'ignore'", () => appWith('ignore'), [
  ...NEVER,
  rowOf('/alive/', { status: 200, body: 'alive' }),
  rowOf('/alive/?a=1', { status: 200 }),
  rowOf('/alive/', { status: 200, body: '' }, { method: 'HEAD' }),
  rowOf('/users/7/', { status: 200, body: { id: '7', path: '/users/7/' } }),
  rowOf('/users/a%20b/', { status: 200, body: { id: 'a b', path: '/users/a%20b/' } }),
  rowOf('/files/a/b/', { status: 200, body: { rest: 'a/b' } }),
  rowOf('/app/a/b/', { status: 200, body: { rest: 'a/b' } }),
  rowOf('/v1/home/', { status: 200, body: 'home', headers: { 'x-marked': 'yes' } }),
  rowOf('/openapi.json/', { status: 200 }),
  rowOf('/secret/', { status: 401 }),
  rowOf('/secret/', { status: 200 }, { headers: { authorization: 'Bearer a' } }),
  missing('/%73ecret/'),
  rowOf('/alive/', { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } }, { method: 'POST' }),
  rowOf('/alive/', { status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } }, { method: 'OPTIONS' }),
  rowOf('/alive/', { status: 501 }, { method: 'PURGE' }),
  rowOf('/nope/', { status: 501 }, { method: 'PURGE' }),
  rowOf('/notes/', { status: 200, headers: { vary: 'accept-version' } }),
  rowOf('/notes/', { status: 406 }, { headers: { 'accept-version': '2.0.0' } }),
])

testRows("trailingSlash: 'redirect'", () => appWith('redirect'), [
  ...NEVER,
  sent('/alive/', '/alive'),
  sent('/alive/?', '/alive'),
  sent('/alive/?next=//evil.example/&a=%20b', '/alive?next=//evil.example/&a=%20b'),
  sent('/users/a%20b%2F/', '/users/a%20b%2F'),
  sent('/users/%0d%0aset-cookie:a=b/', '/users/%0D%0Aset-cookie:a=b'),
  onWire(sent('/users/a"b/?c="d"', '/users/a%22b?c=%22d%22')),
  onWire(sent('http://evil.example/alive/?a', '/alive?a')),
  sent('/users/evil.example/', '/users/evil.example', { headers: { 'x-forwarded-host': 'evil.example' } }),
  sent('/files/a/b/', '/files/a/b'),
  rowOf('/files/a%2Fb/', { status: 400, headers: { location: null } }),
  rowOf('/app/a/', { status: 200, body: { rest: 'a' } }),
  sent('/alive/', '/alive', { method: 'HEAD' }),
  sent('/users/7/', '/users/7', { method: 'POST', body: '{"a":', headers: { 'content-type': 'application/json' } }),
  rowOf('/v1/home/', { status: 308, headers: { location: '/v1/home', 'x-marked': 'yes' } }),
  sent('/secret/', '/secret'),
  missing('/%73ecret/'),
  rowOf('/alive/', { status: 405, headers: { location: null } }, { method: 'POST' }),
  rowOf('/alive/', { status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } }, { method: 'OPTIONS' }),
  rowOf('/alive/', { status: 501 }, { method: 'PURGE' }),
  rowOf('/notes/', { status: 308, headers: { location: '/notes', vary: 'accept-version' } }),
  rowOf('/notes/', { status: 406, headers: { location: null } }, { headers: { 'accept-version': '2.0.0' } }),
])

const talks = new WebSocketServer({ noServer: true })
const talk = upgrade({ path: '/{room}' }, ({ params, request }, socket, head, raw) => {
  talks.handleUpgrade(raw, socket, head, (client) => client.send(`${params.room} at ${request.path}`))
})

/** Returns the first message, or the error of a WebSocket. */
async function greetingAt(url: string): Promise<string> {
  const client = new WebSocket(url)
  const greeting = await once(client, 'message').then(
    ([text]) => String(text),
    (error: Error) => error.message,
  )
  client.terminate()
  return greeting
}

describe('upgrades at a path with a slash', () => {
  const REJECTED = 'Unexpected server response: 404'
  for (const [trailingSlash, greeting, plain] of [
    ['strict', REJECTED, 404],
    ['ignore', 'tea at /rooms/tea/', 426],
    ['redirect', 'tea at /rooms/tea/', 308],
  ] as const) {
    for (const fastPath of [true, false]) {
      it(`accepts an upgrade unless strict, with '${trailingSlash}' and fastPath ${fastPath}`, async () => {
        const options = { trailingSlash, fastPath, logger: false, signals: false } as const
        await using app = createApp({ routes: { '/rooms': talk }, ...options })
        const { port, url } = await app.listen()
        assert.equal(await greetingAt(`ws://127.0.0.1:${port}/rooms/tea/`), greeting)
        assert.equal(await greetingAt(`ws://127.0.0.1:${port}/rooms/tea//`), REJECTED)
        const { status, headers } = await fetch(`${url}/rooms/tea/?a`, { redirect: 'manual' })
        assert.deepEqual([status, headers.get('location')], [plain, plain === 308 ? '/rooms/tea?a' : null])
        assert.equal((await fetch(`${url}/rooms/tea/`, { method: 'POST' })).status, plain === 404 ? 404 : 405)
      })
    }
  }

  it('redirects a plain GET to the class of the path', async () => {
    const options = { trailingSlash: 'redirect', logger: false } as const
    const app = createApp({ routes: { Alive, '/alive': upgrade({}, () => {}) }, ...options })
    const { status, headers } = await sendRequest(app, '/alive/')
    assert.deepEqual([status, headers.get('location')], [308, '/alive'])
  })
})

describe('redirect to the path without a slash', () => {
  it('redirects fetch and the client with method and body', async () => {
    await using app = createApp({ routes: { Users }, trailingSlash: 'redirect', logger: false, signals: false })
    const { url } = await app.listen()
    const answer = await fetch(`${url}/users/7/?b=1`, json({ a: 1 }))
    assert.deepEqual([answer.url, await answer.json()], [`${url}/users/7?b=1`, { a: 1 }])
    const fetching = (request: Request): Promise<Response> => fetch(`${request.url}/`, { signal: request.signal })
    const { body } = await createClient<typeof app>(url, { fetch: fetching })('/users/{id}').get({
      params: { id: 'b' },
    })
    assert.deepEqual(body, { id: 'b', path: '/users/b' })
  })

  it('does not redirect preflights, and sends CORS headers with redirects', async () => {
    const origin = 'https://app.example'
    const cors = { origins: [origin] }
    const app = createApp({ routes: { Alive }, trailingSlash: 'redirect', cors, logger: false })
    const headers = { origin, 'access-control-request-method': 'GET' }
    const preflight = await sendRequest(app, '/alive/', { method: 'OPTIONS', headers })
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, origin])
    const sentOn = await sendRequest(app, '/alive/', { headers: { origin } })
    assert.deepEqual([sentOn.status, sentOn.headers.get('access-control-allow-origin')], [308, origin])
  })

  it('does not change the document or the findings', async () => {
    const paths = (app: App): string[] => Object.keys(app.openapi().paths)
    assert.deepEqual(paths(appWith('redirect')), paths(appWith('strict')))
    assert.deepEqual(appWith('redirect').check(), appWith('strict').check())
  })

  it('checks credentials after the redirect', async () => {
    const { status } = await sendRequest(appWith('redirect'), '/secret')
    assert.equal(status, 401)
  })
})
