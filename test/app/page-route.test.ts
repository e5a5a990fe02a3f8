import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, HttpError, Route } from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { assertSetupError, createUntypedApp, sendRequest } from '#test/apps.js'
import { PAGE_POLICY } from '#src/reference/policy.js'

class Things extends Route {
  static readonly get = this.contract({ summary: 'List things' })
  get() {}
}

const PAGE = { page: '/docs' }

/** Runs a function with another `NODE_ENV`. */
function withMode<T>(mode: string, act: () => T): T {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = mode
  try {
    return act()
  } finally {
    process.env['NODE_ENV'] = before
  }
}

describe('openapi.page', () => {
  it('responds with a page under a policy that allows only its own style and script', async () => {
    const app = createUntypedApp({ routes: { Things }, openapi: PAGE })
    const { status, headers, text } = await sendRequest(app, '/docs')
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.deepEqual([headers.get('content-security-policy'), headers.get('cache-control')], [PAGE_POLICY, 'no-cache'])
    assert.deepEqual(
      [headers.get('x-content-type-options'), headers.get('referrer-policy'), headers.get('vary')],
      ['nosniff', 'no-referrer', null],
    )
    assert.match(text, /^<!doctype html>\n<html lang="en" data-served>/)
    assert.match(text, /List things[^]*await api\('\/things'\)\.get\(\)[^]*<\/html>\n$/)
    assert.match(text, /<a href="\/openapi\.json">/)
    assert.doesNotMatch(text, /__dev__/)
    assert.equal((await sendRequest(app, '/docs')).text, text)
  })

  it('has no page without the option', async () => {
    for (const openapi of [undefined, false, {}] as const) {
      assert.equal((await sendRequest(createUntypedApp({ routes: { Things }, openapi }), '/docs')).status, 404)
    }
  })

  it('responds 304 if If-None-Match matches', async () => {
    const app = createUntypedApp({ routes: { Things }, openapi: PAGE })
    const etag = (await sendRequest(app, '/docs')).headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{43}"$/)
    const { status, text } = await sendRequest(app, '/docs', { headers: { 'if-none-match': etag } })
    assert.deepEqual([status, text], [304, ''])
    const head = await sendRequest(app, '/docs', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag])
  })

  it('keeps its policy with security headers, and can be compressed', async () => {
    const app = createUntypedApp({
      routes: { Things },
      openapi: PAGE,
      securityHeaders: 'api',
      compression: { threshold: 1 },
    })
    const { headers } = await sendRequest(app, '/docs', { headers: { 'accept-encoding': 'gzip' } })
    assert.deepEqual([headers.get('content-security-policy'), headers.get('content-encoding')], [PAGE_POLICY, 'gzip'])
  })

  it('runs the guards of the document', async () => {
    const user = bearer((token: string) => (token === 'right' ? 'Ann' : null))
    const app = createUntypedApp({ routes: { Things }, openapi: { ...PAGE, uses: { user } } })
    assert.equal((await sendRequest(app, '/docs')).status, 401)
    assert.equal((await sendRequest(app, '/docs', { headers: { authorization: 'Bearer right' } })).status, 200)
  })

  it('lists what changed since the version before', async () => {
    class Things1 extends Route {
      static readonly path = '/things'
      @version('1.x')
      get() {}
    }
    class Things2 extends Route {
      static readonly path = '/things'
      @version('2.x')
      @deprecated()
      get() {}
    }
    class Others extends Route {
      @version('>=3')
      get() {}
    }
    const app = createUntypedApp({
      routes: { Things1, Things2, Others },
      openapi: PAGE,
      versioning: { default: '1.0.0' },
    })
    const changes = async (name: string): Promise<string | undefined> =>
      /<section id="changes">[^]*?<\/section>/
        .exec((await sendRequest(app, `/docs?version=${name}`)).text)?.[0]
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
    assert.equal(await changes('1.0.0'), undefined)
    assert.equal(await changes('2.0.0'), 'Changes since 1.0.0 changed GET /things Things2.get New deprecation')
    assert.equal(
      await changes('3.0.0'),
      'Changes since 2.0.0 new GET /others Others.get removed GET /things Things2.get',
    )
  })

  it('is in the finding DOCUMENT_OPEN, also if a route has the path of the document', async () => {
    const user = bearer(() => 'Ann')
    class Own extends Route {
      static readonly path = '/openapi.json'
      static readonly uses = { user }
      get() {}
    }
    const routes = { Own }
    const codes = (openapi: object) =>
      createUntypedApp({ routes, openapi })
        .check()
        .map(({ code }) => code)
    assert.ok(codes(PAGE).includes('DOCUMENT_OPEN'))
    assert.ok(!codes({ ...PAGE, public: true }).includes('DOCUMENT_OPEN'))
    assert.ok(!codes({}).includes('DOCUMENT_OPEN'))
    const app = createUntypedApp({ routes, openapi: { ...PAGE, public: true } })
    assert.doesNotMatch((await sendRequest(app, '/docs')).text, /href="\/openapi\.json"/)
  })

  it('rejects an invalid path, and the path of a route', () => {
    const app = (page: unknown) => () => createUntypedApp({ routes: { Things }, openapi: { page } })
    assertSetupError(app('docs/{id}'), 'OPTION_INVALID', /"openapi\.page".*'\/docs'/)
    assertSetupError(app('/things'), 'ROUTE_CONFLICT', /things/)
  })
})

