/** Guards of a surface, and the places that declare them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, basic, bearer, createApp, group, optional, provide, Route, type App } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { mount } from 'verbena/mount'
import { surface } from 'verbena/prove'
import { session, signedIn } from 'verbena/session'
import { upgrade } from 'verbena/upgrade'

const user = bearer(() => ({ name: 'ada' }))

function create(routes: Parameters<typeof createApp>[0]['routes']): App {
  return createApp({ routes, openapi: false, devConsole: false })
}

/** Returns the lines about access of each endpoint, after its first line. */
function listAccess(app: App): string[] {
  const lines = surface(app).split('\n').slice(2)
  return lines.filter((line) => line !== '' && !/^ {2}(?:in|out) /.test(line)).map((line) => line.trim())
}

describe('surface(): guards', () => {
  it('names the base class that declares a guard first, also in a redeclared contract', () => {
    const other = bearer(() => true, { scheme: 'Token' })
    class Base extends Route {
      static readonly uses = { user }
      static readonly get = this.contract({ uses: { other } })
      get() {}
    }
    class Below extends Base {
      static override readonly uses = {
        ...Base.uses,
        role: provide({ uses: { user }, errors: [401, 403] }, () => true),
      }
      static override readonly get = this.contract({ uses: { other } })
    }
    assert.deepEqual(listAccess(create({ Own: Below })), [
      'GET /own',
      'guard user of class Base: http bearer',
      'guard role of class Own: rejects with 401 or 403',
      'guard other of contract Base.get: http Token',
    ])
  })

  it('lists alternatives, and marks optional credentials', () => {
    const login = basic(() => true)
    class Items extends Route {
      static readonly get = this.contract({ uses: { user: optional(user) } })
      get() {}
      static readonly put = this.contract({ uses: { user: optional(user, { invalid: 'ignore' }) } })
      put() {}
      static readonly delete = this.contract({ uses: { user: anyOf(user, login) } })
      delete() {}
    }
    assert.deepEqual(listAccess(create({ Items })), [
      ...['DELETE /items', 'guard user of contract Items.delete: http bearer or http basic'],
      ...['GET /items', 'guard user of contract Items.get: http bearer, optional'],
      ...['PUT /items', 'guard user of contract Items.put: http bearer, optional, also if invalid'],
    ])
  })

  it('names the scheme, its place and its format', () => {
    const jwtLike = bearer(() => true, { format: 'JWT' })
    const certificate = provide({ security: { type: 'mutualTLS' } }, () => true)
    const either = provide(
      {
        security: [
          { type: 'oauth2', flows: {} },
          { type: 'http', scheme: 'digest' },
        ],
      },
      () => true,
    )
    class Items extends Route {
      static readonly uses = { jwtLike, certificate, either }
      get() {}
    }
    assert.deepEqual(listAccess(create({ Items })).slice(1), [
      'guard jwtLike of class Items: http bearer (JWT)',
      'guard certificate of class Items: mutualTLS',
      'guard either of class Items: oauth2 or http digest',
    ])
  })

  it('lists sessions, limits and providers of groups, but no values', () => {
    const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
    const limit = provide({ guard: true, errors: { 429: 'Too many' } }, () => {})
    const checked = provide({}, () => true)
    const value = provide({}, () => 1)
    class Cart extends Route {
      static readonly uses = { visitor, limit, value }
      post() {}
    }
    class Me extends Route {
      static readonly uses = { me: signedIn(visitor, () => 'ada') }
      get() {}
    }
    const app = create({ admin: group({ uses: { checked }, routes: { Cart } }), Me })
    assert.deepEqual(listAccess(app), [
      'POST /cart',
      'guard checked of group admin: requires no credentials',
      'guard limit of class Cart: requires no credentials',
      'guard visitor of class Cart: rejects requests from other origins',
      ...['GET /me', 'guard me of class Me: apiKey in cookie __Host-session'],
    ])
  })

  it('lists a provider that rejects requests after the body is read', () => {
    const signature = provide({ rawBody: true, errors: [401] }, () => true)
    class Hooks extends Route {
      static readonly post = this.contract({ uses: { signature } })
      post() {}
    }
    assert.deepEqual(listAccess(create({ Hooks })), [
      ...['POST /hooks', 'provider signature of contract Hooks.post: rejects with 401'],
    ])
  })

  it('lists the credentials that idempotency uses', () => {
    class Payments extends Route {
      static readonly post = this.contract({
        returns: null,
        idempotency: idempotency({ uses: { user }, by: (input) => input.user.name, ttl: 1000 }),
      })
      post() {}
    }
    assert.deepEqual(listAccess(create({ Payments })), [
      ...['POST /payments', 'guard user of provider idempotency: http bearer'],
    ])
  })

  it('names upgrades, mounts and options as places', () => {
    const routes = {
      '/live': upgrade({ uses: { user } }, (_, socket) => socket.end()),
      '/other': mount(() => new Response(), { uses: { user } }),
      '/open': mount(() => new Response(), { public: true }),
    }
    const app = createApp({
      routes,
      openapi: { public: true },
      metrics: { path: '/metrics', uses: { user } },
      devConsole: { token: 'sixteen characters', allow: ['172.17.0.1'], allowInProduction: true },
    })
    assert.deepEqual(listAccess(app), [
      '* /__dev__ (console)',
      'guard token of option devConsole',
      'clients 172.17.0.1',
      'also in production',
      'GET /live (upgrade websocket)',
      'guard origin of the upgrade: rejects requests from other origins',
      'guard user of the upgrade: http bearer',
      'GET /metrics (metrics)',
      'guard user of option metrics: http bearer',
      '* /open/{path...} (mounted handler)',
      'public by the mount',
      'GET /openapi.json (document)',
      'public by option openapi',
      '* /other/{path...} (mounted handler)',
      'guard user of the mount: http bearer',
    ])
  })
})

describe('surface(): public', () => {
  it('names the nearest of contract, class and group', () => {
    class OfContract extends Route {
      static readonly public = true
      static readonly get = this.contract({ public: true })
      get() {}
    }
    class OfBase extends Route {
      static readonly public = true
      get() {}
    }
    class OfClass extends OfBase {
      static readonly put = this.contract({})
      put() {}
    }
    class OfGroup extends Route {
      get() {}
    }
    const inner = group({ public: true, routes: { OfContract, OfClass, OfGroup } })
    assert.deepEqual(listAccess(create({ '/v1': group({ public: false, routes: { '/open': inner } }) })), [
      ...['GET /v1/open/of-class', 'public by class OfBase', 'PUT /v1/open/of-class', 'public by class OfBase'],
      ...['GET /v1/open/of-contract', 'public by contract OfContract.get'],
      ...['GET /v1/open/of-group', 'public by group /v1/open'],
    ])
  })
})
