import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError, createUntypedApp } from '#test/apps.js'

describe('registration of fallbacks', () => {
  function fallbackAt(path: string, fallback: unknown = true) {
    return class extends Route {
      static readonly path: string = path
      static readonly fallback = fallback
      get() {}
    }
  }

  it('refuses what is no switch', () => {
    const refused = (value: unknown) => () => createUntypedApp({ routes: { Page: fallbackAt('/{path...}', value) } })
    for (const value of ['yes', 1, null]) assertSetupError(refused(value), 'ROUTE_FIELD', 'static fallback of "Page"')
  })

  it('refuses methods that it would not answer', () => {
    class Page extends fallbackAt('/{path...}') {
      static override readonly fallback = true
      delete() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { Page } }),
      'ROUTE_FIELD',
      '"Page"',
      'the method "delete"',
      'GET and HEAD alone',
    )
  })

  it('refuses one that could never answer', () => {
    const routes = { Files: fallbackAt('/{name...}', false), Page: fallbackAt('/{path...}') }
    assertSetupError(
      () => createUntypedApp({ routes }),
      'ROUTE_CONFLICT',
      '"/{path...}" of "Page"',
      '"/{name...}" of "Files"',
    )
  })

  it('refuses two for the same paths', () => {
    const routes = { One: fallbackAt('/{name...}'), Two: fallbackAt('/{path...}') }
    assertSetupError(() => createUntypedApp({ routes }), 'ROUTE_CONFLICT', '"Two"', '"One"')
  })

  it('takes one beside routes of another shape', () => {
    createUntypedApp({
      routes: { One: fallbackAt('/{name}', false), Two: fallbackAt('/{path...}'), Three: fallbackAt('/a/{b...}') },
    })
  })
})
