/** `securityHeaders`: one set for pages, and one for all other responses. Headers of the author have priority over both. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, group, reply, Route, type Middleware, type SecurityHeaders } from 'verbena'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

const BOTH = {
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
}
const API = {
  ...BOTH,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
const OF_SETS = [
  ...Object.keys(API),
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'permissions-policy',
]

class Data extends Route {
  static readonly get = this.contract({ etag: true })
  get() {
    return { a: 1 }
  }
  post() {
    throw new Error('as it happens')
  }
  delete() {}
}

/** Creates a route that returns a page with these headers. */
function pageWith(fields: Readonly<Record<string, string>>): typeof Route {
  return class Page extends Route {
    static readonly path = '/page'
    static readonly get = this.contract({ etag: false })
    get() {
      return reply(200, '<p>page', { 'content-type': 'Text/HTML; charset=utf-8', ...fields })
    }
  } as unknown as typeof Route
}

async function headersOf(securityHeaders: SecurityHeaders | undefined, target: string, more: object = {}) {
  const app = createUntypedApp({ routes: { Data, Page: pageWith({}) }, securityHeaders, ...more })
  const { headers } = await sendRequest(app, target)
  return Object.fromEntries([...headers].filter(([name]) => OF_SETS.includes(name) || name === 'cache-control'))
}

describe('app option securityHeaders', () => {
  it('adds the API headers to responses other than pages, including errors and empty responses', async () => {
    const app = createUntypedApp({ routes: { Data }, securityHeaders: 'api', signals: false })
    const { port } = await app.listen()
    const asked = [
      ...[{ target: '/data' }, { target: '/data', method: 'HEAD' }, { target: '/nothing' }, { target: '/%zz' }],
      ...[
        { target: '/data', method: 'DELETE' },
        { target: '/data', method: 'POST' },
        { target: '/data', method: 'PUT' },
      ],
      ...[{ target: '/data', method: 'OPTIONS' }, { target: '/openapi.json' }],
    ]
    for (const request of asked) {
      const { headers } = await askWire(port, request)
      const said = Object.fromEntries(Object.keys(API).map((name) => [name, headers.get(name)]))
      assert.deepEqual(said, API, JSON.stringify(request))
      assert.equal(headers.has('permissions-policy'), false)
    }
    await app.close()
  })

  it('adds the page headers to pages', async () => {
    const {
      'permissions-policy': features,
      'content-security-policy': policy,
      ...page
    } = await headersOf('api', '/page')
    assert.deepEqual(page, {
      ...BOTH,
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    })
    assert.match(policy ?? '', /^default-src 'self';.*frame-ancestors 'none'.*upgrade-insecure-requests$/)
    assert.match(features ?? '', /^[a-z-]+=\((?:self)?\)(?:, [a-z-]+=\((?:self)?\))+$/)
  })

  it('sends no-store unless the author allows caching', async () => {
    const cached = async (set: SecurityHeaders, fields: Readonly<Record<string, string>>) =>
      (await headersOf(set, '/page', { routes: { Page: pageWith(fields) } }))['cache-control']
    assert.equal(await cached('api', {}), 'no-store')
    assert.equal(await cached('api', { 'cache-control': 'max-age=5' }), 'max-age=5')
    for (const name of ['etag', 'last-modified', 'expires'])
      assert.equal(await cached('api', { [name]: '"x"' }), undefined)
    assert.equal(await cached('html', {}), undefined)
    assert.equal(await cached({ html: { 'cache-control': null } }, {}), undefined)
    assert.equal(await cached({ html: { 'Cache-Control': 'private' } }, { etag: '"x"' }), 'private')
  })

  it('prefers headers of methods and middleware', async () => {
    const own = { 'content-security-policy': "default-src 'self' https://cdn.example", 'x-frame-options': 'SAMEORIGIN' }
    const page = await headersOf('html', '/page', { routes: { Page: pageWith(own) } })
    assert.equal(page['content-security-policy'], own['content-security-policy'])
    const framed: Middleware = async (_, next) => (await next()).with({ 'x-frame-options': 'SAMEORIGIN' })
    const data = await headersOf('api', '/data', { middleware: [framed] })
    assert.deepEqual(data, { ...API, 'x-frame-options': 'SAMEORIGIN' })
  })

  it('accepts changes to both sets of headers', async () => {
    const sets = { api: { 'X-Frame-Options': null, 'cross-origin-resource-policy': 'cross-origin', 'x-own': '1' } }
    const { 'x-frame-options': _, ...rest } = API
    assert.deepEqual(await headersOf(sets, '/data'), { ...rest, 'cross-origin-resource-policy': 'cross-origin' })
    assert.equal((await headersOf(sets, '/page'))['x-frame-options'], 'DENY')
  })

  it('adds no headers to a 304, because they would change the cached page', async () => {
    const app = createUntypedApp({ routes: { Data }, securityHeaders: 'api' })
    const { status, headers } = await sendRequest(app, '/data', { headers: { 'if-none-match': '*' } })
    assert.deepEqual([status, [...headers.keys()]], [304, ['etag']])
  })

  it('applies group options to routes and 404 responses below the path of the group', async () => {
    const routes = {
      Data,
      '/open': group({ securityHeaders: false, routes: { Data } }),
      '/pages': group({ securityHeaders: { api: { 'x-frame-options': 'SAMEORIGIN' } }, routes: { Data } }),
    }
    const framesOf = async (target: string) => (await headersOf('api', target, { routes }))['x-frame-options']
    const found = [await framesOf('/data'), await framesOf('/open/data'), await framesOf('/pages/data')]
    assert.deepEqual(found, ['DENY', undefined, 'SAMEORIGIN'])
    const missing = [await framesOf('/none'), await framesOf('/open/none'), await framesOf('/pages/none')]
    assert.deepEqual(missing, ['DENY', undefined, 'SAMEORIGIN'])
  })

  it('adds headers to streams, generators and bytes', async () => {
    class Streamed extends Route {
      async *get() {
        yield 'one'
      }
    }
    class Bytes extends Route {
      static readonly get = this.contract({ returns: bytes() })
      get() {
        return Buffer.from('x')
      }
    }
    for (const target of ['/streamed', '/bytes']) {
      const headers = await headersOf('api', target, { routes: { Streamed, Bytes } })
      assert.deepEqual(headers, { ...API, 'cache-control': 'no-store' })
    }
  })

  it('does not change the headers of the console', async () => {
    const app = createUntypedApp({ routes: { Data }, securityHeaders: 'html', devConsole: true, signals: false })
    const plain = createUntypedApp({ routes: { Data }, devConsole: true, signals: false })
    const policies: (string | undefined)[] = []
    for (const each of [app, plain]) {
      const { port } = await each.listen()
      const { headers } = await askWire(port, { target: '/__dev__', headers: { host: `127.0.0.1:${port}` } })
      policies.push(headers.get('content-security-policy')?.replace(/(?:nonce|sha256)-[^']+/g, ''))
      assert.equal(headers.has('permissions-policy'), false)
      await each.close()
    }
    assert.equal(policies[0], policies[1])
  })
})
