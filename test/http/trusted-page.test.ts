/** CSRF check: all combinations of `Sec-Fetch-Site` and `Origin`. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { group, provide, Route, type CorsOptions } from 'verbena'
import { invoke } from 'verbena/testing'
import { BaseContext } from '#src/context/request-context.js'
import { isFromTrustedPage } from '#src/http/trusted-page.js'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

function isTrusted(input: object): boolean | Promise<boolean> {
  // Proof: the input is always a `BaseContext`.
  return isFromTrustedPage(BaseContext.sourceOf(input as BaseContext))
}
const trusted = provide({}, isTrusted)

class Page extends Route {
  static readonly path = '/page'
  static readonly uses = { trusted }
  get({ trusted }: { trusted: boolean }) {
    return trusted
  }
  post({ trusted }: { trusted: boolean }) {
    return trusted
  }
}

const { logger, lines } = captureLog()
const withCors = (cors: CorsOptions) => group({ routes: { Page }, cors })
const app = createUntypedApp({
  logger,
  trustProxy: ['127.0.0.1'],
  routes: {
    '/bare': group({ routes: { Page } }),
    '/open': withCors({ origins: '*' }),
    '/readable': withCors({ origins: ['https://app.example'] }),
    '/listed': withCors({
      origins: ['https://app.example', 'https://*.sub.example'],
      credentials: true,
      methods: ['POST'],
    }),
    '/asked': withCors({
      origins: async (origin) => origin === 'https://asked.example' || origin === 'null',
      credentials: true,
    }),
    '/failing': withCors({
      origins: () => {
        throw new Error('The origins are not there')
      },
      credentials: true,
    }),
  },
})

let port = 0

async function trusts(headers: Record<string, string>, section = 'bare', method = 'POST'): Promise<boolean> {
  const { body } = await askWire(port, { method, target: `/${section}/page`, headers })
  return body === 'true'
}

const OWN = 'http://localhost'
const FOREIGN = ['https://localhost', 'http://localhost:8080', 'http://evil.example', 'http://a.localhost']
const BAD = ['null', '', 'http://localhost.evil.example', `${OWN}, ${OWN}`, 'localhost', `${OWN}/`]

describe('isFromTrustedPage()', () => {
  before(async () => ({ port } = await app.listen({ port: 0, host: '127.0.0.1' })))
  after(() => app.close())

  it('trusts Sec-Fetch-Site: same-origin and none', async () => {
    for (const site of ['same-origin', 'none']) {
      for (const origin of [OWN, ...FOREIGN, ...BAD]) {
        assert.equal(await trusts({ 'sec-fetch-site': site, origin }), true, `${site} ${origin}`)
      }
      assert.equal(await trusts({ 'sec-fetch-site': site }), true, site)
    }
  })

  it('compares the origin if Sec-Fetch-Site has another value or is missing', async () => {
    for (const site of ['same-site', 'Same-Origin', 'same-origin, same-origin', 'x', '', undefined]) {
      const fields = site === undefined ? {} : { 'sec-fetch-site': site }
      assert.equal(await trusts({ ...fields, origin: OWN }), true, String(site))
      for (const origin of [...FOREIGN, ...BAD]) {
        assert.equal(await trusts({ ...fields, origin }), false, `${String(site)} ${origin}`)
      }
      assert.equal(await trusts(fields), site === undefined, String(site))
    }
  })

  it('does not trust a cross-site page, even if its origin looks like this host', async () => {
    // Without `trustProxy`, https://localhost behind a TLS proxy is http://localhost here.
    for (const origin of [OWN, ...FOREIGN, ...BAD]) {
      assert.equal(await trusts({ 'sec-fetch-site': 'cross-site', origin }), false, origin)
    }
    assert.equal(await trusts({ 'sec-fetch-site': 'cross-site' }), false)
    const named = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }
    assert.equal(await trusts({ 'sec-fetch-site': 'cross-site', ...named, origin: 'https://app.example' }), false)
  })

  it('trusts credentialed CORS origins, for their methods', async () => {
    const cases: readonly (readonly [section: string, origin: string, isTrusted: boolean])[] = [
      ['open', 'https://app.example', false],
      ['readable', 'https://app.example', false],
      ['listed', 'https://app.example', true],
      ['listed', 'https://a.b.sub.example', true],
      ['listed', 'https://sub.example', false],
      ['listed', 'https://evil.example', false],
      ['asked', 'https://asked.example', true],
      ['asked', 'https://app.example', false],
      ['asked', 'null', false],
      ['failing', 'https://app.example', false],
    ]
    for (const [section, origin, isTrusted] of cases) {
      for (const fields of [{}, { 'sec-fetch-site': 'cross-site' }]) {
        assert.equal(await trusts({ ...fields, origin }, section), isTrusted, `${section} ${origin}`)
      }
    }
    assert.equal(await trusts({ origin: 'https://app.example' }, 'listed', 'GET'), false)
    assert.ok(lines.some(({ message }) => message === 'The "cors.origins" function threw an error'))
  })

  it('uses the scheme and host of a trusted proxy', async () => {
    const named = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }
    assert.equal(await trusts({ ...named, origin: 'https://app.example' }), true)
    assert.equal(await trusts({ ...named, origin: OWN }), false)
    const untrusting = createUntypedApp({ routes: { Page } })
    const { body } = await sendRequest(untrusting, '/page', {
      method: 'POST',
      headers: { ...named, origin: 'https://app.example' },
    })
    assert.equal(body, false)
  })

  it('checks the origin of the request passed to invoke()', async () => {
    class Alone extends Route {
      post() {
        return isTrusted(arguments[0])
      }
    }
    const requestOf = (origin: string): Request => new Request('http://localhost/', { headers: { origin } })
    assert.equal(await invoke(Alone, 'post', { request: requestOf('http://localhost') }), true)
    assert.equal(await invoke(Alone, 'post', { request: requestOf('http://evil.example') }), false)
  })
})
