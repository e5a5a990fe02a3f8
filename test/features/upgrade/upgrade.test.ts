/** What an upgrade is to an app: its place, its needs, and what is refused when it is made. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, bytes, createApp, group, precondition, provide, Route, SetupError } from 'verbena'
import type { Meta, Middleware, SetupCode } from 'verbena'
import { log, version } from 'verbena/decorators'
import { override, testApp } from 'verbena/testing'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'

const nothing = upgrade({}, () => {})
// Proof: the parameters are what the types narrow; at run time they are anything.
const loose = upgrade as unknown as (...given: readonly unknown[]) => object

class Live extends Route {
  get() {
    return 'plain'
  }
}

function assertRefused(task: () => unknown, code: SetupCode, says: RegExp): void {
  assert.throws(task, (error) => {
    assert.ok(error instanceof SetupError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, says)
    return true
  })
}

function pathsOf(routes: object): string[] {
  return createUntypedApp({ routes })
    .routes()
    .map(({ path, upgrade: protocol = 'none' }) => `${path} ${protocol}`)
}

describe('upgrade()', () => {
  it('stands under a path, or a name, in groups and sections', () => {
    const routes = {
      '/': nothing,
      '/live': nothing,
      LiveNews: nothing,
      Rooms: upgrade({ path: '/rooms/{room}', protocol: 'Chat' }, () => {}),
      '/v1': { '/': nothing, '/talks/{id}': upgrade({ path: '/raw' }, () => {}) },
      '/v2': group({ routes: { Other: nothing } }),
    }
    assert.deepEqual(pathsOf(routes), [
      '/ websocket',
      '/live websocket',
      '/live-news websocket',
      '/rooms/{room} chat',
      '/v1 websocket',
      '/v1/talks/{id}/raw websocket',
      '/v2/other websocket',
    ])
  })

  it('is listed among the endpoints, as a GET, and the others as before', () => {
    const tagged = group({ tags: ['b'], routes: { '/talk': upgrade({ tags: ['a'] }, () => {}) } })
    const [plain, listed] = createApp({ routes: { Live, '/v1': tagged } }).routes()
    assert.ok(plain !== undefined && !('upgrade' in plain))
    const { contract: _, ...shown } = listed ?? assert.fail()
    assert.deepEqual(shown, {
      ...{ route: '/talk', verb: 'get', method: 'GET', path: '/v1/talk' },
      ...{ tags: ['b', 'a'], version: undefined, upgrade: 'websocket' },
    })
  })

  it('is not in the document, and no finding', () => {
    const app = createApp({ routes: { Live, '/x': nothing, '/live': nothing } })
    assert.deepEqual(Object.keys(app.openapi().paths), ['/live'])
    assert.deepEqual(
      app.check().map(({ code, route }) => [code, route]),
      [['RETURNS_MISSING', 'Live']],
    )
  })

  it('shares a path with one class, and not with another upgrade', () => {
    assert.deepEqual(pathsOf({ Live, '/live': nothing }), ['/live none', '/live websocket'])
    assertRefused(() => pathsOf({ Live: nothing, '/live': nothing }), 'ROUTE_CONFLICT', /"\/live" of "\/live"/)
    class Other extends Route {
      static readonly path = '/rooms/{id}'
      get() {}
    }
    const same = { Other, '/rooms/{room}': nothing }
    assertRefused(() => pathsOf(same), 'ROUTE_CONFLICT', /"\/rooms\/\{id\}" of "Other" matches the same requests/)
  })

  it('answers 426 without a socket', async () => {
    const { fetch } = await testApp(createApp({ routes: { '/talk': nothing } }))
    const headers = { upgrade: 'websocket', connection: 'upgrade' }
    const answer = await fetch('/talk', { headers })
    assert.equal(answer.status, 426)
    assert.deepEqual([answer.headers.get('upgrade'), answer.headers.get('connection')], ['websocket', 'upgrade'])
    const options = await fetch('/talk', { method: 'OPTIONS' })
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  it('has the middleware of app and groups around the 426', async () => {
    const seen: string[] = []
    const noting =
      (name: string): Middleware =>
      (_, next) => {
        seen.push(name)
        return next()
      }
    const inner = group({ middleware: [noting('group')], routes: { '/talk': nothing } })
    const app = createApp({ middleware: [noting('app')], routes: { '/v1': inner } })
    const answer = await app.fetch(new Request('http://localhost/v1/talk'))
    assert.equal(answer.status, 426)
    assert.deepEqual(seen, ['app', 'group'])
  })

  it('takes decorators, and data of the author', () => {
    const meta: Meta = Object.freeze({})
    const marked = upgrade({ decorators: [log({ level: 'debug' })], meta }, () => {})
    const [endpoint] = createApp({ routes: { '/talk': marked } }).routes()
    assert.equal(endpoint?.contract?.meta, meta)
  })

  const REFUSED: readonly (readonly [what: string, given: readonly unknown[], says: RegExp, code?: SetupCode])[] = [
    ['needs that are no record', [null, () => {}], /its needs are no record\. Write "upgrade/],
    ['no handler', [{}], /second argument is not a function/],
    ['a body', [{ body: z.string() }, () => {}], /has no body\. Leave "body" out$/],
    ['the bytes of a body', [{ rawBody: true }, () => {}], /has no body\. Leave "rawBody" out$/],
    ['an unknown key', [{ use: {} }, () => {}], /unknown key "use"\. Did you mean "uses"\?/],
    ['a path that is no text', [{ path: 1 }, () => {}], /"path" is not a string/],
    ['a protocol that is no token', [{ protocol: 'a b' }, () => {}], /"protocol" is no token/],
    ['a protocol that is no text', [{ protocol: 1 }, () => {}], /"protocol" is no token/],
    ['origins that are none', [{ origins: 'app.example' }, () => {}], /"origins" has "app\.example", .*"https:\/\/app/],
    ['what is no schema', [{ params: 1 }, () => {}], /it is a number, not a schema/, 'SCHEMA_INVALID'],
    ['what is no provider', [{ uses: { a: 1 } }, () => {}], /"a" is not a provider/, 'USES_INVALID'],
    ['what is no decorator', [{ decorators: [1] }, () => {}], /entry 0 is no decorator/, 'DECORATOR_INVALID'],
    ['tags that are no list', [{ tags: 1 }, () => {}], /"tags" is not an array/, 'CONTRACT_INVALID'],
  ]
  for (const [what, given, says, code = 'UPGRADE_INVALID'] of REFUSED) {
    it(`refuses ${what}`, () => assertRefused(() => loose(...given), code, says))
  }

  it('refuses a provider that needs the bytes of a body, also from a group', () => {
    const signed = provide({ rawBody: true }, ({ rawBody }) => rawBody)
    const own = { '/talk': upgrade({ uses: { signed } }, () => {}) }
    assertRefused(
      () => createApp({ routes: own }),
      'USES_INVALID',
      /"\/talk\.get": .*request for an upgrade has no body/,
    )
    const above = { '/v1': group({ uses: { signed }, routes: { '/talk': nothing } }) }
    assertRefused(() => createApp({ routes: above }), 'USES_INVALID', /"signed" needs "rawBody"/)
  })

  it('refuses a template that is malformed, by its key', () => {
    assertRefused(() => pathsOf({ '/a/:b': nothing }), 'TEMPLATE_INVALID', /"\/a\/:b" of "\/a\/:b"/)
  })
})

describe('an app with upgrades', () => {
  it('replaces their providers for a test', async () => {
    const user = bearer(() => 'ada')
    const app = createApp({ routes: { '/talk': upgrade({ uses: { user } }, () => {}) } })
    const { fetch } = await testApp(app, { override: [override(user, () => 'ben')] })
    assert.equal((await fetch('/talk')).status, 426)
  })

  it('keeps versions, kinds and preconditions of the class at the same path', async () => {
    const revision = precondition({}, () => 1)
    class Versioned extends Route {
      static readonly path = '/talk'
      static readonly get = this.contract({ returns: bytes(), uses: { revision } })
      @version('>=1')
      get() {
        return new Uint8Array([65])
      }
    }
    const app = createApp({ version: '1.0.0', routes: { Versioned, '/talk': nothing } })
    const answer = await app.fetch(new Request('http://localhost/talk'))
    assert.deepEqual([answer.status, answer.headers.get('api-version'), await answer.text()], [200, '1.0.0', 'A'])
    const old = await app.fetch(new Request('http://localhost/talk', { headers: { 'accept-version': '0.1.0' } }))
    assert.equal(old.status, 406)
  })
})
