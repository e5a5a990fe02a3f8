/** CSRF: every combination of method, page, credentials and cookie, and proxies. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyOf, bearer, createApp, group, Route, type App, type CorsOptions } from 'verbena'
import { session, signedIn, type Session } from 'verbena/session'
import { sendStrictly, assertAlive, rowBytes, formatTitle } from '#test/attack-rows.js'
import { Alive } from '#test/response-routes.js'
import { KEY, Visitor } from '#test/browser-client.js'
import * as z from 'zod'

const PARTNER = 'https://partner.example'
const events: string[] = []
const visitor = session({ keys: [KEY] })
const user = signedIn(visitor, (name) => name)
const caller = anyOf(
  bearer((token) => token === 'good' && 'a robot'),
  user,
)

abstract class Acting extends Route {
  act(): string {
    events.push('acted')
    return 'done'
  }
  get() {
    return this.act()
  }
}
class Plain extends Acting {
  static readonly path = '/plain'
  static readonly uses = { visitor }
  post({ visitor }: { visitor: Session<string> }) {
    if (visitor.value === undefined) visitor.start('ada')
    return this.act()
  }
  put() {
    return this.act()
  }
  patch() {
    return this.act()
  }
  delete() {
    return this.act()
  }
}
class Guarded extends Acting {
  static readonly path = '/guarded'
  static readonly uses = { caller }
  static readonly post = this.contract({ body: z.object({ amount: z.number() }) })
  async post() {
    return this.act()
  }
}
class Free extends Acting {
  static readonly path = '/free'
  post() {
    return this.act()
  }
}

const trusting: CorsOptions = { origins: [PARTNER], credentials: true }
const readable: CorsOptions = { origins: [PARTNER, 'https://app.example'] }
function appWith(options: { trustProxy?: string[] } = {}): App {
  return createApp({
    logger: false,
    signals: false,
    ...options,
    routes: {
      Plain,
      Guarded,
      Free,
      Alive,
      '/partners': group({ routes: { Plain, Guarded }, cors: trusting }),
      '/readers': group({ routes: { Plain }, cors: readable }),
    },
  })
}

const app = appWith()
let port = 0
let cookie = ''

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request; returns the status, and whether the route was called. */
async function ask(
  target: string,
  { method = 'POST', headers = {}, body }: Asked,
  at = port,
): Promise<[number, boolean]> {
  events.length = 0
  const [answer] = await sendStrictly(
    at,
    rowBytes({ target, method, headers, ...(body === undefined ? {} : { body }) }),
  )
  return [answer?.status ?? 0, events.length > 0]
}

const SAFE = ['GET', 'HEAD', 'OPTIONS']
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE']
const SITES = [undefined, 'same-origin', 'none', 'same-site', 'cross-site', 'nonsense']
const ORIGINS = [undefined, 'http://localhost', 'https://localhost', 'http://localhost:8080', PARTNER, 'null']
const COOKIES = [false, true]

