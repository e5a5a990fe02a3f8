/** The specification: each suite is a section, each test a rule or a table row. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, Route, type Result } from 'verbena'
import { log, speed, version } from 'verbena/decorators'
import { sendRequest, assertSetupError, json, captureLog, createUntypedApp } from '#test/apps.js'
import { actionToken, post } from '#test/console.js'
import { openFeed } from '#test/console-feed.js'
import { validateDocument } from '#test/openapi.js'
import { db, User, UserProfiles, users, type Database } from '#test/apps-users.js'

describe('section 1: features of the service', () => {
  it('offers async methods, also beside synchronous ones', async () => {
    class Mixed extends Route {
      async get() {
        await Promise.resolve()
        return 'async'
      }
      post() {
        return 'sync'
      }
    }
    const app = createUntypedApp({ routes: { Mixed } })
    assert.equal((await sendRequest(app, '/mixed')).text, 'async')
    assert.equal((await sendRequest(app, '/mixed', { method: 'POST' })).text, 'sync')
  })

  it('offers dependency injection: services of the app are properties of the route', async () => {
    assert.deepEqual((await sendRequest(users(), '/user-profiles')).body, [{ id: '1', name: 'Ada' }])
  })

  it('offers a generated OpenAPI description', async () => {
    const { body } = await sendRequest(users(), '/openapi.json')
    const { openapi, paths } = Object(body)
    assert.deepEqual([openapi, Object.keys(paths)], ['3.1.1', ['/user-profiles']])
    assert.deepEqual(Object.keys(paths['/user-profiles']), ['get', 'post'])
    assert.deepEqual(await validateDocument(Object(body)), [])
  })

  it('class-based routes: related endpoints are grouped in one class that inherits from Route', async () => {
    const described = users().routes()
    assert.deepEqual(
      described.map(({ method, path, route }) => `${method} ${path} ${route}`),
      ['GET /user-profiles UserProfiles', 'POST /user-profiles UserProfiles'],
    )
  })

  it('decorators: log is importable from the decorators module', () => assert.equal(typeof log, 'function'))
  it('decorators: speed is importable from the decorators module', () => assert.equal(typeof speed, 'function'))
  it('decorators: version is importable from the decorators module', () => assert.equal(typeof version, 'function'))
  it('dev console: served at /__dev__', async () => {
    await using app = createApp({ routes: { UserProfiles }, services: { db }, logger: false, devConsole: true })
    const { url } = await app.listen()
    const page = await fetch(`${url}/__dev__`)
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  })

  it('validation: requests and responses are validated and serialized by data models', async () => {
    const app = users()
    assert.equal((await sendRequest(app, '/user-profiles', json({ name: 7 }))).status, 422)
    assert.deepEqual((await sendRequest(app, '/user-profiles', json({ name: 'Eve' }))).body, { id: '2', name: 'Eve' })
    class Wrong extends Route {
      static readonly get = this.contract({ returns: User })
      async get(): Result<typeof Wrong.get> {
        return JSON.parse('{"id":7}')
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Wrong } }), '/wrong')).status, 500)
  })

  it('convention over configuration: paths are derived from class names when not set', () => {
    assert.equal(users().routes()[0]?.path, '/user-profiles')
  })

  it('registers routes as an object, an array, sections and groups (not specified, defined here)', () => {
    const forms = [
      { UserProfiles },
      [UserProfiles],
      { any: { UserProfiles } },
      { any: group({ routes: { UserProfiles } }) },
    ]
    for (const routes of forms) {
      assert.equal(createUntypedApp({ routes, services: { db } }).routes()[0]?.path, '/user-profiles')
    }
  })
})

describe('section 2: resources and their fields', () => {
  it('Route: every route must inherit from it', () => {
    class NoRoute {
      get() {}
    }
    assertSetupError(
      () => createUntypedApp({ routes: { NoRoute } }),
      'ROUTE_INVALID',
      '"NoRoute"',
      'does not extend Route',
    )
  })

  it('path: overrides the derived path', async () => {
    class Renamed extends Route {
      static readonly path = '/other'
      get() {
        return 'other'
      }
    }
    const app = createUntypedApp({ routes: { Renamed } })
    assert.equal((await sendRequest(app, '/other')).text, 'other')
    assert.equal((await sendRequest(app, '/renamed')).status, 404)
  })

  it('path: starts with "/"', () => {
    class Renamed extends Route {
      static readonly path = 'other'
      get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Renamed } }), 'TEMPLATE_INVALID', 'does not start with "/"')
  })

  for (const verb of ['get', 'post', 'put', 'delete', 'patch']) {
    it(`${verb}: defines the endpoint for the same-named HTTP verb`, async () => {
      class Probe extends Route {}
      Object.defineProperty(Probe.prototype, verb, { value: async () => verb })
      const app = createUntypedApp({ routes: { Probe } })
      assert.equal((await sendRequest(app, '/probe', { method: verb.toUpperCase() })).text, verb)
      assert.deepEqual(
        app.routes().map(({ method }) => method),
        [verb.toUpperCase()],
      )
    })
  }

  it('self.db: the instance exposes database access with get_users, create_user and get_user', async () => {
    class Calls extends Route<{ db: Database }> {
      async get() {
        const { db } = this
        return [await db.get_users(), await db.create_user({ name: 'Eve' }), await db.get_user('1')]
      }
    }
    const { body } = await sendRequest(createApp({ routes: { Calls }, services: { db } }), '/calls')
    assert.deepEqual(body, [[{ id: '1', name: 'Ada' }], { id: '2', name: 'Eve' }, { id: '1', name: 'Ada' }])
  })

  it('log: logs the calls of the decorated endpoint method, without arguments', async () => {
    class Logged extends Route {
      @log
      async get() {
        return 'logged'
      }
      async post() {
        return 'not logged'
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Logged }, logger })
    await sendRequest(app, '/logged')
    await sendRequest(app, '/logged', { method: 'POST' })
    assert.deepEqual(
      lines.map(({ fields }) => [fields['route'], fields['method'], fields['status']]),
      [['Logged', 'GET', 200]],
    )
  })

  it('speed: monitors the performance of the decorated endpoint method, without arguments', async () => {
    class Measured extends Route {
      @speed
      async get() {
        return 'measured'
      }
      async post() {
        return 'not measured'
      }
    }
    const app = createUntypedApp({ routes: { Measured } })
    assert.match(String((await sendRequest(app, '/measured')).headers.get('server-timing')), /^app;dur=/)
    assert.equal((await sendRequest(app, '/measured', { method: 'POST' })).headers.get('server-timing'), null)
    assert.deepEqual(
      app.metrics().endpoints.map(({ route, method, count }) => [route, method, count]),
      [['Measured', 'GET', 1]],
    )
  })
  it('version: versions the decorated endpoint method with one constraint', async () => {
    class Versioned extends Route {
      @version('>=1.2.0')
      async get() {
        return 'versioned'
      }
      async post() {
        return 'not versioned'
      }
    }
    const app = createUntypedApp({ routes: { Versioned } })
    const asked = { headers: { 'accept-version': '1.1.0' } }
    assert.equal((await sendRequest(app, '/versioned', asked)).status, 406)
    assert.equal((await sendRequest(app, '/versioned', { ...asked, method: 'POST' })).text, 'not versioned')
  })
  it('decorators can be stacked on one method, log outermost', async () => {
    class Stacked extends Route {
      @log
      @speed
      async get() {
        return 'stacked'
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Stacked }, logger })
    const { text, headers } = await sendRequest(app, '/stacked')
    assert.equal(text, 'stacked')
    assert.notEqual(headers.get('server-timing'), null)
    assert.deepEqual([lines.length, app.metrics().total.count], [1, 1])
  })
})

describe('section 3: states and transitions', () => {
  it('defines no states: each request has a separate instance', async () => {
    class Counter extends Route {
      count = 0
      get() {
        return ++this.count
      }
    }
    const app = createUntypedApp({ routes: { Counter } })
    assert.deepEqual([(await sendRequest(app, '/counter')).body, (await sendRequest(app, '/counter')).body], [1, 1])
  })
})

describe('section 4.4: dev console', () => {
  it('GET /__dev__: real-time debugging console for requests, logs and performance', async () => {
    class Greetings extends Route {
      @log
      get() {
        return 'hello'
      }
    }
    await using app = createApp({ routes: { Greetings }, logger: captureLog().logger, devConsole: true })
    const { url } = await app.listen()
    const feed = await openFeed(url)
    const { stream } = await feed.until('hello')
    const token = { 'x-dev-token': await actionToken(url) }
    await post(`${url}/__dev__/api/settings`, { stream, want: ['log'] }, token)
    await fetch(`${url}/greetings`)
    const has = (text: string) => (data: object) => JSON.stringify(data).includes(text)
    await feed.until('req', has('"Greetings.get"'))
    await feed.until('log', has('"GET /greetings 200"'))
    assert.deepEqual(Object.keys(await feed.until('tick')).slice(0, 4), ['v', 'time', 'classes', 'durations'])
    feed.close()
  })
})

describe('section 5: authentication', () => {
  it('requires no credentials by default (not specified)', async () => {
    assert.equal((await sendRequest(users(), '/user-profiles')).headers.get('www-authenticate'), null)
  })
})

describe('section 6: events', () => {
  it('sends no events (not specified)', async () => {
    assert.equal((await sendRequest(users(), '/user-profiles', { method: 'OPTIONS' })).text, '')
  })
})

describe('section 7: errors', () => {
  it('sends every error as problem details, RFC 9457 (not specified, defined here)', async () => {
    for (const [target, method, status] of [
      ['/none', 'GET', 404],
      ['/user-profiles', 'PUT', 405],
      ['/%zz', 'GET', 400],
    ] as const) {
      const answer = await sendRequest(users(), target, { method })
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [status, 'application/problem+json'])
      assert.deepEqual([Object(answer.body).status, Object(answer.body).type], [status, 'about:blank'])
    }
  })
})

describe('section 8: limits', () => {
  it('limits bodies to 1 MiB by default (not specified, defined here)', async () => {
    const body = (size: number) => json({ name: 'x'.repeat(size) })
    assert.equal((await sendRequest(users(), '/user-profiles', body(1024 * 1024 - 20))).status, 200)
    assert.equal((await sendRequest(users(), '/user-profiles', body(1024 * 1024))).status, 413)
  })
})

describe('section 9: versioning', () => {
  class Profiles extends Route {
    @log
    @version('>=1.2.0')
    async post() {
      return 'created'
    }
  }

  it('rule 1: version is applied to an endpoint method and takes one constraint, ">=1.2.0"', async () => {
    const app = createUntypedApp({ version: '1.2.0', routes: { Profiles } })
    for (const [asked, status] of [
      ['1.1.9', 406],
      ['1.2.0', 200],
      ['1.2.1', 200],
      ['10.0.0', 200],
    ] as const) {
      const init = { method: 'POST', headers: { 'accept-version': asked } }
      assert.equal((await sendRequest(app, '/profiles', init)).status, status, asked)
    }
  })

  it('rule 2: version can be combined with log', async () => {
    const { logger, lines } = captureLog()
    const { text } = await sendRequest(
      createUntypedApp({ version: '1.2.0', routes: { Profiles }, logger }),
      '/profiles',
      {
        method: 'POST',
      },
    )
    assert.deepEqual([text, lines.length], ['created', 1])
  })

  it('rule 3: npm grammar and dates, the requested version, and 400 or 406 (not specified, defined here)', async () => {
    class Dated extends Route {
      static readonly path = '/reports'
      @version('2026-01-01 - 2026-06-30 || >=2027-01-01')
      async get() {
        return 'dated'
      }
    }
    const app = createUntypedApp({ versioning: { default: '2026-03-01' }, routes: { Dated } })
    for (const [asked, status] of [
      ['2026-06-30', 200],
      ['2026-07-01', 406],
      ['soon', 400],
    ] as const) {
      const { headers, ...answer } = await sendRequest(app, '/reports', { headers: { 'accept-version': asked } })
      assert.deepEqual([answer.status, headers.get('vary')], [status, 'accept-version'])
      assert.equal(headers.get('api-version'), status === 200 ? asked : null)
    }
    assert.equal((await sendRequest(app, '/reports')).headers.get('api-version'), '2026-03-01')
  })

  it('rule 4: an app has a version (not specified, defined here)', () => {
    assert.equal(createUntypedApp({ routes: {}, version: '2.0.0' }).version, '2.0.0')
  })
})
