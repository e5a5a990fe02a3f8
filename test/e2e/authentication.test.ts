/** Authentication over sockets: guards protect every endpoint wherever they are declared, and respond without waiting for the body. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  group,
  HttpError,
  optional,
  provide,
  Route,
  type AnyProvider,
  type App,
} from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { askWire, toBytes, Wire, type WireAnswer } from '#test/e2e.js'

const token = bearer((given) => given === 't' && { name: 'ada' }, { realm: 'r' })
const operator = basic(async ({ username, password }) => username === 'ada' && password === 'p:w' && { name: 'ada' })
const header = apiKey({ in: 'header', name: 'X-Key' }, (given) => given === 'k' && { name: 'ada' })
const query = apiKey({ in: 'query', name: 'key' }, (given) => given === 'k' && { name: 'ada' })
const cookie = apiKey({ in: 'cookie', name: 'key' }, async (given) => given === 'k' && { name: 'ada' })
const login = `Basic ${Buffer.from('ada:p:w').toString('base64')}`

/** A security scheme, valid credentials for it, and the challenge to a request without them. */
interface Scheme {
  readonly provider: AnyProvider
  readonly search?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly challenge: string
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  bearer: { provider: token, headers: { Authorization: 'Bearer t' }, challenge: 'Bearer realm="r"' },
  basic: { provider: operator, headers: { Authorization: login }, challenge: 'Basic realm="api", charset="UTF-8"' },
  header: { provider: header, headers: { 'X-KEY': 'k' }, challenge: 'ApiKey in="header", name="X-Key"' },
  query: { provider: query, search: '?key=k', challenge: 'ApiKey in="query", name="key"' },
  cookie: { provider: cookie, headers: { Cookie: 'key=k' }, challenge: 'ApiKey in="cookie", name="key"' },
  any: {
    provider: anyOf(token, cookie),
    headers: { Cookie: 'key=k' },
    challenge: 'Bearer realm="r", ApiKey in="cookie", name="key"',
  },
}

let calls = 0

class Every extends Route {
  get() {
    return this.#called()
  }
  post() {
    return this.#called()
  }
  put() {
    return this.#called()
  }
  patch() {
    return this.#called()
  }
  delete() {
    return this.#called()
  }
  #called() {
    calls++
    return 'in'
  }
}

/** Creates classes with a guard in each possible place. */
function sectionOf(user: AnyProvider): object {
  class Base extends Every {
    static readonly uses: Readonly<Record<string, AnyProvider>> = { user }
  }
  class OfBase extends Base {}
  class WithMore extends Base {
    static override readonly uses = { more: provide({}, () => 1), ...super.uses }
  }
  const role = provide({ uses: { user }, errors: [403] }, () => true)
  class OfContract extends Every {
    static readonly get = this.contract({ uses: { user } })
    static readonly post = this.contract({ uses: { user } })
    static readonly put = this.contract({ uses: { role } })
    static readonly patch = this.contract({ uses: { deep: provide({ uses: { role } }, () => 1) } })
    static readonly delete = this.contract({ uses: { user } })
  }
  class OfGroup extends Every {}
  return { OfBase, WithMore, OfContract, inner: group({ uses: { user }, routes: { OfGroup, '/deep': { OfGroup } } }) }
}

const sections = Object.entries(SCHEMES).map(([name, { provider }]) => [`/${name}`, sectionOf(provider)] as const)

