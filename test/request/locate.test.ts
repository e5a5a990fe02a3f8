/** Fallbacks: routes that answer only what no other route has. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, Route, type App, type Input, type Middleware } from 'verbena'
import { version } from 'verbena/decorators'
import { testApp } from 'verbena/testing'
import { sendRequest } from '#test/apps.js'
import { testRows, type ExpectedResponse, type Row } from '#test/rows.js'

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
  asked('answer', '/some/page', { status: 200, body: { path: 'some/page' } }),
  asked('answer', '/api/nope', { status: 200, body: { path: 'api/nope' } }),
  asked('answer', '/some/page', { status: 200, body: '' }, 'HEAD'),
  asked('decode parameters of', '/some/p%20q', { status: 200, body: { path: 'some/p q' } }),
  asked('refuse the separators of', '/some/a%2Fb', { status: 400, body: /an encoded slash/ }),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    asked('leave 404 to', '/api/nope', { status: 404, headers: { allow: null } }, method),
  ),
  asked('leave 501 to', '/api/nope', { status: 501 }, 'PURGE'),
  asked('leave 405 to', '/api/orders/7', { status: 405, headers: { allow: 'OPTIONS, POST' } }),
  asked('leave 405 to', '/alive', { status: 405 }, 'POST'),
  asked('leave to wildcards', '/files/a/b', { status: 200, body: 'file' }),
  asked('give way to the narrower one at', '/docs/intro', { status: 200, body: 'docs', headers: { 'x-docs': 'yes' } }),
  asked('stay without the middleware of others at', '/doc', { status: 200, headers: { 'x-docs': null } }),
  asked('do not take the other spelling', '/%73ecret', { status: 404 }),
  asked('do not take, below it, the other spelling', '/%73ecret/plan', { status: 404 }),
  asked('do not take the other spelling of each other', '/%64ocs/intro', { status: 404 }),
  asked('do not take the empty segments of', '/some//page', { status: 404 }),
  asked('do not take the empty segments of', '/some/page//', { status: 404 }),
  asked('do not take the empty path', '/', { status: 404 }),
  asked('take a slash at the end of', '/some/page/', { status: 200, body: { path: 'some/page' } }),
  asked('leave a slash at the end to no route but', '/alive/', { status: 200, body: { path: 'alive' } }),
])

describe('a fallback', () => {
  it('stands in the list of routes, and neither in the document nor among findings', () => {
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
    // As routes of one kind, "/docs/tables/x" would be answered by the one whose literal comes first.
    assert.deepEqual(new Set(app.check().map(({ code }) => code)), new Set(['RETURNS_MISSING']))
  })

  it('competes with other fallbacks as routes do', () => {
    const routes = { One: pageAt('/{area}/tables/{rest...}', 'one'), Two: pageAt('/docs/{rest...}', 'two') }
    const [finding] = createApp({ routes, logger: false }).check()
    assert.equal(finding?.code, 'PATHS_OVERLAP')
  })

  it('is not inherited', async () => {
    class Other extends pageAt('/{rest...}', 'other') {}
    const app = createApp({ routes: { Other }, logger: false })
    assert.deepEqual(Object.keys(app.openapi().paths), ['/{rest}'])
    const { status } = await sendRequest(app, '/nope', { method: 'POST' })
    assert.equal(status, 405)
  })

  it('can be switched off by its class', async () => {
    const app = createApp({ routes: { Off: pageAt('/{rest...}', 'off', false) }, logger: false })
    const { status } = await sendRequest(app, '/nope', { method: 'POST' })
    assert.equal(status, 405)
  })

  it('has versions', async () => {
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

  it('leaves the paths of the framework to it', async () => {
    const app = createApp({ routes: { Page }, metrics: '/metrics', logger: false })
    assert.match((await sendRequest(app, '/openapi.json')).text, /^\{"openapi"/)
    assert.match((await sendRequest(app, '/metrics')).text, /^# TYPE/)
  })

  it('is linked to, and asked by tests, as any other', async () => {
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
