import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyOf, apiKey, basic, bearer, optional, provide, Route } from 'verbena'
import { CredentialsRecipe } from '#src/injection/credentials.js'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

const asked: string[] = []
const token = bearer((given) => asked.push('bearer') && given === 'a' && 'by token', { realm: 'r' })
const operator = basic({ ada: 'x' })
const key = apiKey({ in: 'header', name: 'X-Key' }, (given) => asked.push('key') && given === 'k' && 'by key')

class Home extends Route {
  static readonly get = this.contract({ uses: { caller: anyOf(token, operator, key) } })
  get({ caller }: { caller: unknown }) {
    return { caller }
  }
}
const app = createUntypedApp({ routes: { Home } })
const login = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('anyOf()', () => {
  const FIRST: readonly (readonly [about: string, headers: Record<string, string>, caller: unknown])[] = [
    ['credentials of the first provider', { authorization: 'Bearer a' }, 'by token'],
    ['credentials of the second provider', { authorization: login('ada:x') }, { username: 'ada' }],
    ['credentials of the third provider', { 'x-key': 'k' }, 'by key'],
    ['the first of two credentials', { authorization: 'Bearer a', 'x-key': 'wrong' }, 'by token'],
    ['credentials sent with an unknown scheme', { authorization: 'Digest x', 'x-key': 'k' }, 'by key'],
  ]
  for (const [about, headers, caller] of FIRST) {
    it(`accepts ${about}`, async () => {
      assert.deepEqual((await sendRequest(app, '/home', { headers })).body, { caller })
    })
  }

  it('names all schemes in the challenge if credentials are missing', async () => {
    const { status, headers } = await sendRequest(app, '/home')
    assert.equal(status, 401)
    assert.equal(
      headers.get('www-authenticate'),
      'Bearer realm="r", Basic realm="api", charset="UTF-8", ApiKey in="header", name="X-Key"',
    )
  })

  it('does not try other providers if the first credentials found are invalid', async () => {
    asked.length = 0
    const { status, headers } = await sendRequest(app, '/home', {
      headers: { authorization: 'Bearer b', 'x-key': 'k' },
    })
    assert.equal(status, 401)
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm="r", error="invalid_token"/)
    assert.deepEqual(asked, ['bearer'])
  })

  it('describes the schemes of all providers, including a nested anyOf()', () => {
    const made: unknown = anyOf(anyOf(token, operator), key)
    assert.ok(made instanceof CredentialsRecipe)
    assert.deepEqual(made.needs.security, [
      { type: 'http', scheme: 'bearer' },
      { type: 'http', scheme: 'basic' },
      { type: 'apiKey', in: 'header', name: 'X-Key' },
    ])
    assert.equal(made.isOptional, false)
  })

  it('verifies credentials once if the endpoint also uses one of the providers', async () => {
    class Both extends Route {
      static readonly get = this.contract({ uses: { caller: anyOf(token, key), token } })
      get() {
        return 'in'
      }
    }
    asked.length = 0
    const { status } = await sendRequest(createUntypedApp({ routes: { Both } }), '/both', {
      headers: { authorization: 'Bearer a' },
    })
    assert.deepEqual([status, asked], [200, ['bearer']])
  })

  it('rejects an empty list, optional providers, and providers that read the same place', () => {
    const loose: unknown = anyOf
    // Proof: only the types narrow the parameters; at run time the function checks any argument.
    const make = loose as (...providers: readonly unknown[]) => unknown
    const other = apiKey({ in: 'header', name: 'x-key' }, () => 1)
    assertSetupError(() => make(), 'PROVIDER_INVALID', 'with anyOf()', 'the list of providers is empty')
    assertSetupError(() => make(token, optional(key)), 'PROVIDER_INVALID', 'Write "optional(anyOf(…))"')
    assertSetupError(
      () =>
        make(
          token,
          bearer(() => 1),
        ),
      'PROVIDER_INVALID',
      'two of its providers read "Authorization: Bearer"',
    )
    assertSetupError(() => make(key, other), 'PROVIDER_INVALID', 'two of its providers read "header x-key"')
    assertSetupError(
      () => make(provide({}, () => 1)),
      'PROVIDER_INVALID',
      'must distinguish missing credentials from invalid ones',
    )
    const whole = apiKey({ in: 'header', name: 'Authorization' }, () => 1)
    const cookies = apiKey({ in: 'header', name: 'Cookie' }, () => 1)
    const session = apiKey({ in: 'cookie', name: 'session' }, () => 1)
    for (const [one, two, text] of [
      [whole, token, 'read "Authorization: Bearer"'],
      [whole, operator, 'read "Authorization: Basic"'],
      [cookies, session, 'read "Cookie: session"'],
    ] as const) {
      assertSetupError(() => make(one, two), 'PROVIDER_INVALID', text)
      assertSetupError(() => make(two, key, one), 'PROVIDER_INVALID', text)
    }
    assert.doesNotThrow(() => make(whole, cookies, key))
    assert.doesNotThrow(() => make(token, session))
    assert.doesNotThrow(() =>
      make(
        key,
        apiKey({ in: 'query', name: 'x-key' }, () => 1),
      ),
    )
    assert.doesNotThrow(() =>
      make(
        apiKey({ in: 'query', name: 'a' }, () => 1),
        apiKey({ in: 'query', name: 'A' }, () => 1),
      ),
    )
  })
})