describe('openapi.page: versions', () => {
  class PricesV1 extends Route {
    static readonly path = '/prices'
    @version('1.x')
    get() {}
  }
  class PricesV2 extends Route {
    static readonly path = '/prices'
    @version('2.x')
    get() {}
  }
  const app = () => createUntypedApp({ routes: { PricesV1, PricesV2 }, version: '2.0.0', openapi: PAGE })
  const idsIn = (text: string) => ['PricesV1.get', 'PricesV2.get'].filter((id) => text.includes(`id="${id}"`))

  it('has a page for each version, with links to the others', async () => {
    const both = /<a href="\?version=1\.0\.0">1\.0\.0<\/a><a href="\?version=2\.0\.0" aria-current="page">2\.0\.0<\/a>/
    const { text, headers } = await sendRequest(app(), '/docs')
    assert.match(text, both)
    assert.deepEqual([idsIn(text), headers.get('vary')], [['PricesV2.get'], 'accept-version'])
    const one = await sendRequest(app(), '/docs?version=1.0.0')
    assert.deepEqual(idsIn(one.text), ['PricesV1.get'])
    assert.match(one.text, /<a href="\?version=1\.0\.0" aria-current="page">/)
    assert.notEqual(one.headers.get('etag'), headers.get('etag'))
  })

  it('reads the version of the request, and prefers the version of the query', async () => {
    const old = { headers: { 'accept-version': '1.4' } }
    assert.deepEqual(idsIn((await sendRequest(app(), '/docs', old)).text), ['PricesV1.get'])
    assert.deepEqual(idsIn((await sendRequest(app(), '/docs?version=2', old)).text), ['PricesV2.get'])
  })

  it('has no links for an app without versions', async () => {
    const { text } = await sendRequest(
      createUntypedApp({ routes: { Things }, version: 'next', openapi: PAGE }),
      '/docs?version=x',
    )
    assert.doesNotMatch(text, /class="versions"/)
  })

  it('responds 400 for a malformed version', async () => {
    const { status, body } = await sendRequest(app(), '/docs?version=new')
    assert.equal(status, 400)
    assert.match(
      String(Object(body).detail),
      /^The version in the query parameter "version" is malformed\. Send a version such as 1\.4\.0$/,
    )
  })
})

describe('openapi.page: console', () => {
  class Named extends Route {
    static readonly get = this.contract({ operationId: 'listNamed', returns: null })
    get() {
      throw new HttpError(404)
    }
  }

  it('links the forms of the console in development', async () => {
    const app = withMode('development', () => createUntypedApp({ routes: { Named, Things }, openapi: PAGE }))
    const links = (await sendRequest(app, '/docs')).text.match(/href="\/__dev__[^"]*"/g)
    assert.deepEqual(links, ['href="/__dev__#/routes/Named.get"', 'href="/__dev__#/routes/Things.get"'])
  })

  it('has no links in production, without the console, and with a token', async () => {
    const options = { routes: { Named }, openapi: PAGE }
    const apps = [
      withMode('production', () => createUntypedApp(options)),
      withMode('development', () => createUntypedApp({ ...options, devConsole: false })),
      withMode('development', () => createUntypedApp({ ...options, devConsole: { token: 'a token of this test' } })),
    ]
    for (const app of apps) assert.doesNotMatch((await sendRequest(app, '/docs')).text, /__dev__/)
  })
})
