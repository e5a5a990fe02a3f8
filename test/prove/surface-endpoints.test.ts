/** Endpoints of a surface: their first lines and their order. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, health, Route, type App } from 'verbena'
import { version } from 'verbena/decorators'
import { files } from 'verbena/files'
import { surface } from 'verbena/prove'
import { upgrade } from 'verbena/upgrade'

class Home extends Route {
  get() {}
}

function listHeadings(app: App): string[] {
  return surface(app)
    .split('\n')
    .filter((line) => /^(?:[A-Z]+|\*) \//.test(line))
}

describe('surface(): endpoints', () => {
  it('sorts by path, method, versions and kind, and names the kind', () => {
    class Prices extends Route {
      static readonly get = this.contract({ decorators: [version('<2.0.0')] })
      get() {}
      post() {}
    }
    class NewPrices extends Route {
      static readonly path = '/prices'
      static readonly get = this.contract({ decorators: [version('>=2.0.0')] })
      get() {}
      static readonly post = this.contract({ decorators: [version('>=2.0.0')] })
      post() {}
    }
    class Anything extends Route {
      static readonly path = '/{path...}'
      static readonly fallback = true
      get() {}
    }
    class OldPrices extends Prices {
      static readonly path = '/prices'
      static readonly post = this.contract({ decorators: [version('<2.0.0')] })
    }
    const routes = {
      ...{ Home, NewPrices, OldPrices, Anything, ...health() },
      '/live': { '/': Home, '/a': upgrade({}, (_, socket) => socket.end()) },
      '/static': files(new URL('.', import.meta.url)),
    }
    const app = createApp({ routes, version: '2.0.0', metrics: '/metrics' })
    assert.deepEqual(listHeadings(app), [
      '* /__dev__ (console)',
      'GET /home',
      'GET /live',
      'GET /live/a (upgrade websocket)',
      'GET /livez (health)',
      'GET /metrics (metrics)',
      'GET /openapi.json (document)',
      'GET /prices (versions <2.0.0)',
      'GET /prices (versions >=2.0.0)',
      'POST /prices (versions <2.0.0)',
      'POST /prices (versions >=2.0.0)',
      'GET /readyz (health)',
      'GET /static (files)',
      'GET /static/{path...} (files)',
      'GET /{path...} (fallback)',
    ])
  })

  it('lists a class at each of its places', () => {
    const app = createApp({ routes: { '/a': { Home }, '/b': { Home } }, openapi: false, devConsole: false })
    assert.deepEqual(listHeadings(app), ['GET /a/home', 'GET /b/home'])
  })

  it('omits a disabled console', () => {
    const headings = (devConsole: boolean | 'auto'): string[] =>
      listHeadings(createApp({ routes: { Home }, openapi: false, devConsole }))
    assert.deepEqual(headings(false), ['GET /home'])
    assert.deepEqual(headings('auto'), ['* /__dev__ (console)', 'GET /home'])
  })
})