describe('authentication over sockets', () => {
  let app: App
  let port = 0

  before(async () => {
    app = createUntypedApp({ routes: Object.fromEntries(sections), signals: false })
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  const targets = (): readonly (readonly [method: string, path: string, scheme: Scheme])[] =>
    app.routes().flatMap(({ method, path }) => {
      const scheme = SCHEMES[path.split('/')[1] ?? '']
      assert.ok(scheme)
      return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((asked) => [asked, path, scheme] as const)
    })

  it('responds 401 at every endpoint of a large app, without waiting for the body', async () => {
    calls = 0
    const all = targets()
    assert.equal(all.length, 6 * 5 * 6)
    for (const [method, target, { challenge }] of all) {
      const { status, headers } = await askWithout(port, method, target)
      assert.equal(status, 401, `${method} ${target}`)
      assert.equal(headers.get('www-authenticate'), challenge)
      assert.equal(headers.get('content-type'), 'application/problem+json')
    }
    assert.equal(calls, 0)
  })

  it('accepts valid credentials', async () => {
    calls = 0
    const all = targets()
    for (const [method, path, { headers = {}, search = '' }] of all) {
      const { status } = await askWire(port, { method, target: path + search, headers })
      assert.equal(status, 200, `${method} ${path}`)
    }
    assert.equal(calls, all.length)
  })

  it('rejects credentials of another scheme', async () => {
    const others: Readonly<Record<string, string>> = { Authorization: 'Digest x', 'X-Other': 'k', Cookie: 'Key=k' }
    for (const path of Object.keys(SCHEMES)) {
      const { status } = await askWire(port, { target: `/${path}/of-base?Key=k`, headers: others })
      assert.equal(status, 401, path)
    }
  })

  it('rejects two Authorization headers in any order, because a proxy may have checked only one', async () => {
    const given: readonly (readonly [path: string, header: string])[] = [
      ['bearer', 'Bearer t'],
      ['basic', login],
    ]
    for (const [path, right] of given) {
      for (const [first, second] of [
        [right, 'Bearer x'],
        ['Bearer x', right],
        [right, right],
      ] as const) {
        const headers = { Authorization: first, authorization: second }
        assert.equal((await askWire(port, { target: `/${path}/of-base`, headers })).status, 401, `${first}, ${second}`)
      }
    }
  })

  it('cannot be bypassed by another spelling of the path', async () => {
    for (const target of [
      '/bearer//of-base',
      '/bearer/of-base/',
      '/Bearer/of-base',
      '/b%65arer/of-base',
      '/bearer/of-base/..',
    ]) {
      const { status } = await askWire(port, { target })
      assert.ok(status === 404 || status === 400, `${target}: ${status}`)
    }
  })

  it('ignores headers that override the method, the URL or the user', async () => {
    const headers = { 'X-HTTP-Method-Override': 'OPTIONS', 'X-Original-URL': '/', 'X-Forwarded-User': 'ada' }
    assert.equal((await askWire(port, { method: 'POST', target: '/bearer/of-base', headers })).status, 401)
  })
})

describe('roles and optional users over sockets', () => {
  const user = bearer((given) => ({ t: { name: 'ada', role: 'admin' }, u: { name: 'ben', role: 'guest' } })[given])
  const role = (wanted: string) =>
    provide({ uses: { user }, errors: [403] }, ({ user }) => {
      if (user.role !== wanted) throw new HttpError(403, `Only for ${wanted}s`)
      return user
    })
  class Settings extends Route {
    static readonly put = this.contract({ uses: { admin: role('admin') } })
    put() {
      return 'changed'
    }
  }
  class Feed extends Route {
    static readonly get = this.contract({ uses: { user: optional(user) } })
    get({ user }: { user: { name: string } | undefined }) {
      return user?.name ?? 'nobody'
    }
  }

  it('distinguishes 401 from 403, and missing credentials from invalid ones', async () => {
    const app = createUntypedApp({ routes: { Settings, Feed }, signals: false })
    const { port } = await app.listen()
    const asking = async (method: string, target: string, given?: string): Promise<readonly [number, string]> => {
      const headers: Record<string, string> = given === undefined ? {} : { Authorization: `Bearer ${given}` }
      const { status, body } = await askWire(port, { method, target, headers })
      return [status, status === 200 ? body : String(JSON.parse(body).detail)]
    }
    assert.deepEqual(await asking('PUT', '/settings'), [401, 'This request requires credentials, but they are missing'])
    assert.deepEqual(await asking('PUT', '/settings', 'x'), [401, 'The token is not valid'])
    assert.deepEqual(await asking('PUT', '/settings', 'u'), [403, 'Only for admins'])
    assert.deepEqual(await asking('PUT', '/settings', 't'), [200, 'changed'])
    assert.deepEqual(await asking('GET', '/feed'), [200, 'nobody'])
    assert.deepEqual(await asking('GET', '/feed', 'u'), [200, 'ben'])
    assert.deepEqual(await asking('GET', '/feed', 'x'), [401, 'The token is not valid'])
    await app.close()
  })
})

/** Announces a body without sending it. A response shows that the server did not wait for the body; no 100 may precede it. */
async function askWithout(port: number, method: string, target: string): Promise<WireAnswer> {
  const wire = new Wire(port)
  let bytes = ''
  wire.socket.on('data', (chunk) => (bytes += String(chunk)))
  try {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '1000', Expect: '100-continue' }
    wire.send(toBytes({ method, target, headers }))
    const answer = await wire.read(method === 'HEAD')
    assert.doesNotMatch(bytes, /^HTTP\/1\.1 100/)
    return answer
  } finally {
    wire.destroy()
  }
}
