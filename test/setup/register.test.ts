import { describe, it } from 'node:test'
import { Route } from 'verbena'
import { assertSetupError, createUntypedApp } from '#test/apps.js'

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
