// own process: hooks of createVisitor() are for all tests of the process
/** The reason of a 401, which `mapError` and `errorFormat` read, and clients do not get. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  createApp,
  group,
  HttpError,
  jwt,
  optional,
  provide,
  Route,
  type AnyProvider,
  type Input,
  type Problem,
  type UnauthorizedReason,
} from 'verbena'
import { jwtSigner, webhook } from 'verbena/auth'
import { session, signedIn } from 'verbena/session'
import { createUntypedApp } from '#test/apps.js'
import { setCookies, createVisitor, KEY, OTHER_KEY } from '#test/browser-client.js'
import { askWire } from '#test/e2e.js'
import { SECRET } from '#test/tokens.js'
import * as z from 'zod'

const token = bearer((given) => given === 'good')
const custom = bearer((given) => given === 'good', { scheme: 'Token' })
const operator = basic({ ada: 'x' })
const header = apiKey({ in: 'header', name: 'X-Key' }, (given) => given === 'good')
const query = apiKey({ in: 'query', name: 'key' }, (given) => given === 'good')
const keys = { key: SECRET, algorithm: 'HS256', expiresIn: 60 } as const
const verify = jwt({ keys: SECRET, algorithms: ['HS256'] })
const signed = bearer(verify)
const scheme = { type: 'http', scheme: 'bearer' } as const
const error = (reason: object): HttpError =>
  new HttpError(401, 'No', { headers: { 'www-authenticate': 'Bearer x' }, ...reason })

const ago = jwtSigner({ ...keys, now: () => Date.now() - 120_000 })
const ahead = jwtSigner({ ...keys, now: () => Date.now() + 120_000 })
const forged = jwtSigner({ ...keys, key: Buffer.alloc(32) })
const foreign = jwtSigner({ ...keys, audience: 'another api' })
const asBearer = (given: string) => ({ authorization: `Bearer ${given}` })
const asToken = (given: string) => ({ authorization: `Token ${given}` })
const asBasic = (given: string) => ({ authorization: `Basic ${Buffer.from(given).toString('base64')}` })

type Reason = UnauthorizedReason | undefined
type Row = readonly [
  about: string,
  provider: AnyProvider,
  headers: Record<string, string>,
  reason: Reason,
  search?: string,
]

const ROWS: readonly Row[] = [
  ['bearer() without a header', token, {}, 'missing'],
  ['bearer() with another scheme', token, asBasic('ada:x'), 'missing'],
  ['bearer() without a token', token, asBearer(''), 'malformed'],
  ['bearer() with a token that contains a space', token, asBearer('a b'), 'malformed'],
  ['bearer() with an unknown token', token, asBearer('bad'), 'rejected'],
  ['bearer() with a scheme, without a header', custom, {}, 'missing'],
  ['bearer() with a scheme and a malformed token', custom, asToken('a b'), 'malformed'],
  ['bearer() with a scheme and an unknown token', custom, asToken('bad'), 'rejected'],
  ['basic() without a header', operator, {}, 'missing'],
  ['basic() without a colon', operator, asBasic('ada'), 'malformed'],
  ['basic() with bytes that are not base64', operator, { authorization: 'Basic ?' }, 'malformed'],
  ['basic() with a wrong password', operator, asBasic('ada:y'), 'rejected'],
  ['apiKey() without a key', header, {}, 'missing'],
  ['apiKey() with an empty key', header, { 'x-key': '' }, 'malformed'],
  ['apiKey() with a repeated key', query, {}, 'malformed', '?key=good&key=good'],
  ['apiKey() with an unknown key', header, { 'x-key': 'bad' }, 'rejected'],
  ['jwt() with two parts', signed, asBearer('a.b'), 'malformed'],
  ['jwt() with an expired token', signed, asBearer(ago({})), 'expired'],
  ['jwt() with a token of the future', signed, asBearer(ahead({})), 'rejected'],
  ['jwt() with a forged token', signed, asBearer(forged({})), 'rejected'],
  ['jwt() with a token for another audience', signed, asBearer(foreign({})), 'rejected'],
  ['jwt() with another scheme and an expired token', bearer(verify, { scheme: 'Token' }), asToken(ago({})), 'expired'],
  [
    'a Bearer error of your own with another scheme',
    bearer(() => Promise.reject(error({})), { scheme: 'Token' }),
    asToken('a'),
    'rejected',
  ],
  [
    'an error of your own, whose member "reason" is sent',
    bearer(() => Promise.reject(error({ reason: 'x' }))),
    asBearer('a'),
    undefined,
  ],
  ['a provider with a scheme that returns false', provide({ security: scheme }, () => false), {}, 'rejected'],
  ['webhook() without headers', webhook({ secrets: [`whsec_${'A'.repeat(32)}`] }), {}, 'missing'],
  ['anyOf() without credentials', anyOf(token, header), {}, 'missing'],
  [
    'anyOf() with an invalid token and a valid key',
    anyOf(token, header),
    { ...asBearer('a b'), 'x-key': 'good' },
    'malformed',
  ],
  [
    'anyOf() with a valid key and an invalid token',
    anyOf(header, token),
    { ...asBearer('a b'), 'x-key': 'bad' },
    'rejected',
  ],
  ['optional() with an invalid token', optional(token), asBearer('a b'), 'malformed'],
]

const seen: unknown[] = []
const mapError = (error: unknown): undefined => {
  seen.push(error instanceof HttpError ? error.reason : error)
}
const errorFormat = {
  schema: z.object({ detail: z.string(), reason: z.string() }),
  write: ({ detail = '' }: Problem, { reason }: HttpError) => ({ detail, reason: reason ?? 'none' }),
}

const routes = Object.fromEntries(
  ROWS.map(([, provider], index) => {
    class Guarded extends Route {
      static readonly uses = { provider }
      async post() {}
    }
    return [`/${index}`, { '/': Guarded }]
  }),
)

describe('HttpError.reason', () => {
  const app = createUntypedApp({ routes: { ...routes, '/formatted': group({ errorFormat, routes }) }, mapError })
  let port = 0
  before(async () => ({ port } = await app.listen()))
  after(() => app.close())

  for (const [index, [about, , headers, reason, search = '']] of ROWS.entries()) {
    it(`is ${reason} for ${about}`, async () => {
      seen.length = 0
      const request = { method: 'POST', headers: { 'content-length': '0', ...headers } }
      const { status, body } = await askWire(port, { ...request, target: `/${index}${search}` })
      assert.equal(status, 401)
      assert.deepEqual(seen, [reason])
      const problem = JSON.parse(body)
      assert.equal(problem.reason, reason === undefined ? 'x' : undefined)
      const formatted = await askWire(port, { ...request, target: `/formatted/${index}${search}` })
      assert.deepEqual(JSON.parse(formatted.body), { detail: problem.detail, reason: reason ?? 'none' })
    })
  }

  it('is undefined for all other errors', () => {
    assert.equal(new HttpError(401).reason, undefined)
    assert.equal(new HttpError(401, 'No', { reason: 'expired' }).reason, undefined)
  })
})

describe('HttpError.reason of a session', () => {
  const visitor = session({ keys: [KEY], cookie: { insecure: true } })
  const user = signedIn(visitor, (name) => name === 'ada')
  class Me extends Route {
    static readonly get = this.contract({ uses: { user } })
    async get() {}
    static readonly put = this.contract({ uses: { visitor }, body: z.string() })
    async put({ visitor, body }: Input<typeof Me.put>) {
      visitor.start(body)
    }
    static readonly delete = this.contract({ uses: { visitor } })
    async delete({ visitor }: Input<typeof Me.delete>) {
      visitor.end()
    }
  }
  class Both extends Route {
    static readonly get = this.contract({ uses: { caller: anyOf(token, user) } })
    async get() {}
  }
  const browser = createVisitor(createApp({ routes: { Me, Both }, mapError, logger: false }))

  async function reasonAt(target: string, headers: Record<string, string> = {}): Promise<unknown> {
    seen.length = 0
    assert.equal((await browser.ask('GET', target, { headers })).status, 401)
    return seen.join()
  }

  it('is missing without a cookie', async () => {
    assert.equal(await reasonAt('/me'), 'missing')
    assert.equal(await reasonAt('/both'), 'missing')
  })

  it('is rejected if the function of signedIn() rejects the value', async () => {
    await browser.ask('PUT', '/me', { body: 'bob' })
    assert.equal(await reasonAt('/me'), 'rejected')
  })

  it('is expired for a cookie without a session, also in anyOf() without other credentials', async () => {
    const [line = ''] = setCookies(await browser.ask('PUT', '/me', { body: 'ada' }))
    const [cookie = ''] = line.split(';')
    assert.equal((await browser.ask('GET', '/me')).status, 204)
    await browser.ask('DELETE', '/me')
    assert.equal(await reasonAt('/me', { cookie }), 'expired')
    const { body } = await browser.ask('GET', '/me', { headers: { cookie } })
    assert.equal(JSON.parse(body).detail, 'This request requires credentials, but they have expired')
    assert.equal(await reasonAt('/both', { cookie }), 'expired')
    assert.equal(await reasonAt('/both', { cookie, ...asBearer('bad') }), 'rejected')
  })

  it('is expired for a cookie that was signed with a removed key', async () => {
    const other = session({ keys: [OTHER_KEY], cookie: { insecure: true } })
    class Other extends Route {
      static readonly put = this.contract({ uses: { other } })
      async put({ other }: Input<typeof Other.put>) {
        other.start('ada')
      }
    }
    const { headers } = await createApp({ routes: { Other }, logger: false }).fetch(
      new Request('http://a/other', { method: 'PUT' }),
    )
    const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
    assert.equal(await reasonAt('/me', { cookie }), 'expired')
  })
})
