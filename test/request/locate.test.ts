/** Fallbacks: routes for requests that match no other route. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, Route, type App, type Input, type Middleware } from 'verbena'
import { version } from 'verbena/decorators'
import { testApp } from 'verbena/testing'
import { sendRequest } from '#test/apps.js'
import { testRows, type ExpectedResponse, type Row } from '#test/attack-rows.js'

class Page extends Route {
  static readonly path = '/{path...}'
  static readonly fallback = true
  get({ params }: Input) {
    return params
  }
}

function pageAt(path: string, text: string, fallback = true) {
  return class extends Route {
    static readonly path: string = path
    static readonly fallback: boolean = fallback
    get() {
      return text
    }
  }
}

class Alive extends Route {
  get() {
    return 'alive'
  }
}

class Secret extends Route {
  get() {
    return 'secret'
  }
}

class Orders extends Route {
  static readonly path = '/api/orders/{id}'
  post() {
    return 'ordered'
  }
}

class Files extends Route {
  static readonly path = '/files/{name...}'
  get() {
    return 'file'
  }
}

const tagged: Middleware = async (_context, next) => (await next()).with({ 'x-docs': 'yes' })

function appWithFallbacks(): App {
  const docs = group({ middleware: [tagged], routes: { Docs: pageAt('/{path...}', 'docs') } })
  return createApp({ routes: { Page, Alive, Secret, Orders, Files, '/docs': docs }, logger: false, signals: false })
}

function asked(rule: string, target: string, expect: ExpectedResponse, method = 'GET'): Row {
  return {
    rule: `${rule} ${method} ${target}`,
    source: 'docs/guides/routes.md',
    reach: 'both',
    send: { target, method },
    expect,
  }
}

testRows('fallbacks', appWithFallbacks, [
  asked('responds to', '/some/page', { status: 200, body: { path: 'some/page' } }),
  asked('responds to', '/api/nope', { status: 200, body: { path: 'api/nope' } }),
  asked('responds to', '/some/page', { status: 200, body: '' }, 'HEAD'),
  asked('decodes parameters of', '/some/p%20q', { status: 200, body: { path: 'some/p q' } }),
  asked('rejects an encoded slash in', '/some/a%2Fb', { status: 400, body: /an encoded slash/ }),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    asked('responds 404 to', '/api/nope', { status: 404, headers: { allow: null } }, method),
  ),
  asked('responds 501 to', '/api/nope', { status: 501 }, 'PURGE'),
  asked('responds 405 to', '/api/orders/7', { status: 405, headers: { allow: 'OPTIONS, POST' } }),
  asked('responds 405 to', '/alive', { status: 405 }, 'POST'),
  asked('does not override a wildcard route for', '/files/a/b', { status: 200, body: 'file' }),
  asked('prefers the narrower fallback for', '/docs/intro', {
    status: 200,
    body: 'docs',
    headers: { 'x-docs': 'yes' },
  }),
  asked('does not run middleware of other fallbacks for', '/doc', { status: 200, headers: { 'x-docs': null } }),
  asked('does not match an encoded guarded literal in', '/%73ecret', { status: 404 }),
  asked('does not match a path below an encoded guarded literal in', '/%73ecret/plan', { status: 404 }),
  asked('does not match an encoded literal of another fallback in', '/%64ocs/intro', { status: 404 }),
  asked('does not match empty segments in', '/some//page', { status: 404 }),
  asked('does not match empty segments in', '/some/page//', { status: 404 }),
  asked('does not match the empty path', '/', { status: 404 }),
  asked('ignores a trailing slash in', '/some/page/', { status: 200, body: { path: 'some/page' } }),
  asked('matches a trailing slash that no route matches in', '/alive/', { status: 200, body: { path: 'alive' } }),
])

describe('fallback routes', () => {
  it('lists a fallback in routes(), but not in the document or findings', () => {
    class Wild extends Route {
      static readonly path = '/{area}/tables/{rest...}'
      get() {}
    }
    const app = createApp({ routes: { Alive, Wild, Open: pageAt('/docs/{rest...}', 'open') }, logger: false })
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ['/alive', '/{area}/tables/{rest...}', '/docs/{rest...}'],
    )
    assert.deepEqual(Object.keys(app.openapi().paths), ['/alive', '/{area}/tables/{rest}'])
    // Without fallbacks, "/docs/tables/x" would match the route whose literal comes first.
    assert.deepEqual(new Set(app.check().map(({ code }) => code)), new Set(['RETURNS_MISSING']))
  })

  it('reports overlapping fallbacks', () => {
    const routes = { One: pageAt('/{area}/tables/{rest...}', 'one'), Two: pageAt('/docs/{rest...}', 'two') }
    const [finding] = createApp({ routes, logger: false }).check()
    assert.equal(finding?.code, 'PATHS_OVERLAP')
  })

  it('does not inherit the fallback option', async () => {
    class Other extends pageAt('/{rest...}', 'other') {}
    const app = createApp({ routes: { Other }, logger: false })
    assert.deepEqual(Object.keys(app.openapi().paths), ['/{rest}'])
    const { status } = await sendRequest(app, '/nope', { method: 'POST' })
    assert.equal(status, 405)
  })

  it('accepts fallback: false', async () => {
    const app = createApp({ routes: { Off: pageAt('/{rest...}', 'off', false) }, logger: false })
    const { status } = await sendRequest(app, '/nope', { method: 'POST' })
    assert.equal(status, 405)
  })

  it('negotiates versions of a fallback', async () => {
    class Old extends pageAt('/{path...}', '') {
      static override readonly fallback = true
      @version('1.x') override get() {
        return 'old'
      }
    }
    class New extends pageAt('/{path...}', '') {
      static override readonly fallback = true
      @version('2.x') override get() {
        return 'new'
      }
    }
    const app = createApp({ routes: { Old, New }, versioning: { default: '1.0.0' }, logger: false })
    const given = await sendRequest(app, '/page', { headers: { 'accept-version': '2.0.0' } })
    assert.deepEqual([given.text, given.headers.get('vary')], ['new', 'accept-version'])
    assert.equal((await sendRequest(app, '/page')).text, 'old')
    assert.equal((await sendRequest(app, '/page', { headers: { 'accept-version': '3.0.0' } })).status, 406)
    assert.equal((await sendRequest(app, '/page', { method: 'POST' })).status, 404)
  })

  it('does not override paths of the framework', async () => {
    const app = createApp({ routes: { Page }, metrics: '/metrics', logger: false })
    assert.match((await sendRequest(app, '/openapi.json')).text, /^\{"openapi"/)
    assert.match((await sendRequest(app, '/metrics')).text, /^# TYPE/)
  })

  it('links to fallbacks and requests them in tests like other routes', async () => {
    class Home extends Route {
      get({ request }: Input) {
        return request.href(Page, { path: 'a b/c' })
      }
    }
    await using test = await testApp(createApp({ routes: { Home, '/app': { Page } }, logger: false }))
    const link = await test.fetch('/home')
    const href = await link.text()
    assert.equal(href, '/app/a%20b/c')
    const page = await test.fetch(href)
    assert.deepEqual(await page.json(), { path: 'a b/c' })
    assert.equal((await test.fetch('/else')).status, 404)
    assert.deepEqual(test.report(), [])
  })
})
