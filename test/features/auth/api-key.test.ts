import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiKey, Route, type ApiKeyPlace, type App } from 'verbena'
import { sendRequest, assertSetupError, createUntypedApp } from '#test/apps.js'

const keys = new Map([
  ['k 1&', 'ada'],
  ['', 'nobody'],
])

function appOf(place: ApiKeyPlace): App {
  class Home extends Route {
    static readonly get = this.contract({ uses: { user: apiKey(place, (key) => keys.get(key)) } })
    get({ user }: { user: unknown }) {
      return { user }
    }
  }
  return createUntypedApp({ routes: { Home } })
}

const header = appOf({ in: 'header', name: 'X-API-Key' })
const query = appOf({ in: 'query', name: 'key' })
const cookie = appOf({ in: 'cookie', name: 'key' })

type Row = readonly [about: string, app: App, query: string, headers: Record<string, string>]

describe('apiKey()', () => {
  const ACCEPTED: readonly Row[] = [
    ['in a header', header, '', { 'x-api-key': 'k 1&' }],
    ['in the query', query, '?key=k+1%26', {}],
    ['in the percent-encoded query', query, '?a=1&k%65y=k%201%26', {}],
    ['in a cookie', cookie, '', { cookie: 'a=1; key=k%201%26' }],
    ['in the first of two cookies with the same name', cookie, '', { cookie: 'key=k%201%26; key=b' }],
  ]
  for (const [about, app, search, headers] of ACCEPTED) {
    it(`finds a key ${about}`, async () => {
      assert.deepEqual((await sendRequest(app, `/home${search}`, { headers })).body, { user: 'ada' })
    })
  }

  const ABSENT: readonly Row[] = [
    ['a header', header, '?x-api-key=k', { cookie: 'x-api-key=k' }],
    ['a query parameter', query, '?Key=k&keys=k', { key: 'k' }],
    ['a cookie', cookie, '?key=k', { cookie: 'Key=k', key: 'k' }],
  ]
  for (const [about, app, search, headers] of ABSENT) {
    it(`responds 401 if ${about} with the exact name is missing`, async () => {
      const { status, text } = await sendRequest(app, `/home${search}`, { headers })
      assert.equal(status, 401)
      assert.match(text, /requires credentials, but they are missing/)
    })
  }

  const WRONG: readonly Row[] = [
    ['wrong', header, '', { 'x-api-key': 'K 1&' }],
    ['empty, even if the function accepts it', header, '', { 'x-api-key': '' }],
    ['empty in the query', query, '?key', {}],
    ['sent twice', query, '?key=k+1%26&key=k+1%26', {}],
    ['empty in a cookie', cookie, '', { cookie: 'key=' }],
  ]
  for (const [about, app, search, headers] of WRONG) {
    it(`responds 401 if the key is ${about}`, async () => {
      const { status, text } = await sendRequest(app, `/home${search}`, { headers })
      assert.equal(status, 401)
      assert.match(text, /The API key is not valid/)
    })
  }

  it('names the location of the key in the challenge', async () => {
    const challenges = await Promise.all(
      [header, query, cookie].map(async (app) => (await sendRequest(app, '/home')).headers.get('www-authenticate')),
    )
    assert.deepEqual(challenges, [
      'ApiKey in="header", name="X-API-Key"',
      'ApiKey in="query", name="key"',
      'ApiKey in="cookie", name="key"',
    ])
    const wrong = await sendRequest(header, '/home', { headers: { 'x-api-key': 'a' } })
    assert.equal(wrong.headers.get('www-authenticate'), challenges[0])
  })

  it('describes its security scheme', () => {
    assert.deepEqual(Reflect.get(Object(loose({ in: 'cookie', name: 'Key' }, () => 1)), 'needs'), {
      security: [{ type: 'apiKey', in: 'cookie', name: 'Key' }],
      errors: [401],
    })
  })

  const verify = (): number => 1
  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['a missing place', [undefined, verify], 'the options of apiKey(): they must be an object'],
    [
      'a key in the body',
      [{ in: 'body', name: 'key' }, verify],
      "\"in\" of apiKey(): it must be 'header', 'query' or 'cookie'",
    ],
    ['a place without a name', [{ in: 'header' }, verify], '"name" of apiKey(): it is missing'],
    [
      'a header name that is not a token',
      [{ in: 'header', name: 'x key' }, verify],
      '"name" of apiKey(): it must be a valid name',
    ],
    [
      'a cookie name that is not a token',
      [{ in: 'cookie', name: 'a=b' }, verify],
      '"name" of apiKey(): it must be a valid name',
    ],
    [
      'an empty query parameter name',
      [{ in: 'query', name: '' }, verify],
      '"name" of apiKey(): it must be a valid name',
    ],
    [
      'a misspelled option',
      [{ in: 'query', nam: 'a' }, verify],
      '"nam" of apiKey(): it is unknown. Did you mean "name"?',
    ],
    [
      'a missing function',
      [{ in: 'query', name: 'key' }],
      '"verify" of apiKey(): it must be a function, not undefined. Write "apiKey(place, (credentials) => user)"',
    ],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`rejects ${about}`, () => assertSetupError(() => loose(...given), 'OPTION_INVALID', says))
  }
})

/** Calls `apiKey` with arguments that the compiler would reject. */
function loose(...given: readonly unknown[]): unknown {
  const make: unknown = apiKey
  // Proof: only the types narrow the parameters; at run time the function checks any argument.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}
