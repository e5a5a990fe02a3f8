/** `false` of a provider: which providers refuse by it, and with which status. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyOf,
  apiKey,
  bearer,
  createApp,
  group,
  optional,
  provide,
  Route,
  type AnyProvider,
  type Needs,
  type ProviderOptions,
  type SecurityScheme,
} from 'verbena'
import { override, testApp } from 'verbena/testing'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

const BEARER = { type: 'http', scheme: 'bearer' } as const
const user = bearer((token) => token === 'a' && { name: 'ada' })
const known = { authorization: 'Bearer a' }

/** Returns the response of an app whose only endpoint uses one provider, and how often the handler ran. */
async function answerOf(provider: AnyProvider, isGrouped = false) {
  let calls = 0
  class Home extends Route {
    static readonly uses = isGrouped ? {} : { provider }
    get({ provider = null }: { provider?: unknown }) {
      calls++
      return [provider]
    }
  }
  const routes = isGrouped ? { all: group({ uses: { provider }, routes: { Home } }) } : { Home }
  const { status, headers, body } = await sendRequest(createUntypedApp({ routes }), '/home', { headers: known })
  return { status, challenge: headers.get('www-authenticate'), calls, body }
}

/** Ways to return `false` from a provider, all with the same result. */
const WAYS: readonly (readonly [about: string, resolve: () => unknown, options?: ProviderOptions])[] = [
  ['returned', () => false],
  ['promised', async () => false],
  // oxlint-disable-next-line unicorn/no-thenable -- promises of other libraries are made so
  ['resolved by a thenable', () => ({ then: (done: (value: boolean) => void) => done(false) })],
  [
    'yielded',
    function* () {
      yield false
    },
  ],
  [
    'yielded as a promise',
    function* () {
      yield Promise.resolve(false)
    },
  ],
  [
    'yielded by an async generator',
    async function* () {
      yield false
    },
    { ends: 'after-response' },
  ],
]

const REFUSING: readonly (readonly [about: string, needs: Needs, status: number, challenge: string | null])[] = [
  ['a bearer scheme', { security: BEARER }, 401, 'Bearer'],
  ['a bearer scheme and 401', { security: BEARER, errors: [401] }, 401, 'Bearer'],
  ['a bearer scheme and both statuses', { security: BEARER, errors: [401, 403] }, 401, 'Bearer'],
  ['a bearer scheme and only 403', { security: BEARER, errors: [403] }, 403, null],
  ['only 403', { errors: [403] }, 403, null],
  ['403 in an object', { errors: { 403: 'Not for you' } }, 403, null],
  ['401 without a scheme', { errors: [401] }, 403, null],
  ['a role with 403', { uses: { user }, errors: [403] }, 403, null],
  ['a role with 401', { uses: { user }, errors: [401] }, 401, 'Bearer'],
  ['a role of a role with 401', { uses: { role: provide({ uses: { user } }, () => 1) }, errors: [401] }, 401, 'Bearer'],
  ['a role with both', { uses: { user }, errors: [401, 403] }, 403, null],
  ['mutual TLS', { security: { type: 'mutualTLS' } }, 403, null],
]

const SCHEMES: readonly (readonly [scheme: SecurityScheme | readonly SecurityScheme[], challenge: string])[] = [
  [{ type: 'http', scheme: 'basic' }, 'Basic realm="api", charset="UTF-8"'],
  [{ type: 'http', scheme: 'Basic' }, 'Basic realm="api", charset="UTF-8"'],
  [{ type: 'http', scheme: 'hoba' }, 'hoba'],
  [{ type: 'oauth2', flows: {} }, 'Bearer'],
  [{ type: 'openIdConnect', openIdConnectUrl: 'https://login.example' }, 'Bearer'],
  [{ type: 'apiKey', in: 'header', name: 'X-Key' }, 'ApiKey in="header", name="X-Key"'],
  [[BEARER, { type: 'mutualTLS' }, { type: 'apiKey', in: 'query', name: 'k' }], 'Bearer, ApiKey in="query", name="k"'],
]

