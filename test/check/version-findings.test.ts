import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type AnyRoute, type Finding } from 'verbena'
import { version } from 'verbena/decorators'
import { createUntypedApp } from '#test/apps.js'

function route(constraint: string): AnyRoute {
  return class extends Route {
    static readonly path = '/users'
    static readonly decorators = [version(constraint)]
    static readonly get = this.contract({ returns: null })
    async get() {}
  }
}

function findings(routes: object, versioning: object = { default: '1.0.0' }): Finding[] {
  return createUntypedApp({ version: '2.0.0', routes, versioning }).check()
}

describe('app.check() on versions', () => {
  it('finds nothing where all is said', () => {
    assert.deepEqual(findings({ A: route('1.x'), B: route('>=2') }), [])
    assert.deepEqual(findings({}, {}), [])
    class Plain extends Route {
      static readonly get = this.contract({ returns: null })
      async get() {}
    }
    assert.deepEqual(findings({ Plain }, {}), [])
  })

  it('advises to pin the default, once', () => {
    class Plain extends Route {
      static readonly get = this.contract({ returns: null })
      async get() {}
    }
    const [finding, ...others] = findings({ Plain, A: route('1.x'), B: route('>=2') }, {})
    assert.deepEqual(others, [])
    assert.deepEqual(finding, {
      code: 'VERSION_UNPINNED',
      route: 'A',
      method: 'GET',
      message: 'Requests that name no version get that of the app, "2.0.0": each release would move these clients',
      fix: "Pin it: versioning: { default: '2.0.0' }",
    })
  })

  it('names each gap between the constraints on one path', () => {
    const found = findings({ A: route('1.x'), B: route('>=3 <3.5'), C: route('>=4') })
    assert.deepEqual(
      found.map(({ code, route, method, message }) => [code, route, method, message]),
      [
        ['VERSION_GAP', 'B', 'GET', 'Versions >=2.0.0 <3.0.0 of "GET /users" are answered by no class'],
        ['VERSION_GAP', 'B', 'GET', 'Versions >=3.5.0 <4.0.0 of "GET /users" are answered by no class'],
      ],
    )
    assert.equal(found[0]?.fix, 'Widen one of "1.x", ">=3 <3.5", ">=4"')
  })

  it('finds gaps whatever the order of the classes, and those of dates', () => {
    assert.equal(findings({ B: route('>=3'), A: route('1.x') }).length, 1)
    const dates = { A: route('<=2025-12-31'), B: route('>=2026-01-02') }
    const [gap, ...others] = findings(dates, { default: '2025-01-01' })
    assert.deepEqual([gap?.message, others], ['Versions 2026-01-01 of "GET /users" are answered by no class', []])
  })

  it('takes what one constraint leaves out for meant, and other methods and paths for others', () => {
    assert.deepEqual(findings({ A: route('1.x || 3.x') }), [])
    class Posts extends Route {
      static readonly path = '/users'
      static readonly post = this.contract({ returns: null })
      @version('5.x')
      async post() {}
    }
    assert.deepEqual(findings({ A: route('1.x'), Posts, '/v2': { B: route('3.x') } }), [])
  })
})
