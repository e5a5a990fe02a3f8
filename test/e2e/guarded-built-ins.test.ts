/** Guards of built-in routes: the OpenAPI document, the metrics, and the routes of `health`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, createApp, health, Route } from 'verbena'
import { assertSetupError, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

interface Tokens {
  readonly tokens: ReadonlySet<string>
}
const operator = bearer((token, { tokens }: Tokens) => tokens.has(token) && { name: 'grace' })
const uses = { operator }

class Home extends Route {
  static readonly get = this.contract({})
  get() {
    return 'home'
  }
}
const services = { tokens: new Set(['a']) }
const make = (path: string | undefined) =>
  createApp({
    routes: { Home, ...health({ uses }) },
    services,
    openapi: path === undefined ? { uses } : { path, uses },
    metrics: { path: '/metrics', uses },
    logger: false,
    signals: false,
  })

describe('guards of built-in routes', () => {
  for (const document of [undefined, '/docs/openapi']) {
    it(`protects built-in routes over a socket, with the document at ${document ?? 'its default path'}`, async () => {
      await using app = make(document)
      const { port } = await app.listen()
      for (const target of [document ?? '/openapi.json', '/metrics', '/livez', '/readyz']) {
        for (const method of ['GET', 'HEAD']) {
          const refused = await askWire(port, { method, target })
          const about = `${method} ${target}`
          assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'], about)
          assert.doesNotMatch(refused.body, /openapi|http_server|services/, about)
          const headers = { Authorization: 'Bearer a' }
          assert.equal((await askWire(port, { method, target, headers })).status, 200, about)
          const wrong = { Authorization: 'Bearer b' }
          assert.equal((await askWire(port, { method, target, headers: wrong })).status, 401, about)
        }
      }
      assert.equal((await askWire(port, { target: '/home' })).status, 200)
    })
  }

  it('leaves routes without guards, and the document, unchanged', async () => {
    const app = make(undefined)
    assert.deepEqual(Object.keys(app.openapi().paths), ['/home'])
    assert.equal((await app.fetch(new Request('http://localhost/home'))).status, 200)
    const open = createApp({ routes: { Home, ...health() }, metrics: { path: '/metrics' }, logger: false })
    for (const path of ['/openapi.json', '/metrics', '/livez', '/readyz']) {
      assert.equal((await open.fetch(new Request(`http://localhost${path}`))).status, 200)
    }
  })

  it('throws a setup error for invalid guards of built-in routes', () => {
    const routes = { Home }
    for (const options of [
      { metrics: { uses } },
      { metrics: { path: '/m', use: {} } },
      { metrics: { path: '/m', uses: [operator] } },
      { openapi: { uses: operator.toString() } },
      { metrics: { path: 'm' } },
    ]) {
      assertSetupError(() => createUntypedApp({ routes, services, ...options }), 'OPTION_INVALID')
    }
    assertSetupError(() => createUntypedApp({ routes, metrics: { path: '/m', uses: { operator: 1 } } }), 'USES_INVALID')
    assertSetupError(() => createUntypedApp({ routes, openapi: { uses: { operator: 1 } } }), 'USES_INVALID')
    // Proof: JavaScript code may pass a value that the types reject.
    assertSetupError(() => health({ uses: 'operator' as never }), 'OPTION_INVALID', '"uses" of health()')
  })
})

export function typesOfServices(): void {
  // @ts-expect-error - the service "tokens" is missing
  createApp({ routes: { Home }, openapi: { uses } })
  // @ts-expect-error - here as well
  createApp({ routes: { Home }, metrics: { path: '/metrics', uses } })
  // @ts-expect-error - and here
  createApp({ routes: health({ uses }) })
  createApp({ routes: { Home }, services, openapi: { uses } })
}