describe('false of a provider', () => {
  for (const [about, needs, status, challenge] of REFUSING) {
    for (const [way, resolve, options] of WAYS) {
      it(`responds ${status} to false ${way}, with ${about}`, async () => {
        const answer = await answerOf(provide(needs, resolve, options))
        assert.deepEqual([answer.status, answer.challenge, answer.calls], [status, challenge, 0])
      })
    }
    it(`responds ${status} to false in a group, with ${about}`, async () => {
      const answer = await answerOf(
        provide(needs, () => false),
        true,
      )
      assert.deepEqual([answer.status, answer.challenge, answer.calls], [status, challenge, 0])
    })
  }

  for (const [security, challenge] of SCHEMES) {
    it(`sends the challenge ${challenge}`, async () => {
      const answer = await answerOf(provide({ security }, () => false))
      assert.deepEqual([answer.status, answer.challenge], [401, challenge])
    })
  }

  for (const scheme of [{ type: 'http' }, { type: 'http', scheme: 'a b' }, { type: 'apiKey', in: 1, name: 'é' }]) {
    it(`sends no challenge for the scheme ${JSON.stringify(scheme)}`, async () => {
      // Proof: authors without a compiler write such schemes.
      const answer = await answerOf(provide({ security: scheme as SecurityScheme }, () => false))
      assert.deepEqual([answer.status, answer.challenge], [403, null])
    })
  }

  const OPEN: readonly (readonly [about: string, needs: Needs, value: unknown])[] = [
    ['a flag', {}, false],
    ['a flag with another error', { errors: [404] }, false],
    ['a flag that uses the user', { uses: { user } }, false],
    ['undefined of a guard', { security: BEARER, errors: [401] }, undefined],
    ['null of a role', { uses: { user }, errors: [403] }, null],
    ['0 of a role', { uses: { user }, errors: [403] }, 0],
  ]
  for (const [about, needs, value] of OPEN) {
    it(`accepts ${about}`, async () => {
      const { status, calls, body } = await answerOf(provide(needs, () => value))
      assert.deepEqual([status, calls, body], [200, 1, [value ?? null]])
    })
  }

  it('accepts a flag of a group', async () => {
    const { status, calls } = await answerOf(
      provide({}, () => false),
      true,
    )
    assert.deepEqual([status, calls], [200, 1])
  })

  it('throws at the yield, so that the provider can roll back', async () => {
    const log: unknown[] = []
    const guard = provide({ errors: [403] }, function* () {
      try {
        yield false
        log.push('went on')
      } catch (error) {
        log.push(Object(error).status)
        throw error
      }
    })
    const { status } = await answerOf(guard)
    assert.deepEqual([status, log], [403, [403]])
  })

  it('does not run providers that use it, and does not read the body', async () => {
    let reached = 0
    const guard = provide({ security: BEARER }, () => false)
    const next = provide({ uses: { guard } }, () => reached++)
    class Home extends Route {
      static readonly uses: Readonly<Record<string, AnyProvider>> = { next }
      post() {}
    }
    const { status } = await sendRequest(createUntypedApp({ routes: { Home } }), '/home', {
      method: 'POST',
      body: 'no JSON',
    })
    assert.deepEqual([status, reached], [401, 0])
  })

  it('does not affect optional() and anyOf()', async () => {
    const key = apiKey({ in: 'header', name: 'x-key' }, () => false)
    assert.equal((await answerOf(optional(key))).status, 200)
    assert.equal((await answerOf(anyOf(key, user))).status, 200)
  })

  it('rejects the request for false of an override, like the original provider', async () => {
    const role: AnyProvider = provide({ uses: { user }, errors: [401] }, () => 1)
    class Home extends Route {
      static readonly get = this.contract({ uses: { role } })
      get() {}
    }
    const app = createUntypedApp({ routes: { Home } })
    const { fetch } = await testApp(app, { override: [override(role, () => false)], strict: false })
    const response = await fetch('/home')
    assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'])
  })

  it('documents the status if the author has not declared it', () => {
    const guard = provide({ security: BEARER }, () => 1)
    const signed = provide({ errors: [401] }, () => 1)
    class Home extends Route {
      static readonly get = this.contract({ uses: { guard } })
      static readonly put = this.contract({ uses: { signed } })
      get() {}
      put() {}
    }
    const { get, put } = createApp({ routes: { Home }, logger: false }).openapi().paths['/home'] ?? {}
    assert.ok(get?.responses['401'] !== undefined && put?.responses['403'] !== undefined)
  })

  it('responds over a socket to GET and HEAD alike', async () => {
    class Home extends Route {
      static readonly uses = { guard: provide({ security: BEARER }, () => false) }
      get() {
        return 'secret'
      }
    }
    await using app = createUntypedApp({ routes: { Home }, signals: false })
    const { port } = await app.listen()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await askWire(port, { method, target: '/home' })
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
      assert.doesNotMatch(body, /secret/)
    }
  })
})
