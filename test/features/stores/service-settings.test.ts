/** Settings that are functions of the services, with the sessions and signed cookies that use them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { isProxy } from 'node:util/types'
import { describe, it } from 'node:test'
import { createApp, Route, service, SetupError, type App, type Input } from 'verbena'
import { session, signedCookie, type SessionStore } from 'verbena/session'
import { override, testApp } from 'verbena/testing'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'
import { KEY, notingStore, OTHER_KEY, readCookie } from '#test/browser-client.js'
import { askWire } from '#test/e2e.js'

interface Config {
  readonly keys: readonly string[]
}

/** Builds routes with a session whose keys and store come from the services. `reads` receives the name of each setting that is read. */
function routesOf(reads: string[] = []) {
  const visitor = session({
    keys: ({ config }: { config: Config }) => {
      reads.push('keys')
      return config.keys
    },
    store: async ({ sessions }: { sessions: SessionStore }) => {
      await new Promise(setImmediate)
      reads.push('store')
      return sessions
    },
  })
  class Name extends Route {
    static readonly get = this.contract({ uses: { visitor } })
    get({ visitor }: Input<typeof Name.get>) {
      return visitor.value ?? 'nobody'
    }
    static readonly put = this.contract({ uses: { visitor } })
    put({ visitor }: Input<typeof Name.put>) {
      visitor.start('Ada')
    }
  }
  return { visitor, routes: { Name } }
}

const MISTAKE =
  /^Cannot use the option "keys" of session\(\): it must be an array of strings of at least 32 bytes, .*, not \S.*\. Write "keys: \[current, previous\]"$/

/** Creates an app whose session keys are the result of `keys`. */
function appWithKeys(keys: (services: object) => unknown, options: object = {}): App {
  // Proof: the tests return keys that the types reject.
  const visitor = session({ keys: keys as () => string[] })
  class Home extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    get() {
      return 'here'
    }
  }
  return createUntypedApp({ routes: { Home }, ...options })
}

async function cookieOf(app: Pick<App, 'fetch'>): Promise<string> {
  const { headers } = await sendRequest(app, '/name', { method: 'PUT' })
  const { name, value } = readCookie(headers.getSetCookie()[0] ?? '')
  return `${name}=${value}`
}

async function nameOf(app: Pick<App, 'fetch'>, cookie: string): Promise<unknown> {
  return (await sendRequest(app, '/name', { headers: { cookie } })).body
}

describe('settings from services', () => {
  it('calls each function once, when the app starts and before the first request, even if all services are values', async () => {
    const reads: string[] = []
    const calls: string[] = []
    const services = { config: { keys: [KEY] }, sessions: notingStore(calls) }
    await using app = createApp({ services, routes: routesOf(reads).routes, logger: false })
    app.openapi()
    app.check()
    app.routes()
    assert.deepEqual(reads, [])
    const { port } = await app.listen()
    assert.deepEqual(reads, ['keys', 'store'])
    const { headers } = await askWire(port, { method: 'PUT', target: '/name' })
    const { name, value } = readCookie(headers.get('set-cookie') ?? '')
    const answer = await askWire(port, { target: '/name', headers: { cookie: `${name}=${value}` } })
    assert.equal(answer.body, 'Ada')
    assert.deepEqual(
      [reads, calls],
      [
        ['keys', 'store'],
        ['set new', 'get'],
      ],
    )
  })

  it('calls each function once for concurrent first requests', async () => {
    const reads: string[] = []
    const app = createApp({
      services: { config: { keys: [KEY] }, sessions: memorySessions() },
      routes: routesOf(reads).routes,
      logger: false,
    })
    const answers = await Promise.all([1, 2, 3].map(() => sendRequest(app, '/name')))
    assert.deepEqual(
      answers.map(({ body }) => body),
      ['nobody', 'nobody', 'nobody'],
    )
    assert.deepEqual(reads, ['keys', 'store'])
  })

  it('passes the services themselves, not the views of the console', async () => {
    class Vault {
      keys(): string[] {
        return [KEY]
      }
    }
    const seen: unknown[] = []
    const visitor = session({
      keys: ({ vault }: { vault: Vault }) => {
        seen.push(vault)
        return vault.keys()
      },
    })
    class Home extends Route<{ vault: Vault }> {
      static readonly path = '/'
      static readonly uses = { visitor }
      get() {
        return isProxy(this.vault)
      }
    }
    await using app = createApp({
      services: { vault: service(() => new Vault()) },
      routes: { Home },
      logger: false,
      devConsole: { allowInProduction: true, token: 'a'.repeat(32) },
    })
    const { port } = await app.listen()
    assert.equal((await askWire(port, { target: '/' })).body, 'true')
    assert.equal(seen.length, 1)
    assert.equal(seen[0], app.services.vault)
    assert.ok(!isProxy(seen[0]))
  })

  it('keeps the settings of each app, so that a test app has separate ones', async () => {
    const { routes } = routesOf()
    const services = { config: { keys: [KEY] }, sessions: memorySessions() }
    const app = createApp({ services, routes, logger: false })
    await using same = await testApp(app)
    await using other = await testApp(app, { services: { config: { keys: [OTHER_KEY] } } })
    await using empty = await testApp(app, { services: { sessions: memorySessions() } })
    const cookie = await cookieOf(app)
    assert.deepEqual(await Promise.all([app, same, other, empty].map((each) => nameOf(each, cookie))), [
      'Ada',
      'Ada',
      'nobody',
      'nobody',
    ])
    const ofOther = await cookieOf(other)
    assert.deepEqual([await nameOf(other, ofOther), await nameOf(app, ofOther)], ['Ada', 'nobody'])
  })

  it('calls no function in a test that overrides the provider', async () => {
    const reads: string[] = []
    const { routes, visitor } = routesOf(reads)
    const services = { config: { keys: [] }, sessions: memorySessions() }
    const app = createApp({ services, routes, logger: false })
    const value = { value: 'Ben', start() {}, set() {}, end() {} }
    await using test = await testApp(app, { override: [override(visitor, () => value)] })
    assert.equal((await sendRequest(test, '/name')).body, 'Ben')
    assert.deepEqual(reads, [])
    await assert.rejects(testApp(app), { code: 'OPTION_INVALID' })
    assert.deepEqual(reads, ['keys'])
  })

  it('calls the functions of built-in routes', async () => {
    const keys = ({ config }: { config: Config }): readonly string[] => config.keys
    const uses = { theme: signedCookie('theme', { keys }) }
    const app = createApp({ services: { config: { keys: [] } }, routes: {}, metrics: { path: '/metrics', uses } })
    await assert.rejects(app.start(), { code: 'OPTION_INVALID' })
  })
})

