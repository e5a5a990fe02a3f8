import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route, type Context } from 'verbena'
import { assertSetupError, createUntypedApp, sendRequest } from '#test/apps.js'

describe('static fallback', () => {
  function fallbackAt(path: string, fallback: unknown = true) {
    return class extends Route {
      static readonly path: string = path
      static readonly fallback = fallback
      get() {}
    }
  }

  it('rejects values other than true and false', () => {
    const refused = (value: unknown) => () => createUntypedApp({ routes: { Page: fallbackAt('/{path...}', value) } })
    for (const value of ['yes', 1, null]) assertSetupError(refused(value), 'ROUTE_FIELD', 'static fallback of "Page"')
  })

  it('rejects methods other than get in a fallback class', () => {
    class Page extends fallbackAt('/{path...}') {
      static override readonly fallback = true
      delete() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Page } }),
      'ROUTE_FIELD',
      '"Page"',
      'the method "delete"',
      'only handles GET and HEAD',
    )
  })

  it('rejects a fallback whose paths all match another route', () => {
    const routes = { Files: fallbackAt('/{name...}', false), Page: fallbackAt('/{path...}') }
    assertSetupError(
      () => createUntypedApp({ routes }),
      'ROUTE_CONFLICT',
      '"/{path...}" of "Page"',
      '"/{name...}" of "Files"',
    )
  })

  it('rejects two fallbacks for the same paths', () => {
    const routes = { One: fallbackAt('/{name...}'), Two: fallbackAt('/{path...}') }
    assertSetupError(() => createUntypedApp({ routes }), 'ROUTE_CONFLICT', '"Two"', '"One"')
  })

  it('accepts a fallback next to routes with a different template', () => {
    createUntypedApp({
      routes: { One: fallbackAt('/{name}', false), Two: fallbackAt('/{path...}'), Three: fallbackAt('/a/{b...}') },
    })
  })
})

describe("static path = '/'", () => {
  class Org extends Route {
    static readonly prefix = '/orgs/{org}'
    static readonly path = '/'
    get({ request }: Context) {
      return request.href(Org, { org: 'a' })
    }
  }
  class Root extends Route {
    static readonly path = '/'
    get() {
      return 'root'
    }
  }

  it('is the path of the prefix, the section and the group', async () => {
    const app = createUntypedApp({ routes: { Org, Root, '/v1': { Root, Org, '/deep': group({ routes: { Root } }) } } })
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ['/orgs/{org}', '/', '/v1', '/v1/orgs/{org}', '/v1/deep'],
    )
    assert.equal((await sendRequest(app, '/orgs/b')).text, '/orgs/a')
    for (const path of ['/', '/v1', '/v1/deep']) assert.equal((await sendRequest(app, path)).text, 'root')
    assert.equal((await sendRequest(app, '/v1/')).status, 404)
  })

  it('conflicts with the route of the key "/"', () => {
    class Other extends Route {
      get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { '/v1': { '/': Other, Root } } }), 'ROUTE_CONFLICT', '"/v1"')
  })

  it('is invalid after a prefix that ends with a slash', () => {
    class Slashed extends Root {
      static readonly prefix = '/v1/'
    }
    assertSetupError(() => createUntypedApp({ routes: { Slashed } }), 'TEMPLATE_INVALID', '"/v1/"', 'empty segment')
  })
})
