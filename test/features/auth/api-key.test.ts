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
    ['in the query, encoded', query, '?a=1&k%65y=k%201%26', {}],
    ['in a cookie', cookie, '', { cookie: 'a=1; key=k%201%26' }],
    ['in a cookie, the first of two', cookie, '', { cookie: 'key=k%201%26; key=b' }],
  ]
  for (const [about, app, search, headers] of ACCEPTED) {
    it(`finds a key ${about}`, async () => {
      assert.deepEqual((await sendRequest(app, `/home${search}`, { headers })).body, { user: 'ada' })
    })
  }

  const ABSENT: readonly Row[] = [
    ['a header', header, '?x-api-key=k', { cookie: 'x-api-key=k' }],
    ['a key of the query', query, '?Key=k&keys=k', { key: 'k' }],
    ['a cookie', cookie, '?key=k', { cookie: 'Key=k', key: 'k' }],
  ]
  for (const [about, app, search, headers] of ABSENT) {
    it(`answers 401 without ${about}`, async () => {
      const { status, text } = await sendRequest(app, `/home${search}`, { headers })
      assert.equal(status, 401)
      assert.match(text, /there are none/)
    })
  }

  const WRONG: readonly Row[] = [
    ['wrong', header, '', { 'x-api-key': 'K 1&' }],
    ['empty, though the function knows it', header, '', { 'x-api-key': '' }],
    ['empty in the query', query, '?key', {}],
    ['sent twice', query, '?key=k+1%26&key=k+1%26', {}],
    ['empty in a cookie', cookie, '', { cookie: 'key=' }],
  ]
  for (const [about, app, search, headers] of WRONG) {
    it(`answers 401 when the key is ${about}`, async () => {
      const { status, text } = await sendRequest(app, `/home${search}`, { headers })
      assert.equal(status, 401)
      assert.match(text, /The API key is not valid/)
    })
  }

  it('says in a challenge where the key belongs', async () => {
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

  it('has its scheme as data', () => {
    assert.deepEqual(Reflect.get(Object(loose({ in: 'cookie', name: 'Key' }, () => 1)), 'needs'), {
      security: [{ type: 'apiKey', in: 'cookie', name: 'Key' }],
      errors: [401],
    })
  })

  const verify = (): number => 1
  const REFUSED: readonly (readonly [about: string, given: readonly unknown[], says: string])[] = [
    ['no place', [undefined, verify], 'its options are no record'],
    ['a body', [{ in: 'body', name: 'key' }, verify], '"in" is none of header, query and cookie'],
    ['a place without a name', [{ in: 'header' }, verify], '"name" cannot be a name there'],
    ['a header that is no token', [{ in: 'header', name: 'x key' }, verify], '"name" cannot be a name there'],
    ['a cookie that is no token', [{ in: 'cookie', name: 'a=b' }, verify], '"name" cannot be a name there'],
    ['an empty key of the query', [{ in: 'query', name: '' }, verify], '"name" is not a text of visible ASCII'],
    ['a misspelt option', [{ in: 'query', nam: 'a' }, verify], 'unknown option "nam". Did you mean "name"?'],
    ['no function', [{ in: 'query', name: 'key' }], 'it is not given a function'],
  ]
  for (const [about, given, says] of REFUSED) {
    it(`refuses ${about}`, () => assertSetupError(() => loose(...given), 'PROVIDER_INVALID', 'by apiKey', says))
  }
})

/** `apiKey` for what the compiler would refuse. */
function loose(...given: readonly unknown[]): unknown {
  const make: unknown = apiKey
  // Proof: the parameters are what the types narrow; at run time it takes any.
  return (make as (...args: readonly unknown[]) => unknown)(...given)
}
