/** Versions at registration: which classes may share a path, and which defaults can be compared with their constraints. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type AnyRoute } from 'verbena'
import { version } from 'verbena/decorators'
import { assertSetupError, createUntypedApp } from '#test/apps.js'

/** A class with `get` and `post`, each under a constraint or none. */
function route(get: string | undefined, post?: string): AnyRoute {
  const listOf = (text: string | undefined) => (text === undefined ? [] : [version(text)])
  class Made extends Route {
    static readonly path = '/users'
    static readonly get = this.contract({ decorators: listOf(get) })
    static readonly post = this.contract({ decorators: listOf(post) })
    async get() {}
    async post() {}
  }
  if (post === undefined) {
    Reflect.deleteProperty(Made, 'post')
    Reflect.deleteProperty(Made.prototype, 'post')
  }
  return Made
}

function make(routes: object, options: object = {}): () => unknown {
  return () => createUntypedApp({ version: '1.0.0', routes, ...options })
}

describe('versioning.require', () => {
  it('does not compare the version of the app with the constraints', () => {
    const dated = { A: route('<2026-01-01'), B: route('>=2026-01-01') }
    assertSetupError(make(dated), 'OPTION_INVALID', 'cannot be compared')
    assert.doesNotThrow(make(dated, { versioning: { require: true } }))
  })
})

describe('version constraints of a shared path', () => {
  it('accepts classes whose constraints do not overlap in any method', () => {
    for (const routes of [
      { A: route('<2'), B: route('>=2') },
      { A: route('1.x || 3.x'), B: route('2.x'), C: route('>=4') },
      { A: route('<2', '>=2'), B: route('>=2', '<2') },
      { A: route('<2'), B: route('>=2', '*') },
      { A: route('>=2', undefined), B: route('<2') },
    ]) {
      assert.doesNotThrow(make(routes))
    }
  })

  it('accepts a method without a constraint if no other class has the method', () => {
    class Mixed extends Route {
      static readonly path = '/users'
      @version('2.x')
      async get() {}
      async delete() {}
    }
    assert.doesNotThrow(make({ A: route('1.x'), Mixed }))
  })

  for (const [one, other, interval] of [
    ['>=1', '>=2', '>=2.0.0'],
    ['>=1 <2', '>=1.5', '>=1.5.0 <2.0.0'],
    ['1.x', '*', '>=1.0.0 <2.0.0'],
    ['<=1.2.3', '>=1.2.3', '1.2.3'],
    ['1.x || 3.x', '3.1 || 5.x', '>=3.1.0 <3.2.0'],
    ['<=2026-01-01', '>=2026-01-01', '2026-01-01'],
  ] as const) {
    it(`rejects "${one}" and "${other}", which overlap in ${interval}`, () => {
      const says = `"GET /users" of "B": "A" also handles versions ${interval}. Narrow "${other}" or "${one}"`
      assertSetupError(make({ A: route(one), B: route(other) }), 'VERSION_CONFLICT', says)
    })
  }

  it('rejects an overlap in any method and with any earlier class', () => {
    assertSetupError(
      make({ A: route('1.x', '1.x'), B: route('2.x', '1.2') }),
      'VERSION_CONFLICT',
      '"POST /users" of "B"',
    )
    const three = { A: route('1.x'), B: route('2.x'), C: route('1.4') }
    assertSetupError(make(three), 'VERSION_CONFLICT', 'of "C": "A" also handles versions >=1.4.0 <1.5.0')
    assertSetupError(
      make({ A: route('1.x'), others: { B: route('1.x') } }),
      'VERSION_CONFLICT',
      '"A" also handles versions',
    )
  })

  it('rejects a mix of numbers and dates, even in different methods', () => {
    const says = 'its constraint ">=2026-01-01" and "1.x" of "GET /users" of "A" cannot be compared'
    assertSetupError(make({ A: route('1.x'), B: route('>=2026-01-01') }), 'VERSION_CONFLICT', says, 'or only dates')
    assertSetupError(make({ A: route('1.x', '>=2026-01-01') }), 'VERSION_CONFLICT', '"POST /users" of "A"')
  })

  it('rejects a class without any constraint', () => {
    for (const [routes, second, first] of [
      [{ A: route(undefined), B: route(undefined) }, 'B', 'A'],
      [{ A: route('1.x'), B: route(undefined) }, 'B', 'A'],
      [{ A: route(undefined), B: route('1.x') }, 'B', 'A'],
      [{ A: route('1.x'), B: route('2.x'), C: route(undefined) }, 'C', 'A'],
    ] as const) {
      const says = `Cannot register the path "/users" of "${second}": "/users" of "${first}" matches the same requests`
      assertSetupError(make(routes), 'ROUTE_CONFLICT', says, 'add @version to the methods of both')
    }
  })

  it('rejects a method without a constraint if another class has the method', () => {
    class Half extends Route {
      static readonly path = '/users'
      async get() {}
      @version('2.x')
      async post() {}
    }
    for (const routes of [
      { A: route('1.x'), Half },
      { Half, A: route('1.x') },
    ]) {
      const says = '"Half.get" has no version constraint. Add @version to both'
      assertSetupError(make(routes), 'ROUTE_CONFLICT', 'handles it too', says)
    }
    assertSetupError(make({ Half, Other: Half }), 'ROUTE_CONFLICT', '"GET /users" of "Other"')
  })

  it('rejects different parameter names', () => {
    class ById extends Route {
      static readonly path = '/users/{id}'
      @version('1.x')
      async get() {}
    }
    class ByName extends Route {
      static readonly path = '/users/{name}'
      @version('2.x')
      async get() {}
    }
    assertSetupError(make({ ById, ByName }), 'ROUTE_CONFLICT', '"/users/{id}" of "ById" matches the same requests')
    class ByIdLater extends ById {
      @version('3.x')
      override async get() {}
    }
    assertSetupError(make({ ById, ByName, ByIdLater }), 'ROUTE_CONFLICT', '"/users/{id}" of "ById, ByIdLater" matches')
  })
})

describe('default version', () => {
  for (const text of ['2.0.0-beta.1', 'v2', 'latest', '']) {
    it(`rejects the app version "${text}" as the default if endpoints have constraints`, () => {
      const says = `requests without a version use "${text}", which cannot be compared with "1.x" of "GET /users" of "A"`
      const options = { version: text }
      assertSetupError(make({ A: route('1.x') }, options), 'OPTION_INVALID', 'the option "version"', says)
      assert.doesNotThrow(make({ A: route(undefined) }, options))
      assert.doesNotThrow(make({ A: route('1.x') }, { ...options, versioning: { default: '1' } }))
    })
  }

  it('rejects a number as the default of date constraints, and a date as the default of number constraints', () => {
    const dates = { A: route('>=2026-01-01') }
    assertSetupError(make(dates), 'OPTION_INVALID', 'Set "versioning.default" to a date such as 2026-01-31')
    assert.doesNotThrow(make(dates, { versioning: { default: '2026-01-01' } }))
    const pinned = { versioning: { default: '2026-01-01' } }
    assertSetupError(
      make({ A: route('1.x') }, pinned),
      'OPTION_INVALID',
      '"versioning.default"',
      'to a version such as 1.4.0',
    )
  })
})
