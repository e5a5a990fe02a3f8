/** Guards: they run before anything of the body is read, and nothing passes by them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, HttpError, provide, Route, type AnyProvider, type App, type Routes } from 'verbena'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'
import { askWire, Wire } from '#test/e2e.js'
import * as z from 'zod'

/** Creates a guard whose value is the accepted token. */
function guardOf(token: string): AnyProvider {
  return provide({ security: { type: 'http', scheme: 'bearer' }, errors: [401] }, ({ request }) => {
    if (request.headers['authorization'] !== `Bearer ${token}`) throw new HttpError(401, 'Who are you?')
    return token
  })
}

const user = guardOf('user')
const role = (name: string): AnyProvider =>
  provide({ uses: { user }, errors: [403] }, ({ user, request }) => {
    if (request.headers['x-role'] !== name) throw new HttpError(403, `You are no ${name}`)
    return [user, name]
  })

let calls = 0
const parsed = provide({ query: z.object({ n: z.number() }) }, ({ query }) => query.n)

abstract class SignedIn extends Route {
  static readonly uses: Readonly<Record<string, AnyProvider>> = { user }
}
class Notes extends SignedIn {
  static readonly path = '/notes/{id}'
  // The guard is the last property, because guards run first in any order.
  static override readonly uses = { parsed, admin: role('admin'), ...super.uses }
  static readonly post = this.contract({
    body: z.object({ text: z.string() }),
    returns: z.object({ text: z.string() }),
  })
  get() {
    calls++
    return 'note'
  }
  post({ body }: { body: { text: string } }) {
    calls++
    return body
  }
}

const app = createUntypedApp({ routes: { Notes }, limits: { body: 50 } })

const token = { authorization: 'Bearer user' }
const all = { ...token, 'x-role': 'admin' }
const JSON_TYPE = { 'content-type': 'application/json' }
const long = JSON.stringify({ text: 'a'.repeat(60) })
const post = (headers: Record<string, string>, body: string): RequestInit => ({ method: 'POST', headers, body })

const ORDER: readonly (readonly [about: string, status: number, target: string, init: RequestInit])[] = [
  ['404 before 401', 404, '/none', {}],
  ['405 before 401', 405, '/notes/1', { method: 'PUT' }],
  ['406 before 401', 406, '/notes/1', post({ accept: 'text/html' }, '{}')],
  ['400 of the target before 401', 400, '/notes/%zz', {}],
  ['401 before 403', 401, '/notes/1', { headers: { 'x-role': 'admin' } }],
  ['401 before 415', 401, '/notes/1', post({}, 'text')],
  ['401 before 413', 401, '/notes/1', post(JSON_TYPE, long)],
  ['401 before 400 of the body', 401, '/notes/1', post(JSON_TYPE, '{')],
  ['401 before 422', 401, '/notes/1?n=x', {}],
  ['403 before 415', 403, '/notes/1', post(token, 'text')],
  ['403 before 413', 403, '/notes/1', post({ ...JSON_TYPE, ...token }, long)],
  ['403 before 422', 403, '/notes/1?n=x', { headers: token }],
  ['415 before 422 of a provider', 415, '/notes/1?n=x', post({ ...all, 'content-type': 'text/plain' }, 'text')],
  ['413 before 422', 413, '/notes/1?n=x', post({ ...all, ...JSON_TYPE }, long)],
  ['400 of the body before 422', 400, '/notes/1?n=x', post({ ...all, ...JSON_TYPE }, '{')],
  ['422 before the handler', 422, '/notes/1?n=x', { headers: all }],
  ['HEAD like GET', 401, '/notes/1', { method: 'HEAD' }],
]

describe('guard order', () => {
  for (const [about, status, target, init] of ORDER) {
    it(`checks ${about}`, async () => {
      calls = 0
      const answer = await sendRequest(app, target, init)
      assert.deepEqual([answer.status, calls], [status, 0], answer.text)
    })
  }

  it('accepts a user with the role', async () => {
    assert.equal((await sendRequest(app, '/notes/1?n=1', { headers: all })).text, 'note')
    const answer = await sendRequest(app, '/notes/1?n=1', post({ ...all, ...JSON_TYPE }, '{"text":"a"}'))
    assert.deepEqual([answer.status, answer.text], [200, '{"text":"a"}'])
  })

  it('responds to OPTIONS without credentials', async () => {
    assert.equal((await sendRequest(app, '/notes/1', { method: 'OPTIONS' })).status, 204)
  })
})

