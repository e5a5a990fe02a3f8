import assert from 'node:assert/strict'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { anyOf, apiKey, bearer, createApp, optional, Route, type App, type Claims, type Input } from 'verbena'
import { override, testApp } from 'verbena/testing'
import { jwt } from '#src/features/auth/jwt/jwt.js'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import { EC, NOW, readTokenError, RSA, SECRET, signToken } from '#test/tokens.js'

interface Config {
  readonly key: KeyObject
}

const COMMON = { algorithms: ['ES256', 'RS256'], audience: 'api', now: () => NOW } as const
const EC_JWK = { ...EC.publicKey.export({ format: 'jwk' }), kty: 'EC' }
const OUTAGE = 'Cannot verify tokens: their keys are unavailable. Try again later'

/** Creates a verifier whose keys are the result of `keys`. */
function verifierOf(keys: (services: object) => unknown): (token: string, services?: object) => unknown {
  // Proof: the tests return values that the types reject, and omit services.
  return jwt({ ...COMMON, keys: keys as () => KeyObject }) as (token: string, services?: object) => unknown
}

/** Creates an app with an endpoint that returns the subject of the token. */
function appWith(verify: unknown, options: object = {}): App {
  // Proof: only the types restrict the verifier.
  const user = bearer(verify as (token: string) => Claims)
  class Me extends Route {
    static readonly path = '/'
    static readonly get = this.contract({ uses: { user } })
    get({ user }: Input<typeof Me.get>) {
      return user.sub
    }
  }
  return createUntypedApp({ routes: { Me }, ...options })
}

const withToken = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