describe('forged requests', () => {
  before(async () => {
    ;({ port } = await app.listen({ port: 0, host: '127.0.0.1' }))
    const ada = new Visitor(port)
    await ada.ask('POST', '/plain')
    cookie = `__Host-session=${ada.cookies.get('__Host-session')}`
  })
  after(() => app.close())

  const source = 'Fetch Metadata, section 2.3; OWASP CSRF Prevention Cheat Sheet'

  for (const method of [...SAFE, ...UNSAFE]) {
    const rule = SAFE.includes(method)
      ? 'are accepted from any page'
      : 'are rejected with 403 unless a page of this host sent them'
    it(formatTitle({ rule: `${rule}: ${method}`, source }), async () => {
      for (const site of SITES) {
        for (const origin of ORIGINS) {
          for (const hasCookie of COOKIES) {
            const headers = {
              ...(site === undefined ? {} : { 'sec-fetch-site': site }),
              ...(origin === undefined ? {} : { origin }),
              ...(hasCookie ? { cookie } : {}),
            }
            const hasOwnOrigin = origin === 'http://localhost' && site !== 'cross-site'
            const isOwn = site === 'same-origin' || site === 'none' || hasOwnOrigin
            const isNoPage = site === undefined && origin === undefined
            const isTaken = SAFE.includes(method) || isOwn || isNoPage
            const [status, hasActed] = await ask('/plain', { method, headers })
            assert.deepEqual(
              [status < 300, hasActed],
              [isTaken, isTaken && method !== 'OPTIONS'],
              JSON.stringify(headers),
            )
            if (!isTaken) assert.equal(status, 403)
            const [partnered] = await ask('/partners/plain', { method, headers })
            assert.equal(partnered < 300, isTaken || origin === PARTNER, `partners: ${JSON.stringify(headers)}`)
            const [read] = await ask('/readers/plain', { method, headers })
            assert.equal(read < 300, isTaken, `readers: ${JSON.stringify(headers)}`)
            assert.equal((await ask('/free', { method: 'POST', headers }))[0], 200)
          }
        }
      }
      await assertAlive(port)
    })
  }

  it(formatTitle({ rule: 'are rejected before the body is read, except with a valid token', source }), async () => {
    const cases: readonly (readonly [headers: Record<string, string>, status: number])[] = [
      [{}, 401],
      [{ cookie }, 400],
      [{ origin: PARTNER }, 403],
      [{ origin: PARTNER, cookie }, 403],
      [{ origin: PARTNER, cookie, authorization: 'Bearer good' }, 400],
      [{ origin: PARTNER, authorization: 'Bearer good' }, 400],
      [{ origin: PARTNER, cookie, authorization: 'Bearer bad' }, 401],
      [{ origin: PARTNER, cookie, authorization: 'Basic YTpi' }, 403],
      [{ origin: PARTNER, cookie, authorization: 'good' }, 403],
      [{ origin: PARTNER, cookie, authorization: '' }, 403],
      [{ origin: 'null', cookie, authorization: 'Bearer' }, 401],
    ]
    for (const [headers, status] of cases) {
      const all = { 'content-type': 'application/json', ...headers }
      assert.deepEqual(await ask('/guarded', { headers: all, body: '{' }), [status, false], JSON.stringify(headers))
    }
    const form = { 'content-type': 'text/plain', origin: PARTNER, cookie }
    assert.deepEqual(await ask('/guarded', { headers: form, body: '{"amount":1}' }), [403, false])
  })

  it(formatTitle({ rule: 'cannot sign a user in', source: 'login CSRF: Barth, Jackson, Mitchell 2008' }), async () => {
    const headers = { origin: 'https://evil.example' }
    const [answer] = await sendStrictly(port, rowBytes({ target: '/plain', method: 'POST', headers }))
    assert.deepEqual([answer?.status, answer?.headers.has('set-cookie')], [403, false])
  })

  it(
    formatTitle({
      rule: 'cannot set the host, except through a trusted proxy',
      source: 'RFC 7239 section 8.1',
    }),
    async () => {
      const forged = [
        { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
        { forwarded: 'host=evil.example;proto=https' },
        { 'x-original-host': 'evil.example' },
      ]
      for (const headers of forged) {
        assert.equal((await ask('/plain', { headers: { ...headers, origin: 'https://evil.example' } }))[0], 403)
      }
      const behind = appWith({ trustProxy: ['127.0.0.1'] })
      try {
        const { port: at } = await behind.listen({ port: 0, host: '127.0.0.1' })
        const statusOf = async (headers: Record<string, string>): Promise<number> =>
          (await ask('/plain', { headers: { 'x-forwarded-for': '198.51.100.1', ...headers } }, at))[0]
        const named = { 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }
        assert.equal(await statusOf({ ...named, origin: 'https://app.example' }), 200)
        assert.equal(await statusOf({ ...named, origin: 'http://app.example' }), 403)
        assert.equal(await statusOf({ ...named, origin: 'http://localhost' }), 403)
        assert.equal(await statusOf({ 'x-forwarded-proto': 'https', origin: 'https://localhost' }), 200)
        const lied = { 'x-forwarded-host': 'evil.example, app.example', 'x-forwarded-proto': 'https' }
        assert.equal(await statusOf({ ...lied, origin: 'https://evil.example' }), 403)
      } finally {
        await behind.close()
      }
    },
  )

  it(
    formatTitle({ rule: 'cannot hide their origin with repeated headers', source: 'RFC 9110 section 5.3' }),
    async () => {
      for (const lines of [
        'Origin: http://localhost\r\nOrigin: https://evil.example',
        'Origin: https://evil.example\r\nOrigin: http://localhost',
        'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site',
        'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none',
      ]) {
        const bytes = `POST /plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n\r\n`
        const [answer] = await sendStrictly(port, bytes)
        assert.equal(answer?.status, 403, lines)
      }
    },
  )
})