describe('guards on a socket', () => {
  it('responds before the client sends the body, without 100 Continue', async () => {
    const own = createUntypedApp({ routes: { Notes }, signals: false })
    const { port } = await own.listen()
    const wire = new Wire(port)
    let bytes = ''
    wire.socket.on('data', (chunk) => (bytes += String(chunk)))
    const head = ['POST /notes/1 HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Content-Length: 12']
    wire.send(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`)
    const { status, body } = await wire.read()
    assert.deepEqual([status, JSON.parse(body).detail], [401, 'Who are you?'])
    assert.doesNotMatch(bytes, /HTTP\/1\.1 100/)
    wire.destroy()
    await own.close()
  })
})

describe('group guards', () => {
  const events: string[] = []
  const noted = (name: string): AnyProvider => provide({}, () => void events.push(name))
  class Plain extends Route {
    static readonly uses = { own: noted('class') }
    post() {
      events.push('handler')
    }
  }
  const inner = group({ uses: { inner: noted('inner') }, routes: { Plain } })
  const own = createUntypedApp({
    routes: { '/v1': group({ uses: { outer: noted('outer'), user }, routes: { inner } }), open: { Plain } },
  })

  it('runs group guards before class guards and before the body is read, outermost first', async () => {
    const init = { method: 'POST', headers: { ...token, ...JSON_TYPE }, body: '{' }
    assert.equal((await sendRequest(own, '/v1/plain', init)).status, 400)
    assert.deepEqual(events.splice(0), ['outer', 'inner'])
    assert.equal((await sendRequest(own, '/v1/plain', { ...init, body: '{}' })).status, 204)
    assert.deepEqual(events.splice(0), ['outer', 'inner', 'class', 'handler'])
    assert.equal((await sendRequest(own, '/v1/plain', { ...init, headers: {} })).status, 401)
    assert.deepEqual(events.splice(0), ['outer'])
  })

  it('does not run group guards for routes outside the group', async () => {
    assert.equal((await sendRequest(own, '/plain', { method: 'POST' })).status, 204)
    assert.deepEqual(events.splice(0), ['class', 'handler'])
  })

  it('rejects a group guard that needs the body', () => {
    const raw = provide({ rawBody: true }, () => 1)
    const routes = { in: group({ uses: { raw }, routes: { Plain } }) }
    assertSetupError(() => createUntypedApp({ routes }), 'USES_INVALID', '"Plain.post"', '"raw" needs "rawBody"')
  })
})

/** A class whose endpoints are guarded as `way` says; every verb is one. */
function classOf(way: number): new () => object {
  const uses = { user }
  class Base extends Route {
    get() {
      return 'in'
    }
    post() {
      return 'in'
    }
    put() {
      return 'in'
    }
    patch() {
      return 'in'
    }
    delete() {
      return 'in'
    }
  }
  class OfClass extends Base {
    static readonly uses: Readonly<Record<string, AnyProvider>> = uses
  }
  class Inherited extends OfClass {
    static override readonly uses = { parsed, ...super.uses }
  }
  class OfContract extends Base {
    static readonly get = this.contract({ uses })
    static readonly post = this.contract({ uses, body: z.object({}) })
    static readonly put = this.contract({ uses: { parsed, ...uses } })
    static readonly patch = this.contract({ uses: { role: role('admin') } })
    static readonly delete = this.contract({ uses: { deep: provide({ uses }, () => 1), parsed } })
  }
  return [OfClass, Inherited, OfContract, Base][way % 4] ?? Base
}

/** Creates nested sections; every fourth class is open, unless a group around it has a guard. */
function routesOf(depth: number, seed: number): Routes {
  const routes: Record<string, unknown> = {}
  for (let index = 0; index < 4; index++) routes[`Class${depth}x${seed}x${index}`] = classOf(index)
  if (depth > 0) {
    routes[`/open${seed}`] = routesOf(depth - 1, seed * 2)
    routes[`/guarded${seed}`] = group({ uses: { user }, routes: routesOf(depth - 1, seed * 2 + 1) })
  }
  // Proof: they are classes, records and groups of these.
  return routes as Routes
}

const isOpen = (route: string, path: string): boolean => route.endsWith('x3') && !path.includes('/guarded')

async function statusesOf(large: App, headers: Record<string, string>): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const { method, path } of large.routes()) {
    const { status } = await sendRequest(large, path, { method, headers })
    found.set(`${method} ${path}`, status)
  }
  return found
}

describe('guards of a large app', () => {
  const large = createUntypedApp({ routes: routesOf(4, 1) })
  const endpoints = large.routes()

  it('lists all endpoints', () => assert.equal(endpoints.length, 31 * 4 * 5))

  it('responds 401 without credentials for every guarded endpoint', async () => {
    const statuses = await statusesOf(large, {})
    for (const { route, method, path } of endpoints) {
      const status = statuses.get(`${method} ${path}`)
      assert.equal(status === 401, !isOpen(route, path), `${method} ${path}: ${status}`)
    }
  })

  it('does not respond 401 with credentials', async () => {
    const statuses = await statusesOf(large, token)
    assert.ok([...statuses.values()].every((status) => status !== 401))
  })

  it('responds 401 without credentials over a socket', async () => {
    const { port } = await large.listen()
    for (const { route, method, path } of endpoints.filter((_, index) => index % 17 === 0)) {
      const { status } = await askWire(port, { method, target: path })
      assert.equal(status === 401, !isOpen(route, path), `${method} ${path}: ${status}`)
    }
    await large.close()
  })
})