describe('jwt() with keys from services', () => {
  it('reads the keys of each app, which bearer() passes to the verifier', async () => {
    const user = bearer(jwt({ ...COMMON, keys: ({ config }: { config: Config }) => config.key }))
    class Me extends Route {
      static readonly get = this.contract({ uses: { user } })
      get({ user }: Input<typeof Me.get>) {
        return user.sub
      }
    }
    await using app = createApp({ services: { config: { key: EC.publicKey } }, routes: { Me }, logger: false })
    await using test = await testApp(app, { services: { config: { key: RSA.publicKey } } })
    const { port } = await app.listen()
    const [ec, rsa] = [await signToken('ES256'), await signToken('RS256')]
    const statuses = [ec, rsa].map(async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      const [own, others] = await Promise.all([
        askWire(port, { target: '/me', headers }),
        test.fetch('/me', { headers }),
      ])
      return [own.status, others.status]
    })
    assert.deepEqual(await Promise.all(statuses), [
      [200, 401],
      [401, 200],
    ])
  })

  it('accepts the view of a key that the console records', async () => {
    const verify = jwt({ ...COMMON, keys: ({ key }: { key: KeyObject }) => key })
    await using app = appWith(verify, {
      services: { key: EC.publicKey },
      devConsole: { allowInProduction: true, token: 'a'.repeat(32) },
    })
    const { port } = await app.listen()
    const headers = { authorization: `Bearer ${await signToken('ES256')}` }
    assert.equal((await askWire(port, { target: '/', headers })).body, 'ada')
  })

  it('verifies synchronously if the function is synchronous, and awaits a promise of keys', async () => {
    const token = await signToken('ES256')
    const services = { key: EC.publicKey }
    const verify = jwt({ ...COMMON, keys: ({ key }: typeof services) => [key] })
    assert.equal(Object(verify(token, services)).sub, 'ada')
    const later = jwt({ ...COMMON, keys: async ({ key }: typeof services) => key })
    const claims = later(token, services)
    assert.ok(claims instanceof Promise)
    assert.equal((await claims).sub, 'ada')
  })

  it('calls the function for each token, and reads each returned object once', async () => {
    let reads = 0
    const jwk = {
      get kty() {
        reads++
        return 'EC'
      },
      ...{ crv: EC_JWK['crv'], x: EC_JWK['x'], y: EC_JWK['y'] },
    }
    let keys: unknown = jwk
    let calls = 0
    const verify = verifierOf(() => {
      calls++
      return keys
    })
    const token = await signToken('ES256')
    verify(token, {})
    const once = reads
    assert.ok(once > 0)
    verify(token, {})
    assert.deepEqual([calls, reads], [2, once])
    keys = RSA.publicKey
    assert.equal((await readTokenError(() => verify(token, {})))?.status, 401)
    keys = jwk
    verify(token, {})
    assert.deepEqual([calls, reads], [4, once])
  })

  it('fetches each URL once, even if the function returns a new URL for each token', async () => {
    let fetches = 0
    const server = createServer((_request, response) => {
      fetches++
      response.end(JSON.stringify({ keys: [EC_JWK] }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${Object(server.address()).port}`
    const failures: string[] = []
    const services = { url: `${url}/a`, name: 'first' }
    const verify = jwt({
      ...COMMON,
      keys: ({ url, name }: typeof services) => ({ url: new URL(url), onFailure: () => void failures.push(name) }),
    })
    const token = await signToken('ES256')
    for (let count = 0; count < 3; count++) assert.equal((await verify(token, services)).sub, 'ada')
    assert.equal(fetches, 1)
    for (let count = 0; count < 100; count++) await verify(token, { ...services, url: `${url}/${count}` })
    assert.equal(fetches, 101)
    await verify(token, { ...services, url: `${url}/99` })
    assert.equal(fetches, 101)
    await verify(token, services)
    assert.equal(fetches, 102)
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    for (const name of ['second', 'third']) {
      await assert.rejects(async () => verify(token, { url: `${url}/gone`, name }), { status: 503 })
    }
    assert.deepEqual(failures, ['second'])
  })

  it('throws if the services are missing', async () => {
    const verify = verifierOf(() => EC.publicKey)
    const token = await signToken('ES256')
    assert.throws(() => verify(token), { name: 'TypeError', message: /Write "verify\(token, services\)"$/ })
    assert.equal((await readTokenError(() => verify('a.b')))?.status, 401)
  })
})

const INVALID: readonly (readonly [about: string, keys: () => unknown, message: string])[] = [
  ['an invalid key', () => 'secret', 'Cannot use the option "keys" of jwt(): a key must not be a string'],
  [
    'no key',
    () => undefined,
    'Cannot use the option "keys" of jwt(): a key cannot be used: it must be a KeyObject, a Uint8Array or a JWK',
  ],
  ['an empty list', async () => [], 'Cannot use the option "keys" of jwt(): it is empty'],
  [
    'a key of another algorithm',
    () => createSecretKey(SECRET),
    'Cannot use the option "keys" of jwt(): it has a key for HS256',
  ],
  [
    'an error',
    () => {
      throw new Error('no vault')
    },
    'Cannot use the option "keys" of jwt(): the function failed with "no vault". See its "cause" for details',
  ],
  [
    'a rejected promise',
    () => Promise.reject(new Error('no vault')),
    'Cannot use the option "keys" of jwt(): the function failed with "no vault". See its "cause" for details',
  ],
]

describe('jwt() with invalid keys from services', () => {
  for (const [about, keys, message] of INVALID) {
    it(`rejects the start of an app that passes the verifier to bearer() or apiKey(): ${about}`, async () => {
      const app = appWith(verifierOf(keys))
      for (const start of [() => app.start(), () => app.listen(), () => testApp(app)]) {
        await assert.rejects(start, (error) => {
          assert.deepEqual([Object(error).name, Object(error).code], ['SetupError', 'OPTION_INVALID'])
          assert.ok(Object(error).message.startsWith(message), Object(error).message)
          return true
        })
      }
      assert.equal((await sendRequest(app, '/')).status, 503)
      // Proof: as above.
      const cookie = apiKey({ in: 'cookie', name: 'token' }, verifierOf(keys) as () => Claims)
      class Home extends Route {
        static readonly uses = {
          user: optional(
            anyOf(
              bearer(() => 1),
              cookie,
            ),
          ),
        }
        get() {}
      }
      await assert.rejects(createUntypedApp({ routes: { Home } }).start(), { code: 'OPTION_INVALID' })
    })

    it(`responds 503 and logs the setup error if it occurs for a token: ${about}`, async () => {
      const { logger, lines } = captureLog()
      const verify = verifierOf(keys)
      const app = appWith((token: string, services: object) => verify(token, services), { logger })
      const { status, text } = await sendRequest(app, '/', withToken(await signToken('ES256')))
      assert.equal(status, 503)
      assert.ok(text.includes(OUTAGE))
      const { cause } = Object(lines[0]?.fields['err'])
      assert.deepEqual([lines.length, cause.code, cause.message.startsWith(message)], [1, 'OPTION_INVALID', true])
    })
  }

  it('does not call the function in a test that overrides the provider', async () => {
    let calls = 0
    const user = bearer(
      jwt({
        ...COMMON,
        keys: ({ config }: { config: Config }) => {
          calls++
          return config.key
        },
      }),
    )
    class Me extends Route {
      static readonly get = this.contract({ uses: { user } })
      get({ user }: Input<typeof Me.get>) {
        return user.sub
      }
    }
    const app = createApp({ services: { config: { key: EC.privateKey } }, routes: { Me } })
    await using test = await testApp(app, { override: [override(user, () => ({ sub: 'ben' }))] })
    assert.deepEqual([await (await test.fetch('/me')).text(), calls], ['ben', 0])
  })
})