describe('settings from services: invalid values', () => {
  const INVALID: readonly (readonly [about: string, keys: () => unknown])[] = [
    ['an invalid value', () => ['too short']],
    ['a promise of an invalid value', async () => []],
    ['no value', () => undefined],
    ['another function', () => () => [KEY]],
  ]
  for (const [about, keys] of INVALID) {
    it(`rejects start(), listen() and testApp() with the setup error of a constant: ${about}`, async () => {
      assert.throws(() => session({ keys: [] }), { code: 'OPTION_INVALID', message: MISTAKE })
      const app = appWithKeys(keys)
      for (const start of [() => app.start(), () => app.listen(), () => testApp(app)]) {
        await assert.rejects(start, (error: unknown) => {
          assert.ok(error instanceof SetupError)
          assert.deepEqual([error.code, error.cause], ['OPTION_INVALID', undefined])
          assert.match(error.message, MISTAKE)
          assert.match(String(error.stack).split('\n')[1] ?? '', /service-settings\.test/)
          return true
        })
      }
      await app.close()
    })
  }

  it('responds 503 to fetch() and on a server, logs the error, and retries on the next request', async () => {
    const { logger, lines } = captureLog()
    let keys: unknown = []
    await using app = appWithKeys(() => keys, { logger })
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const refusals = [await sendRequest(app, '/'), await askWire(port, { target: '/' })]
    for (const { status, body } of refusals) {
      assert.equal(status, 503)
      assert.doesNotMatch(JSON.stringify(body), /keys/)
    }
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['Failed to start the app', 'Failed to start the app'],
    )
    for (const { fields } of lines) assert.match(String(Object(fields['err']).message), MISTAKE)
    keys = [KEY]
    assert.deepEqual([(await askWire(port, { target: '/' })).status, (await sendRequest(app, '/')).status], [200, 200])
    server.close()
  })

  it('rejects fetch() of an app that was closed before its start', async () => {
    const app = appWithKeys(() => [KEY])
    await app.close()
    await assert.rejects(sendRequest(app, '/'), { code: 'APP_STATE' })
  })

  it('throws a setup error whose cause is the error of the function', async () => {
    const failure = new TypeError('no vault')
    const fail = (thrown: unknown) => () => {
      throw thrown
    }
    const cases: readonly (readonly [keys: () => unknown, state: string, cause: unknown])[] = [
      [fail(failure), 'failed with "no vault"', failure],
      [() => Promise.reject(failure), 'failed with "no vault"', failure],
      [fail(new AggregateError([])), 'failed with "AggregateError"', new AggregateError([])],
      [fail('gone'), 'threw a value that is not an Error', 'gone'],
    ]
    for (const [keys, state, cause] of cases) {
      await assert.rejects(appWithKeys(keys).start(), {
        code: 'OPTION_INVALID',
        message: `Cannot use the option "keys" of session(): the function ${state}. See its "cause" for details`,
        cause,
      })
    }
    const own = new SetupError('OPTION_INVALID', 'Cannot store sessions in Redis: no client')
    await assert.rejects(appWithKeys(fail(own)).start(), (error) => error === own)
  })

  it('throws a setup error that names a missing service', async () => {
    const app = appWithKeys((services) => Reflect.get(services, 'config'), { services: { conf: 1 } })
    await assert.rejects(app.start(), {
      code: 'OPTION_INVALID',
      message: /the function failed with "Cannot read the service "config" in a provider: it is not in "services"/,
    })
  })

  it('keeps services open after start(), and closes them after testApp()', async () => {
    const events: string[] = []
    const db = service(() => void events.push('made'), { close: () => void events.push('closed') })
    const app = appWithKeys(() => [], { services: { db } })
    await assert.rejects(testApp(app), SetupError)
    assert.deepEqual(events, ['made', 'closed'])
    await assert.rejects(app.start(), SetupError)
    assert.deepEqual(events, ['made', 'closed', 'made'])
    await app.close()
    assert.deepEqual(events.slice(3), ['closed'])
  })
})
