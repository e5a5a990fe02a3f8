/** The option `cors` of groups. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, Route, type CorsOptions } from 'verbena'
import { version } from 'verbena/decorators'
import { assertSetupError, createUntypedApp, looseGroup } from '#test/apps.js'
import { cors, Lines, Notes, OTHER, PAGE, preflight, sendForCors, SHARED, Ticks } from '#test/cors.js'

describe('group option cors', () => {
  const inner: CorsOptions = { origins: [OTHER] }
  const routes = {
    Notes,
    '/api': group({ cors: inner, routes: { Lines, '/deep': group({ cors: false, routes: { Ticks } }) } }),
    '/orgs/{org}': group({ cors: inner, routes: { named: group({ tags: ['x'], routes: { Ticks } }) } }),
  }
  const from = (target: string, origin: string) => sendForCors({ routes }, target, { headers: { origin } })
  const shares = async (target: string, origin: string) =>
    (await from(target, origin))[1]['access-control-allow-origin'] === origin

  it('replaces the CORS options of outer groups and the app for routes of the group', async () => {
    assert.deepEqual([await shares('/notes', PAGE), await shares('/notes', OTHER)], [true, false])
    assert.deepEqual([await shares('/api/lines', PAGE), await shares('/api/lines', OTHER)], [false, true])
    assert.deepEqual(await from('/api/deep/ticks', OTHER), [200, {}])
    assert.deepEqual([await shares('/orgs/a/ticks', PAGE), await shares('/orgs/a/ticks', OTHER)], [false, true])
  })

  it('disables CORS for an empty array of origins, as for false', async () => {
    const empty: CorsOptions = { origins: [], credentials: true }
    const own = { routes: { Notes, '/api': group({ cors: empty, routes: { Lines } }) } }
    assert.deepEqual(await sendForCors(own, '/notes'), [200, SHARED])
    assert.deepEqual(await sendForCors(own, '/api/lines'), [200, {}])
    assert.deepEqual(await sendForCors(own, '/api/lines', preflight('GET')), [204, {}])
    assert.deepEqual(await sendForCors(own, '/api/none', preflight('GET')), [404, {}])
  })

  it('applies to 404 responses below the path of the group', async () => {
    const other = ['/api', '/api/', '/api/x', '/api/x/y', '/api//', '/orgs/a', '/orgs/a/x', '/api/lines/']
    const page = ['/', '/x', '/apis', '/orgs', '/orgs//x', '/API/x', '/%61pi/x', '/orgs/']
    for (const target of other)
      assert.deepEqual(await from(target, OTHER), [404, { ...SHARED, 'access-control-allow-origin': OTHER }], target)
    for (const target of page) assert.deepEqual(await from(target, PAGE), [404, SHARED], target)
    assert.deepEqual(await from('/api/deep/x', OTHER), [404, {}])
    assert.deepEqual(await from('/api/deep/x', PAGE), [404, {}])
  })

  it('applies to all paths if the group has the path /', async () => {
    const own = { routes: { '/': group({ cors: inner, routes: { Lines } }) } }
    const fromOther = { headers: { origin: OTHER } }
    for (const [target, status] of [
      ['/lines', 200],
      ['/none', 404],
    ] as const) {
      assert.deepEqual(await sendForCors(own, target, fromOther), [
        status,
        { ...SHARED, 'access-control-allow-origin': OTHER },
      ])
    }
  })

  it('responds to preflights below the path of the group', async () => {
    const allowed = async (target: string, origin: string) => {
      const [status, said] = await sendForCors({ routes }, target, preflight('PUT', origin))
      return [status, said['access-control-allow-origin']]
    }
    assert.deepEqual(await allowed('/api/x', OTHER), [204, OTHER])
    assert.deepEqual(await allowed('/api/x', PAGE), [204, undefined])
    assert.deepEqual(await allowed('/x', PAGE), [204, PAGE])
    assert.deepEqual(await allowed('/api/deep/x', OTHER), [404, undefined])
  })

  it('rejects classes with the same path and different CORS options', () => {
    class Old extends Route {
      static readonly path = '/things'
      @version('<2.0.0')
      get() {}
    }
    class New extends Old {
      @version('>=2.0.0')
      override get() {}
    }
    const appOf = (one: unknown, other: unknown) =>
      createUntypedApp({
        routes: { a: looseGroup({ cors: one, routes: { Old } }), b: looseGroup({ cors: other, routes: { New } }) },
      })
    assertSetupError(
      () => appOf(cors, inner),
      'ROUTE_CONFLICT',
      '"/things" of "New"',
      'different "cors"',
      'the same "cors"',
    )
    assertSetupError(() => appOf(cors, false), 'ROUTE_CONFLICT')
    assert.doesNotThrow(() => appOf({ origins: [PAGE] }, { origins: [PAGE] }))
    assert.doesNotThrow(() => appOf(false, undefined))
  })
})
