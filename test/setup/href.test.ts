import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route, type Context, type Linkable, type QueryValues } from 'verbena'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'

class Users extends Route {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/users/{id}'
  get() {}
}
class Files extends Route {
  static readonly path = '/files/{path...}'
  get() {}
}
class Home extends Route {
  get() {}
}
class Stranger extends Route {
  get() {}
}

/** Returns the result of `href` in an app with these classes; the logged error if it throws. */
async function linkTo(route: Linkable, params: object, query?: QueryValues): Promise<string> {
  const { logger, lines } = captureLog()
  class Linker extends Route {
    get({ request }: Context) {
      const { href }: { href: unknown } = { href: request.href.bind(request) }
      // Proof: tests pass parameters that the types reject.
      return (href as (route: Linkable, params: object, query?: QueryValues) => string)(route, params, query)
    }
  }
  const routes = { Linker, '/api': { '/v1': group({ routes: { Users, Files } }) }, Home, '/again': { Home } }
  const { status, text } = await sendRequest(createUntypedApp({ routes, logger }), '/linker')
  return status === 200 ? text : String(lines[0]?.fields['err'])
}

const LINKS: readonly (readonly [route: Linkable, params: object, query: QueryValues | undefined, link: string])[] = [
  [Users, { org: 'acme', id: '7' }, undefined, '/api/v1/orgs/acme/users/7'],
  [Users, { org: 'a/b?c#d', id: 'é %' }, undefined, '/api/v1/orgs/a%2Fb%3Fc%23d/users/%C3%A9%20%25'],
  [Users, { org: 'acme', id: 7 }, {}, '/api/v1/orgs/acme/users/7'],
  [Users, { org: true, id: new Date(0) }, undefined, '/api/v1/orgs/true/users/1970-01-01T00%3A00%3A00.000Z'],
  [Users, { org: 'acme', id: '7', more: 'x' }, undefined, '/api/v1/orgs/acme/users/7'],
  [Files, { path: 'a b/ü/c' }, undefined, '/api/v1/files/a%20b/%C3%BC/c'],
  [Home, {}, undefined, '/home'],
  [
    Home,
    {},
    { q: 'a&b=c', n: 7, on: true, list: ['x', 1, false], none: undefined },
    '/home?q=a%26b%3Dc&n=7&on=true&list=x&list=1&list=false',
  ],
  [Home, {}, { 'a b&': '+' }, '/home?a%20b%26=%2B'],
  [Home, {}, { none: undefined, empty: [] }, '/home'],
]

const BAD: readonly (readonly [about: string, route: Linkable, params: object, says: RegExp])[] = [
  ['a class of another app', Stranger, {}, /Cannot link to "Stranger": it is not registered in this app/],
  ['a missing parameter', Users, { org: 'acme' }, /"id"/],
  ['an undefined parameter', Users, { org: 'acme', id: undefined }, /"id"/],
  ['a parameter that is null', Users, { org: 'acme', id: null }, /"id"/],
  ['an empty parameter', Users, { org: '', id: '7' }, /"org"/],
  ['a parameter with dot segments, which clients would remove', Users, { org: '..', id: '7' }, /"org"/],
]

describe('request.href()', () => {
  for (const [route, params, query, link] of LINKS) {
    it(`returns ${link}`, async () => assert.equal(await linkTo(route, params, query), link))
  }

  for (const [about, route, params, says] of BAD) {
    it(`rejects ${about}`, async () => assert.match(await linkTo(route, params), says))
  }

  it('omits null and undefined in lists of the query', async () => {
    // Proof: plain JavaScript can pass these values.
    const query = { list: ['x', null, undefined], none: null } as unknown as QueryValues
    assert.equal(await linkTo(Home, {}, query), '/home?list=x')
  })

  it('returns a path that matches the linked route', async () => {
    class Echo extends Route {
      static readonly path = '/echo/{id}'
      get({ params, request }: Context & { params: Record<string, string> }) {
        return request.href(Echo, { id: params['id'] ?? '' }, { q: '1' })
      }
    }
    const app = createUntypedApp({ routes: { '/v1': { Echo } } })
    const link = '/v1/echo/a%2Fb%20%C3%BC'
    assert.equal((await sendRequest(app, link)).text, `${link}?q=1`)
  })
})
