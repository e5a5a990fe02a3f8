/** `upgrade()`: its path in the app, its options and setup errors. */
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
// Proof: only the types narrow the parameters; at run time the function checks any argument.
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
  it('registers an upgrade by path or name, in groups and sections', () => {
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

  it('lists an upgrade in app.routes() as a GET, and leaves other endpoints unchanged', () => {
    const tagged = group({ tags: ['b'], routes: { '/talk': upgrade({ tags: ['a'] }, () => {}) } })
    const [plain, listed] = createApp({ routes: { Live, '/v1': tagged } }).routes()
    assert.ok(plain !== undefined && !('upgrade' in plain))
    const { contract: _, ...shown } = listed ?? assert.fail()
    assert.deepEqual(shown, {
      ...{ route: '/talk', verb: 'get', method: 'GET', path: '/v1/talk' },
      ...{ tags: ['b', 'a'], version: undefined, upgrade: 'websocket' },
    })
  })

  it('adds nothing to the OpenAPI document and no finding of app.check()', () => {
    const app = createApp({ routes: { Live, '/x': nothing, '/live': nothing } })
    assert.deepEqual(Object.keys(app.openapi().paths), ['/live'])
    assert.deepEqual(
      app.check().map(({ code, route }) => [code, route]),
      [['RETURNS_MISSING', 'Live']],
    )
  })

  it('allows one class at the same path, but not another upgrade', () => {
    assert.deepEqual(pathsOf({ Live, '/live': nothing }), ['/live none', '/live websocket'])
    assertRefused(() => pathsOf({ Live: nothing, '/live': nothing }), 'ROUTE_CONFLICT', /"\/live" of "\/live"/)
    class Other extends Route {
      static readonly path = '/rooms/{id}'
      get() {}
    }
    const same = { Other, '/rooms/{room}': nothing }
    assertRefused(() => pathsOf(same), 'ROUTE_CONFLICT', /"\/rooms\/\{id\}" of "Other" matches the same requests/)
  })

  it('responds 426 without a socket', async () => {
    const { fetch } = await testApp(createApp({ routes: { '/talk': nothing } }))
    const headers = { upgrade: 'websocket', connection: 'upgrade' }
    const answer = await fetch('/talk', { headers })
    assert.equal(answer.status, 426)
    assert.deepEqual([answer.headers.get('upgrade'), answer.headers.get('connection')], ['websocket', 'upgrade'])
    const options = await fetch('/talk', { method: 'OPTIONS' })
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  it('runs the middleware of app and groups for a 426', async () => {
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

  it('accepts decorators and metadata', () => {
    const meta: Meta = Object.freeze({})
    const marked = upgrade({ decorators: [log({ level: 'debug' })], meta }, () => {})
    const [endpoint] = createApp({ routes: { '/talk': marked } }).routes()
    assert.equal(endpoint?.contract?.meta, meta)
  })

  const REFUSED: readonly (readonly [what: string, given: readonly unknown[], says: RegExp, code?: SetupCode])[] = [
    ['needs that are not an object', [null, () => {}], /the options of upgrade\(\): they must be an object, not null/],
    ['no handler', [{}], /"handler" of upgrade\(\): it must be a function/],
    ['"body"', [{ body: z.string() }, () => {}], /"body" of upgrade\(\): .* has no body\. Remove the option$/],
    ['"rawBody"', [{ rawBody: true }, () => {}], /"rawBody" of upgrade\(\): .* has no body\. Remove the option$/],
    ['an unknown key', [{ use: {} }, () => {}], /"use" of upgrade\(\): it is unknown\. Did you mean "uses"\?/],
    ['a path that is not a string', [{ path: 1 }, () => {}], /"path" of upgrade\(\): it must be a string/],
    [
      'a protocol that is not a token',
      [{ protocol: 'a b' }, () => {}],
      /"protocol" of upgrade\(\): it must be an HTTP token/,
    ],
    [
      'a protocol that is not a string',
      [{ protocol: 1 }, () => {}],
      /"protocol" of upgrade\(\): it must be an HTTP token/,
    ],
    [
      'malformed origins',
      [{ origins: 'app.example' }, () => {}],
      /"origins" of upgrade\(\): it contains "app\.example", .*"https:\/\/app/,
    ],
    ['an invalid schema', [{ params: 1 }, () => {}], /"params" of upgrade\(\): it must be a schema .*, not 1\./],
    ['an invalid provider', [{ uses: { a: 1 } }, () => {}], /"a" must be a provider/, 'USES_INVALID'],
    ['an invalid decorator', [{ decorators: [1] }, () => {}], /entry 0 is not a decorator/, 'DECORATOR_INVALID'],
    ['tags that are not a list', [{ tags: 1 }, () => {}], /"tags" of .*: it must be an array/],
  ]
  for (const [what, given, says, code = 'OPTION_INVALID'] of REFUSED) {
    it(`rejects ${what}`, () => assertRefused(() => loose(...given), code, says))
  }

  it('rejects a provider with "rawBody" of the upgrade or its group', () => {
    const signed = provide({ rawBody: true }, ({ rawBody }) => rawBody)
    const own = { '/talk': upgrade({ uses: { signed } }, () => {}) }
    assertRefused(() => createApp({ routes: own }), 'USES_INVALID', /"\/talk\.get": .*an upgrade request has no body/)
    const above = { '/v1': group({ uses: { signed }, routes: { '/talk': nothing } }) }
    assertRefused(() => createApp({ routes: above }), 'USES_INVALID', /"signed" needs "rawBody"/)
  })

  it('rejects a malformed path template and names its key', () => {
    assertRefused(() => pathsOf({ '/a/:b': nothing }), 'TEMPLATE_INVALID', /"\/a\/:b" of "\/a\/:b"/)
  })
})

describe('upgrade() in an app', () => {
  it('supports override() of its providers in tests', async () => {
    const user = bearer(() => 'ada')
    const app = createApp({ routes: { '/talk': upgrade({ uses: { user } }, () => {}) } })
    const { fetch } = await testApp(app, { override: [override(user, () => 'ben')] })
    assert.equal((await fetch('/talk')).status, 426)
  })

  it('does not affect versions, body kinds and preconditions of a class at the same path', async () => {
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
