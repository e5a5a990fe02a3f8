/** `strict`: accepts every header that Verbena sends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, cacheControl, group, precondition, reply, Route, text, type App } from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { session } from 'verbena/session'
import { testApp } from 'verbena/testing'
import { createUntypedApp } from '#test/apps.js'
import { KEY } from '#test/browser-client.js'
import * as z from 'zod'

const Thing = z.object({ id: z.string() })
const visitor = session({ keys: [KEY] })
const user = bearer((token) => token === 'a1b2')
const revision = precondition({}, () => 1)
const SITE = 'https://app.example'

function createThings(securityHeaders: object | string): App {
  const limit = rateLimit({ by: () => 'all', limit: 3, window: 60_000 })
  class Things extends Route {
    static readonly get = this.contract({ returns: Thing, uses: { limit, revision } })
    @version('^1')
    @deprecated({ since: '2026-01-01', sunset: '2999-12-31', link: '/news' })
    get({ response }: { response: { header(name: string, value: string): void } }) {
      response.header('cache-control', cacheControl({ maxAge: 60 }))
      return { id: 'x'.repeat(5000) }
    }
    static readonly post = this.contract({
      body: Thing,
      returns: Thing,
      status: 201,
      uses: { visitor },
      idempotency: idempotency({ by: () => 'all', ttl: 60_000 }),
    })
    post({ visitor }: { visitor: { start(value: string): void } }) {
      visitor.start('ada')
      return { id: 'a' }
    }
    static readonly put = this.contract({ returns: null, uses: { user } })
    put(): void {}
  }

  class Page extends Route {
    static readonly get = this.contract({ returns: text() })
    get() {
      return reply(200, '<p>', { 'content-type': 'text/html' })
    }
  }

  return createUntypedApp({
    routes: { all: group({ routes: { Things, Page } }) },
    version: '1.0.0',
    logger: false,
    compression: {},
    cors: { origins: SITE, credentials: true, expose: ['etag'] },
    securityHeaders,
  })
}

/** Requests that cause the headers of each feature. */
const REQUESTS: readonly (readonly [target: string, init: RequestInit, status: number])[] = [
  ['/things', {}, 200],
  ['/things', { headers: { 'accept-encoding': 'gzip', origin: SITE } }, 200],
  ['/things', { method: 'HEAD' }, 200],
  ['/things', {}, 429],
  ['/things', { headers: { 'accept-version': '7' } }, 406],
  ['/things', { method: 'POST', body: '{"id":"a"}', headers: { 'idempotency-key': '"a"' } }, 201],
  ['/things', { method: 'POST', body: '{"id":"a"}', headers: { 'idempotency-key': '"a"' } }, 201],
  ['/things', { method: 'POST', body: '{"id":"b"}', headers: { 'idempotency-key': '"a"' } }, 422],
  ['/things', { method: 'POST', body: '{"id":"a"}', headers: { 'content-encoding': 'gzip' } }, 415],
  ['/things', { method: 'POST', body: '{"id":"a"}', headers: { 'sec-fetch-site': 'cross-site' } }, 403],
  ['/things', { method: 'PUT' }, 401],
  ['/page', { headers: { origin: SITE } }, 200],
]

describe('strict: headers of the framework', () => {
  for (const securityHeaders of ['api', 'html', {}] as const) {
    it(`accepts the headers of all features with securityHeaders ${JSON.stringify(securityHeaders)}`, async () => {
      const { fetch } = await testApp(createThings(securityHeaders))
      const names = new Set<string>()
      for (const [target, init, status] of REQUESTS) {
        const ofBody = init.body === undefined ? {} : { 'content-type': 'application/json' }
        const response = await fetch(target, { ...init, headers: { ...ofBody, ...Object(init.headers) } })
        assert.equal(response.status, status, `${target} ${JSON.stringify(init)}`)
        for (const name of response.headers.keys()) names.add(name)
      }
      for (const name of ['x-permitted-cross-domain-policies', 'accept-encoding', 'idempotent-replayed', 'sunset']) {
        assert.ok(names.has(name), name)
      }
    })
  }
})
