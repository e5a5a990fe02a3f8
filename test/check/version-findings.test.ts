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

describe('app.check(): versions', () => {
  it('reports nothing with a default version and without gaps', () => {
    assert.deepEqual(findings({ A: route('1.x'), B: route('>=2') }), [])
    assert.deepEqual(findings({}, {}), [])
    class Plain extends Route {
      static readonly get = this.contract({ returns: null })
      async get() {}
    }
    assert.deepEqual(findings({ Plain }, {}), [])
  })

  it('reports no missing default version if requests must have one', () => {
    assert.deepEqual(findings({ A: route('1.x'), B: route('>=2') }, { require: true }), [])
  })

  it('reports a function that reads the version without a description for the document', () => {
    const from = () => '1'
    assert.deepEqual(findings({ A: route('1.x'), B: route('>=2') }, { from, default: '1' }), [
      {
        code: 'DOCUMENT_GAP',
        route: 'A',
        method: 'GET',
        message: '"versioning.from" is a function, so the document does not say how requests select a version',
        fix: `Write "versioning: { description: 'Send the version in the query parameter v.' }"`,
      },
    ])
    assert.deepEqual(findings({ A: route('1.x') }, { from, default: '1', description: 'Send v.' }), [])
    assert.deepEqual(findings({ A: route('1.x') }, { from: { mediaType: 'v' }, default: '1' }), [])
    class Hidden extends Route {
      static readonly get = this.contract({ hidden: true, returns: null, decorators: [version('1.x')] })
      async get() {}
    }
    assert.deepEqual(findings({ Hidden }, { from, default: '1' }), [])
    assert.deepEqual(findings({}, { from }), [])
  })

  it('reports a missing default version once', () => {
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
      message:
        'Requests without a version use the app version "2.0.0", so each release moves these clients to a new version',
      fix: `Write "versioning: { default: '2.0.0' }"`,
    })
  })

  it('reports each gap between the constraints of a path', () => {
    const found = findings({ A: route('1.x'), B: route('>=3 <3.5'), C: route('>=4') })
    assert.deepEqual(
      found.map(({ code, route, method, message }) => [code, route, method, message]),
      [
        ['VERSION_GAP', 'B', 'GET', 'No class handles versions >=2.0.0 <3.0.0 of "GET /users"'],
        ['VERSION_GAP', 'B', 'GET', 'No class handles versions >=3.5.0 <4.0.0 of "GET /users"'],
      ],
    )
    assert.equal(found[0]?.fix, 'Widen one of "1.x", ">=3 <3.5", ">=4"')
  })

  it('reports gaps in any order of classes, and between dates', () => {
    assert.equal(findings({ B: route('>=3'), A: route('1.x') }).length, 1)
    const dates = { A: route('<=2025-12-31'), B: route('>=2026-01-02') }
    const [gap, ...others] = findings(dates, { default: '2025-01-01' })
    assert.deepEqual([gap?.message, others], ['No class handles versions 2026-01-01 of "GET /users"', []])
  })

  it('accepts gaps within a constraint, and separates methods and paths', () => {
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
