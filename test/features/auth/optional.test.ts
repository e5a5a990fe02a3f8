import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, basic, bearer, HttpError, optional, provide, Route, type CredentialsProvider } from 'verbena'
import { CredentialsRecipe } from '#src/injection/credentials.js'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

let verified = 0
const user = bearer(async (token) => {
  verified++
  return token === 'a' && { id: 'ada' }
})
const greeting = provide({ uses: { user } }, ({ user }) => `Hello ${user.id}`)

class Feed extends Route {
  static readonly get = this.contract({ uses: { user: optional(user) } })
  static readonly put = this.contract({ uses: { user: optional(user), greeting, again: optional(optional(user)) } })
  get({ user }: { user: unknown }) {
    return { user: user ?? 'nobody' }
  }
  put({ user, greeting, again }: { user: unknown; greeting: unknown; again: unknown }) {
    return [user === again, user, greeting]
  }
}
const app = createUntypedApp({ routes: { Feed } })
const bearing = (token: string, method = 'GET'): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}` },
})

describe('optional()', () => {
  it('provides undefined without credentials, and the value of the provider with valid ones', async () => {
    assert.deepEqual((await sendRequest(app, '/feed')).body, { user: 'nobody' })
    assert.deepEqual((await sendRequest(app, '/feed', { headers: { authorization: 'Basic YTpi' } })).body, {
      user: 'nobody',
    })
    assert.deepEqual((await sendRequest(app, '/feed', bearing('a'))).body, { user: { id: 'ada' } })
  })

  it('responds 401 to invalid credentials', async () => {
    for (const token of ['b', '']) {
      const { status, headers } = await sendRequest(app, '/feed', bearing(token))
      assert.equal(status, 401)
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
    }
  })

  it('verifies credentials once per request, together with the original provider', async () => {
    verified = 0
    assert.deepEqual((await sendRequest(app, '/feed', bearing('a', 'PUT'))).body, [true, { id: 'ada' }, 'Hello ada'])
    assert.equal(verified, 1)
    await sendRequest(app, '/feed', bearing('a', 'PUT'))
    assert.equal(verified, 2, 'and another one for another request')
    assert.equal((await sendRequest(app, '/feed', { method: 'PUT' })).status, 401)
  })

  it('shares a value that was verified synchronously', async () => {
    let count = 0
    const operator = basic(() => ({ id: ++count }))
    class Both extends Route {
      static readonly get = this.contract({ uses: { maybe: optional(operator), operator } })
      get({ maybe, operator }: { maybe: unknown; operator: unknown }) {
        return [maybe === operator, operator]
      }
    }
    const own = createUntypedApp({ routes: { Both } })
    const { body } = await sendRequest(own, '/both', { headers: { authorization: 'Basic YTpi' } })
    assert.deepEqual(body, [true, { id: 1 }])
  })

  it('accepts anyOf()', async () => {
    const key = apiKey({ in: 'header', name: 'x-key' }, (given) => given === 'k' && { id: 'robot' })
    class Both extends Route {
      static readonly get = this.contract({ uses: { user: optional(anyOf(user, key)) } })
      get({ user }: { user: unknown }) {
        return { user: user ?? 'nobody' }
      }
    }
    const own = createUntypedApp({ routes: { Both } })
    assert.deepEqual((await sendRequest(own, '/both')).body, { user: 'nobody' })
    assert.deepEqual((await sendRequest(own, '/both', { headers: { 'x-key': 'k' } })).body, { user: { id: 'robot' } })
    assert.equal((await sendRequest(own, '/both', { headers: { 'x-key': 'l' } })).status, 401)
  })

  it('is marked as optional, and keeps the needs of the provider', () => {
    const made: unknown = optional(user)
    assert.ok(made instanceof CredentialsRecipe && user instanceof CredentialsRecipe)
    assert.deepEqual([made.isOptional, user.isOptional], [true, false])
    assert.deepEqual(made.needs, user.needs)
  })

  it('rejects invalid options', () => {
    const loose: unknown = optional
    // Proof: only the types narrow the parameters; at run time the function checks any argument.
    const make = loose as (provider: unknown, options: unknown) => unknown
    for (const [options, says] of [
      [{ invalid: 'skip' }, `"invalid" of optional(): it must be 'reject' or 'ignore'`],
      [{ invald: 'ignore' }, '"invald" of optional(): it is unknown. Did you mean "invalid"?'],
      [null, 'the options of optional(): they must be an object'],
    ] as const) {
      assertSetupError(() => make(user, options), 'OPTION_INVALID', says)
    }
  })

  it('rejects providers that do not distinguish missing credentials from invalid ones', () => {
    const loose: unknown = optional
    // Proof: only the type narrows the parameter; at run time the function checks any argument.
    const make = loose as (provider: unknown) => unknown
    for (const provider of [greeting, provide({ security: { type: 'http' } }, () => 1), undefined, () => 1]) {
      assertSetupError(
        () => make(provider),
        'PROVIDER_INVALID',
        'with optional()',
        'must distinguish missing credentials from invalid ones',
      )
    }
  })
})

describe("optional() with invalid: 'ignore'", () => {
  const session = apiKey({ in: 'cookie', name: 'session' }, async (id) => id === 'fresh' && { id: 'ada' })
  const stale = { cookie: 'session=stale' }

  function appOf(provider: CredentialsProvider<unknown, never>, options: object = {}) {
    class Home extends Route {
      static readonly get = this.contract({ uses: { user: provider } })
      get({ user }: { user: unknown }) {
        return { user: user ?? 'nobody' }
      }
    }
    return createUntypedApp({ routes: { Home }, ...options })
  }

  it('treats invalid credentials as missing', async () => {
    const own = appOf(optional(session, { invalid: 'ignore' }))
    assert.deepEqual((await sendRequest(own, '/home', { headers: stale })).body, { user: 'nobody' })
    assert.deepEqual((await sendRequest(own, '/home')).body, { user: 'nobody' })
    assert.deepEqual((await sendRequest(own, '/home', { headers: { cookie: 'session=fresh' } })).body, {
      user: { id: 'ada' },
    })
    const strict = appOf(optional(session, { invalid: 'reject' }))
    assert.equal((await sendRequest(strict, '/home', { headers: stale })).status, 401)
  })

  it('tries the next provider of anyOf() if credentials are invalid', async () => {
    const way = optional(anyOf(session, basic({ bob: 'x' }), user), { invalid: 'ignore' })
    const own = appOf(way)
    const headers = { ...stale, authorization: 'Bearer a' }
    assert.deepEqual((await sendRequest(own, '/home', { headers })).body, { user: { id: 'ada' } })
    const login = { ...stale, authorization: `Basic ${Buffer.from('bob:y').toString('base64')}` }
    assert.deepEqual((await sendRequest(own, '/home', { headers: login })).body, { user: 'nobody' })
  })

  it('ignores only a 401 of the function; other errors still fail the request', async () => {
    for (const [error, status] of [
      [new HttpError(401, 'Expired'), 200],
      [new HttpError(403, 'Banned'), 403],
      [new HttpError(503), 503],
      [new Error('the database is down'), 500],
    ] as const) {
      const broken = apiKey({ in: 'cookie', name: 'session' }, () => {
        throw error
      })
      const own = appOf(optional(broken, { invalid: 'ignore' }))
      assert.equal((await sendRequest(own, '/home', { headers: stale })).status, status)
    }
  })

  it('inherits invalid from an inner optional(), unless it is set again', async () => {
    const own = appOf(optional(optional(session, { invalid: 'ignore' })))
    assert.equal((await sendRequest(own, '/home', { headers: stale })).status, 200)
    const strict = appOf(optional(optional(session, { invalid: 'ignore' }), { invalid: 'reject' }))
    assert.equal((await sendRequest(strict, '/home', { headers: stale })).status, 401)
  })

  it('still rejects invalid credentials in the original provider', async () => {
    class Both extends Route {
      static readonly get = this.contract({ uses: { maybe: optional(session, { invalid: 'ignore' }), session } })
      get() {
        return 'in'
      }
    }
    const { status } = await sendRequest(createUntypedApp({ routes: { Both } }), '/both', { headers: stale })
    assert.equal(status, 401)
  })

  it('documents no 401 if invalid credentials are ignored', () => {
    const { paths } = appOf(optional(session, { invalid: 'ignore' })).openapi()
    const get = paths['/home']?.['get']
    assert.deepEqual(get?.security, [{ session: [] }, {}])
    assert.ok(!('401' in (get?.responses ?? {})))
    const strict = appOf(optional(session)).openapi().paths['/home']?.['get']
    assert.ok('401' in (strict?.responses ?? {}))
  })
})
