/** Findings about responses without a schema, and about endpoints and documents without a guard. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  basic,
  bearer,
  createApp,
  events,
  group,
  health,
  optional,
  provide,
  Route,
  SetupError,
  stream,
  text,
  type Finding,
} from 'verbena'
import { files } from 'verbena/files'
import { override, testApp } from 'verbena/testing'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'
import { assertSetupError, looseContract, createUntypedApp } from '#test/apps.js'

const user = bearer((token) => token)
const uses = { user }
const signed = provide({ errors: { 401: 'Not signed' } }, () => 1)

type Method = 'get' | 'post'

function routeOf(contract: object | null, path = '/probe', verb: Method = 'get') {
  class Probe extends Route {
    static readonly path: string = path
  }
  Object.defineProperty(Probe.prototype, verb, { value: () => ({ id: 1, passwordHash: 'secret' }) })
  if (contract !== null) Object.defineProperty(Probe, verb, { value: looseContract(Probe, contract) })
  return Probe
}

function check(routes: object, options: object = {}): Finding[] {
  return createUntypedApp({ routes, ...options }).check()
}

const codesOf = (findings: readonly Finding[]): string[] => findings.map(({ code, route }) => `${code} ${route}`)

describe('RETURNS_MISSING', () => {
  it('reports an endpoint without a contract, and one whose contract has no returns', () => {
    const [finding, ...others] = check({ Users: routeOf(null, '/users') })
    assert.deepEqual(others, [])
    assert.deepEqual(finding, {
      code: 'RETURNS_MISSING',
      route: 'Users',
      method: 'GET',
      message: '"GET /users" sends all properties of its return value, because no contract declares "returns"',
      fix: 'Write "static readonly get = this.contract({ returns: … })" with a schema, or "returns: null" if it sends no body',
    })
    const [second] = check({ Users: routeOf({ query: z.object({}) }, '/users', 'post') })
    assert.deepEqual([second?.code, second?.method], ['RETURNS_MISSING', 'POST'])
    assert.equal(second?.fix, 'Write "returns: …" with a schema, or "returns: null" if it sends no body')
  })

  it('reports hidden, public, guarded, inherited and fallback endpoints', () => {
    class Spare extends routeOf(null) {
      static override readonly path = '/{rest...}'
      static readonly fallback = true
    }
    class Inherited extends routeOf(null) {
      static override readonly path = '/inherited'
    }
    const routes = {
      Hidden: routeOf({ hidden: true }, '/hidden'),
      Public: routeOf({ public: true }, '/public'),
      Guarded: routeOf({ uses }, '/guarded'),
      ...{ Inherited, Spare },
    }
    assert.deepEqual(
      codesOf(check(routes)).filter((code) => code.startsWith('RETURNS')),
      Object.keys(routes).map((route) => `RETURNS_MISSING ${route}`),
    )
  })

  it('accepts every kind of returns', () => {
    const kinds = [
      z.object({ id: z.int() }),
      null,
      text(),
      stream(),
      events(z.string()),
      { 200: z.string(), 204: null },
    ]
    for (const returns of kinds) assert.deepEqual(check({ Users: routeOf({ returns }) }), [])
  })

  it('does not report built-in routes and upgrades', () => {
    const routes = { ...health(), '/docs': files('docs'), '/live': upgrade({}, () => {}) }
    assert.deepEqual(check(routes, { metrics: '/metrics' }), [])
  })
})

describe('READ_OPEN', () => {
  const guarded = routeOf({ uses, returns: null }, '/guarded')
  const described = { returns: null }

  it('reports a GET without a guard if another endpoint has one', () => {
    const routes = {
      Guarded: guarded,
      Open: routeOf(described, '/open'),
      Posted: routeOf(described, '/posted', 'post'),
      Maybe: routeOf({ uses: { user: optional(user) }, ...described }, '/maybe'),
      Signed: routeOf({ uses: { signed }, ...described }, '/signed'),
    }
    const findings = check(routes)
    assert.deepEqual(codesOf(findings), ['READ_OPEN Open', 'MUTATION_OPEN Posted'])
    assert.equal(findings[0]?.message, '"GET /open" has no guard, but other endpoints do')
    assert.deepEqual(check({ Open: routeOf(described) }), [])
  })

  it('accepts public: true of contract, class and group', () => {
    class Public extends routeOf(described, '/class') {
      static readonly public = true
    }
    const routes = {
      Guarded: guarded,
      Said: routeOf({ public: true, ...described }, '/said'),
      Public,
      all: group({ public: true, routes: { Grouped: routeOf(described, '/grouped') } }),
      ...health(),
    }
    assert.deepEqual(check(routes), [])
  })

  it('reports files and upgrades without a guard, unless they are public', () => {
    const routes = { Guarded: guarded, '/docs': files('docs'), '/live': upgrade({}, () => {}) }
    assert.deepEqual(
      new Set(check(routes).map(({ code, message }) => `${code} ${/"(.*?)"/.exec(message)?.[1]}`)),
      new Set(['READ_OPEN GET /docs/{path...}', 'READ_OPEN GET /live']),
    )
    const open = {
      Guarded: guarded,
      '/docs': group({ public: true, routes: { '/': files('docs') } }),
      '/assets': files('docs', { public: true }),
      '/live': upgrade({ public: true }, () => {}),
      '/chat': upgrade({ uses }, () => {}),
    }
    assert.deepEqual(check(open), [])
  })
})

describe('DOCUMENT_OPEN', () => {
  const guarded = routeOf({ uses, returns: null }, '/guarded')
  const routes = { Guarded: guarded, ...health() }
  const admin = basic(() => true, { realm: 'docs' })

  it('reports a document that anyone can read if every endpoint has a guard', () => {
    assert.deepEqual(check(routes), [
      {
        code: 'DOCUMENT_OPEN',
        route: 'option openapi',
        method: 'GET',
        message: 'Anyone can read the document at "/openapi.json", but every endpoint has a guard',
        fix: 'Write "openapi: { uses: { … } }" with a guard, "openapi: { public: true }", or "openapi: false"',
      },
    ])
    const message = check(routes, { openapi: { path: '/api.json', uses: { plain: provide({}, () => 1) } } })[0]?.message
    assert.match(message ?? '', /"\/api\.json"/)
    const guardedGroup = { all: group({ uses, routes: { One: routeOf({ returns: null }) } }) }
    assert.deepEqual(codesOf(check(guardedGroup)), ['DOCUMENT_OPEN option openapi'])
  })

  it('accepts guards, public: true and no document', () => {
    for (const openapi of [{ uses }, { uses: { admin } }, { uses: { signed } }, { public: true }, false]) {
      assert.deepEqual(check(routes, { openapi }), [])
    }
  })

  it('reports nothing if any endpoint has no guard', () => {
    const open = routeOf({ public: true, returns: null }, '/open')
    assert.deepEqual(check({ ...routes, Open: open }), [])
    assert.deepEqual(check({ Open: open }), [])
    assert.deepEqual(check({ Signed: routeOf({ uses: { signed }, returns: null }) }), [])
    assert.deepEqual(check({ ...health() }), [])
  })

  it('reports nothing if a route has the path of the document', () => {
    const own = routeOf({ uses, returns: null }, '/openapi.json')
    assert.deepEqual(check({ ...routes, Own: own }), [])
  })

  it('accepts openapi.public, but does not change access', async () => {
    const app = createUntypedApp({ routes, openapi: { public: true } })
    assert.equal((await app.fetch(new Request('http://localhost/openapi.json'))).status, 200)
    assertSetupError(() => createUntypedApp({ routes, openapi: { public: 1 } }), 'OPTION_INVALID', 'openapi.public')
  })
})

describe('createApp({ strict: true })', () => {
  class Users extends Route {
    async get() {
      return [{ id: 1, passwordHash: 'secret' }]
    }
  }

  it('throws one setup error with all findings', () => {
    const routes = { Users, Guarded: routeOf({ uses, returns: null }, '/guarded') }
    assert.throws(
      () => createUntypedApp({ routes, strict: true }),
      (error: unknown) => {
        assert.ok(error instanceof SetupError)
        assert.equal(error.code, 'CHECK_FAILED')
        const [first, second, ...others] = error.message.split('\n')
        assert.match(
          first ?? '',
          /^Cannot create the app: "strict" is true, .* READ_OPEN of "Users\.get": "GET \/users"/,
        )
        assert.match(second ?? '', /^RETURNS_MISSING of "Users\.get": "GET \/users" sends/)
        assert.deepEqual(others, [])
        return true
      },
    )
  })

  it('accepts an app without findings', async () => {
    const clean = { Guarded: routeOf({ uses, returns: null }) }
    const app = createUntypedApp({ routes: clean, strict: true, openapi: { uses } })
    assert.deepEqual(app.check(), [])
    assert.equal(createApp({ routes: { Users }, strict: false }).check().length, 1)
    assert.equal(createApp({ routes: { Users } }).check().length, 1)
    assertSetupError(() => createUntypedApp({ routes: { Users }, strict: 'yes' }), 'OPTION_INVALID', '"strict"')
  })

  it('does not check the overrides of a test app', async () => {
    const strict = createApp({ routes: { Me: routeOf({ uses, returns: null }) }, strict: true, openapi: false })
    await using test = await testApp(strict, { override: [override(user, () => 'ada')] })
    assert.ok(test)
  })
})
