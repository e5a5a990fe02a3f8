import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, HttpError, Route, type Middleware } from 'verbena'
import { speed } from 'verbena/decorators'
import { sendRequest, assertSetupError, createGate, createUntypedApp } from '#test/apps.js'

const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const PLAIN = 'text/plain; version=0.0.4; charset=utf-8'

/** `Accept` headers of Prometheus 2 and 3. */
const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

class Users extends Route {
  static readonly path = '/users/{id}'
  get() {
    return 'fine'
  }
  @speed
  post() {
    throw new HttpError(503, 'closed')
  }
}

function appOf(options: object = {}) {
  return createUntypedApp({ routes: { Users }, metrics: '/metrics', ...options })
}

async function linesOf(app: ReturnType<typeof appOf>): Promise<string[]> {
  return (await sendRequest(app, '/metrics')).text.split('\n')
}

describe('option "metrics"', () => {
  it('serves OpenMetrics text with the exact media type', async () => {
    const { status, headers, text } = await sendRequest(appOf(), '/metrics')
    assert.deepEqual([status, headers.get('content-type')], [200, OPEN])
    assert.deepEqual([headers.get('cache-control'), headers.get('vary')], ['no-store', 'accept'])
    assert.ok(text.endsWith('\n# EOF\n'), text)
  })

  for (const [accept, type] of [
    ['*/*', OPEN],
    [PROMETHEUS_2, OPEN],
    [PROMETHEUS_3, OPEN],
    ['text/plain', PLAIN],
    ['text/plain;version=0.0.4', PLAIN],
    ['text/plain, application/openmetrics-text', OPEN],
    ['text/plain;q=0.9, application/openmetrics-text;q=0.8', PLAIN],
    ['text/html, text/plain;q=0.1', PLAIN],
    ['application/openmetrics-text;q=0, */*', PLAIN],
  ] as const) {
    it(`responds with ${type} to "${accept}"`, async () => {
      const { headers, text } = await sendRequest(appOf(), '/metrics', { headers: { accept } })
      assert.equal(headers.get('content-type'), type)
      assert.equal(text.includes('# EOF'), type === OPEN)
    })
  }

  it('responds 406 with the available media types if the client accepts neither', async () => {
    const { status, body } = await sendRequest(appOf(), '/metrics', { headers: { accept: 'text/html' } })
    assert.deepEqual([status, Object(body).available], [406, [OPEN, PLAIN]])
  })

  it('measures every endpoint, and separates HEAD from GET', async () => {
    const app = appOf()
    await sendRequest(app, '/users/1')
    await sendRequest(app, '/users/2')
    await sendRequest(app, '/users/3', { method: 'HEAD' })
    await sendRequest(app, '/users/4', { method: 'POST' })
    const lines = await linesOf(app)
    for (const [method, status, count] of [
      ['GET', 200, 2],
      ['HEAD', 200, 1],
      ['POST', 503, 1],
    ]) {
      const labels = `http_request_method="${method}",http_response_status_code="${status}",http_route="/users/{id}"`
      assert.ok(lines.includes(`http_server_request_duration_seconds_count{${labels}} ${count}`), lines.join('\n'))
    }
    assert.deepEqual(
      app.metrics().endpoints.map(({ method, count, errors }) => [method, count, errors]),
      [
        ['GET', 3, 0],
        ['POST', 1, 1],
      ],
    )
  })

  it('counts requests without an endpoint, but not requests for metrics', async () => {
    const app = appOf()
    await sendRequest(app, '/none')
    await sendRequest(app, '/other')
    await sendRequest(app, '/users/1', { method: 'DELETE' })
    await sendRequest(app, '/metrics')
    const counts = (await linesOf(app)).filter((line) => line.includes('_count'))
    assert.deepEqual(counts, [
      'http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="404"} 2',
      'http_server_request_duration_seconds_count{http_request_method="DELETE",http_response_status_code="405"} 1',
    ])
    assert.equal(app.metrics().total.count, 0)
  })

  it('reports requests in progress, including the request for metrics', async () => {
    const [begun, finish] = [createGate(), createGate()]
    class Slow extends Route {
      async post() {
        begun.open()
        await finish.opened
      }
    }
    const app = appOf({ routes: { Slow } })
    const active = async () => (await linesOf(app)).filter((line) => line.startsWith('http_server_active_requests'))
    const answer = sendRequest(app, '/slow', { method: 'POST' })
    await begun.opened
    assert.deepEqual(await active(), [
      'http_server_active_requests{http_request_method="POST"} 1',
      'http_server_active_requests{http_request_method="GET"} 1',
    ])
    finish.open()
    await answer
    assert.ok((await active()).includes('http_server_active_requests{http_request_method="POST"} 0'))
  })

  it('supports HEAD, 405 and middleware of the app', async () => {
    const stamp: Middleware = async (_context, next) => (await next()).with({ 'x-stamp': 'app' })
    const app = appOf({ middleware: [stamp] })
    const head = await sendRequest(app, '/metrics', { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-type'), head.text], [200, OPEN, ''])
    const refused = await sendRequest(app, '/metrics', { method: 'POST' })
    assert.deepEqual(
      [refused.status, refused.headers.get('allow'), refused.headers.get('x-stamp')],
      [405, 'GET, HEAD, OPTIONS', 'app'],
    )
  })

  it('responds 403 if middleware of the app rejects the request', async () => {
    const closed: Middleware = (context, next) => {
      if (context.endpoint?.path === '/metrics') throw new HttpError(403)
      return next()
    }
    assert.equal((await sendRequest(appOf({ middleware: [closed] }), '/metrics')).status, 403)
  })

  it('is missing in app.routes(), app.check() and app.metrics()', () => {
    const app = appOf()
    assert.deepEqual(new Set(app.routes().map(({ route }) => route)), new Set(['Users']))
    assert.deepEqual(new Set(app.check().map(({ route }) => route)), new Set(['Users']))
    assert.deepEqual(new Set(app.metrics().endpoints.map(({ route }) => route)), new Set(['Users']))
  })

  it('rejects the path of a route', () => {
    class Metrics extends Route {
      get() {}
    }
    const routes = [{ Metrics }, { '/metrics': { '/': Metrics } }, { '/metrics': group({ routes: { '/': Metrics } }) }]
    for (const given of routes) {
      assertSetupError(() => appOf({ routes: given }), 'ROUTE_CONFLICT', '"/metrics" of "option metrics"', '"Metrics"')
    }
  })

  it('accepts a path that also matches a route with a parameter', async () => {
    class Any extends Route {
      static readonly path = '/{name}'
      get() {
        return 'any'
      }
    }
    const app = appOf({ routes: { Any } })
    assert.equal((await sendRequest(app, '/metrics')).headers.get('content-type'), OPEN)
    assert.equal((await sendRequest(app, '/metric')).text, 'any')
  })

  it('rejects values that are not paths', () => {
    for (const metrics of ['', 'metrics', true, 7, '/{name}', null]) {
      assertSetupError(() => appOf({ metrics }), 'OPTION_INVALID', '"metrics"', "'/metrics'")
    }
    assertSetupError(() => appOf({ metrics: '/a//b' }), 'TEMPLATE_INVALID', '/a//b')
  })
})

describe('app.metrics() without option "metrics"', () => {
  it('measures nothing without @speed', async () => {
    class Plain extends Route {
      get() {}
    }
    const app = createUntypedApp({ routes: { Plain } })
    await sendRequest(app, '/plain')
    assert.equal((await sendRequest(app, '/metrics')).status, 404)
    const none = { count: 0, errors: 0, p50: 0, p90: 0, p99: 0, max: 0, rate: 0 }
    assert.deepEqual(app.metrics(), { total: none, endpoints: [] })
  })

  it('measures only endpoints with @speed', async () => {
    const app = createUntypedApp({ routes: { Users } })
    await sendRequest(app, '/users/1')
    await sendRequest(app, '/users/1', { method: 'POST' })
    const { total, endpoints } = app.metrics()
    assert.deepEqual([total.count, total.errors, endpoints.map(({ method }) => method)], [1, 1, ['POST']])
  })
})
