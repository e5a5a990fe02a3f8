/** `testApp()`: replaced services and providers, the unchanged app, and `close()`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyOf,
  apiKey,
  bearer,
  createApp,
  group,
  HttpError,
  optional,
  provide,
  Route,
  service,
  SetupError,
  type Input,
} from 'verbena'
import { override, testApp, TestFailure, type TestOptions } from 'verbena/testing'
import * as z from 'zod'
import { captureLog, createGate } from '#test/apps.js'

interface User {
  readonly name: string
  readonly roles: readonly string[]
}
interface Database {
  userOf(token: string): Promise<User | undefined>
}

const currentUser = bearer((token, { db }: { db: Database }) => db.userOf(token))
const robot = apiKey({ in: 'header', name: 'x-api-key' }, (key) => key === 'robot' && { name: 'robot', roles: [] })
const admin = provide({ uses: { user: currentUser }, errors: [403] }, ({ user }) => {
  if (!user.roles.includes('admin')) throw new HttpError(403)
  return user.name
})
const tenant = provide({ headers: z.object({ 'x-tenant': z.string() }) }, ({ headers }) => headers['x-tenant'])

class Me extends Route<{ db: Database }> {
  static readonly get = this.contract({ uses: { user: currentUser } })
  async get({ user }: Input<typeof Me.get>) {
    return user.name
  }
  static readonly post = this.contract({ uses: { user: optional(currentUser) } })
  async post({ user }: Input<typeof Me.post>) {
    return user?.name ?? 'nobody'
  }
  static readonly put = this.contract({ uses: { user: currentUser, caller: anyOf(currentUser, robot), tenant } })
  async put({ user, caller, tenant }: Input<typeof Me.put>) {
    return [user.name, caller.name, tenant, user === caller]
  }
  static readonly delete = this.contract({ uses: { admin } })
  async delete({ admin }: Input<typeof Me.delete>) {
    return admin
  }
}

const ADA: User = { name: 'ada', roles: ['admin'] }
const db: Database = { userOf: async (token) => (token === 'a' ? ADA : undefined) }
const app = createApp({ services: { db }, routes: { Me }, logger: false })

async function nameFrom(options: TestOptions<{ db: Database }>): Promise<unknown> {
  const { api } = await testApp(app, options)
  return (await api('/me').get()).body
}

describe('testApp()', () => {
  it('responds like the app without replacements', async () => {
    const { api, fetch } = await testApp(app)
    const refused = await api('/me').get()
    assert.deepEqual([refused.ok, refused.status], [false, 401])
    const { body } = await api('/me').get({ headers: { authorization: 'Bearer a' } })
    assert.equal(body, 'ada')
    const raw = await fetch('/me', { method: 'POST' })
    assert.equal(await raw.text(), 'nobody')
    const request = new Request('http://elsewhere/me', { method: 'POST' })
    assert.equal(await (await fetch(request)).text(), 'nobody')
  })

  it('replaces a service only in the test app', async () => {
    const fake: Database = { userOf: async (token) => ({ name: token, roles: [] }) }
    const { api, services } = await testApp(app, { services: { db: fake } })
    assert.equal(services.db, fake)
    assert.equal((await api('/me').get({ headers: { authorization: 'Bearer eve' } })).body, 'eve')
    assert.equal(app.services.db, db)
    const response = await app.fetch(new Request('http://a/me', { headers: { authorization: 'Bearer eve' } }))
    assert.equal(response.status, 401)
  })

  it('does not replace a service with undefined', async () => {
    // Proof: plain JavaScript can pass undefined.
    const { services } = await testApp(app, { services: { db: undefined } as object })
    assert.equal(services.db, db)
  })

  it('calls a replaced provider once for each request, sync or async', async () => {
    assert.equal(await nameFrom({ override: [override(currentUser, () => ADA)] }), 'ada')
    let made = 0
    const counted = async (): Promise<User> => ({ name: `user ${++made}`, roles: [] })
    const { api } = await testApp(app, { override: [override(currentUser, counted)] })
    assert.equal((await api('/me').get()).body, 'user 1')
    assert.equal((await api('/me').get()).body, 'user 2')
  })

  it('does not require the inputs of a replaced provider', async () => {
    const overrides = [override(tenant, () => 'acme'), override(currentUser, () => ADA)]
    const { api } = await testApp(app, { override: overrides })
    assert.deepEqual((await api('/me').put()).body, ['ada', 'ada', 'acme', true])
  })

  it('replaces a provider inside optional() and anyOf(), but not the inner provider if optional() is replaced', async () => {
    const { api } = await testApp(app, { override: [override(currentUser, () => ADA)] })
    assert.equal((await api('/me').post()).body, 'ada')
    const maybe = optional(currentUser)
    class Feed extends Route<{ db: Database }> {
      static readonly get = this.contract({ uses: { maybe } })
      get({ maybe }: Input<typeof Feed.get>) {
        return maybe?.name ?? 'nobody'
      }
    }
    const feed = createApp({ services: { db }, routes: { Me, Feed }, logger: false })
    const test = await testApp(feed, { override: [override(maybe, () => undefined)] })
    assert.equal((await test.api('/feed').get({ headers: { authorization: 'Bearer a' } })).body, 'nobody')
    assert.equal((await test.api('/me').get()).status, 401)
  })

  it('prefers the override of anyOf() to the override of its inner provider', async () => {
    const either = anyOf(currentUser, robot)
    class Feed extends Route<{ db: Database }> {
      static readonly uses = { user: currentUser, either }
      static readonly get = this.contract({})
      get({ user, either }: Input<typeof Feed.get>) {
        return [user.name, either.name]
      }
    }
    const feed = createApp({ services: { db }, routes: { Feed }, logger: false })
    const overrides = [override(currentUser, () => ADA), override(either, () => ({ name: 'eve', roles: [] }))]
    const { api } = await testApp(feed, { override: overrides })
    assert.deepEqual((await api('/feed').get()).body, ['ada', 'eve'])
  })

  it('passes the replaced value to other providers', async () => {
    const asBen = await testApp(app, { override: [override(currentUser, () => ({ name: 'ben', roles: [] }))] })
    assert.equal((await asBen.api('/me').delete()).status, 403)
    const asAda = await testApp(app, { override: [override(currentUser, () => ADA)] })
    assert.equal((await asAda.api('/me').delete()).body, 'ada')
  })

  it('runs a replaced guard before the body is read', async () => {
    const events: string[] = []
    class Posts extends Route<{ db: Database }> {
      static readonly post = this.contract({ body: z.object({ a: z.string() }), uses: { admin } })
      post() {
        events.push('posted')
      }
    }
    const posts = createApp({
      services: { db },
      routes: { '/v': group({ uses: { admin }, routes: { Posts } }), Posts },
    })
    const refuse = (): never => {
      throw new HttpError(403)
    }
    const { fetch } = await testApp(posts, { override: [override(admin, refuse)] })
    for (const path of ['/posts', '/v/posts']) {
      const response = await fetch(path, { method: 'POST', body: '{', headers: { 'content-type': 'text/csv' } })
      assert.equal(response.status, 403)
    }
    assert.deepEqual(events, [])
  })

  it('serves the document of the app even with replaced providers', async () => {
    const { fetch } = await testApp(app, { override: [override(tenant, () => 'a'), override(currentUser, () => ADA)] })
    assert.deepEqual(await (await fetch('/openapi.json')).json(), app.openapi())
  })
})

describe('testApp(): service()', () => {
  function counting() {
    const events: string[] = []
    const make = () => {
      events.push('made')
      return { name: 'made' }
    }
    const closable = { [Symbol.asyncDispose]: async () => void events.push('value closed') }
    const made = service(make, {
      close: () => void events.push('made closed'),
    })
    class Names extends Route<{ made: { name: string }; plain: object }> {
      get() {
        return this.made.name
      }
    }
    return { events, app: createApp({ services: { plain: closable, made }, routes: { Names }, logger: false }) }
  }

  it('creates and closes separate services, but does not close plain values of the app', async () => {
    const { events, app } = counting()
    {
      await using test = await testApp(app)
      assert.equal((await test.api('/names').get()).body, 'made')
    }
    assert.deepEqual(events, ['made', 'made closed'])
    await app.start()
    await app.close()
    assert.deepEqual(events, ['made', 'made closed', 'made', 'made closed', 'value closed'])
  })

  it('does not create replaced services, and closes their replacements', async () => {
    const { events, app } = counting()
    const fake = { name: 'fake', [Symbol.asyncDispose]: async () => void events.push('fake closed') }
    const { api, close } = await testApp(app, { services: { made: fake } })
    assert.equal((await api('/names').get()).body, 'fake')
    await close()
    assert.deepEqual(events, ['fake closed'])
  })
})

describe('testApp(): setup errors', () => {
  const refused = async (task: () => Promise<unknown>, code: string, text: RegExp): Promise<void> => {
    await assert.rejects(task, (error: unknown) => {
      assert.ok(error instanceof SetupError, String(error))
      assert.equal(error.code, code)
      assert.match(error.message, text)
      return true
    })
  }
  /** Calls `testApp` as plain JavaScript can. */
  const loosely = (given: unknown, options: object): Promise<unknown> =>
    Promise.resolve(Reflect.apply(testApp, undefined, [given, options]))

  it('rejects values that are not apps', async () => {
    await refused(() => loosely({ fetch }, {}), 'TEST_INVALID', /it must be an app of "createApp"/)
    await refused(() => loosely(undefined, {}), 'TEST_INVALID', /it must be an app of "createApp"/)
  })

  it('rejects unknown options', async () => {
    await refused(
      () => loosely(app, { overide: [] }),
      'OPTION_INVALID',
      /Did you mean "override"\? Valid options are services/,
    )
  })

  it('rejects an unknown service', async () => {
    await refused(
      () => loosely(app, { services: { dbb: db } }),
      'TEST_INVALID',
      /Did you mean "db"\? Its services are db/,
    )
    const bare = createApp({
      routes: {
        Plain: class extends Route {
          get() {}
        },
      },
    })
    await refused(() => loosely(bare, { services: { db } }), 'TEST_INVALID', /Its services are none/)
  })

  it('rejects an item of "override" that is not an override', async () => {
    await refused(
      () => loosely(app, { override: [currentUser] }),
      'TEST_INVALID',
      /all items of "override" must be overrides/,
    )
  })

  it('rejects an override of an unused provider, and a duplicate override', async () => {
    const stranger = override(
      provide({}, () => 1),
      () => 2,
    )
    await refused(() => testApp(app, { override: [stranger] }), 'TEST_INVALID', /the provider of override\[0\]/)
    const user = override(currentUser, () => ADA)
    await refused(() => testApp(app, { override: [user, stranger] }), 'TEST_INVALID', /the provider of override\[1\]/)
    const twice = [user, override(currentUser, () => ADA)]
    await refused(() => testApp(app, { override: twice }), 'TEST_INVALID', /the provider of override\[1\]/)
  })
})

describe('testApp(): close()', () => {
  const events: string[] = []
  const session = provide(
    {},
    async function* () {
      yield 'session'
      events.push('ended')
    },
    { ends: 'after-response' },
  )
  const stuck = provide({}, async function* ({ request }) {
    yield 'stuck'
    if (request.headers['x-stuck'] !== undefined) await new Promise(() => {})
  })
  class Streams extends Route {
    static readonly get = this.contract({ uses: { session } })
    async *get() {
      yield 'one'
      yield 'two'
    }
    static readonly post = this.contract({ uses: { stuck } })
    post() {
      return 'posted'
    }
    async put() {
      await new Promise(() => {})
    }
    async *delete() {
      yield 'one'
      yield 'two'
    }
  }
  const streams = createApp({ routes: { Streams }, logger: false })
  const QUICK = { patience: 20 }
  const failsWith =
    (...texts: readonly string[]) =>
    (error: unknown): true => {
      assert.ok(error instanceof TestFailure, String(error))
      assert.match(error.message, /^Cannot close the test app: .*\. Read or cancel each response/)
      for (const text of texts) assert.ok(error.message.includes(text), error.message)
      return true
    }

  it('resolves if all work is done', async () => {
    await using test = await testApp(streams)
    assert.equal((await test.api('/streams').get()).body, 'onetwo')
    assert.equal((await test.api('/streams').post()).body, 'posted')
    const begun = await test.fetch('/streams')
    await begun.body?.cancel()
  })

  it('rejects with the name of a provider that has not finished its cleanup', async () => {
    const { fetch, close } = await testApp(streams, QUICK)
    await fetch('/streams')
    await assert.rejects(close(), failsWith('the provider "session" of GET /streams has not finished its cleanup'))
  })

  it('rejects if provider cleanup hangs, or if a request has no response', async () => {
    const test = await testApp(streams, QUICK)
    const { signal } = new AbortController()
    void test.fetch('/streams', { method: 'POST', headers: { 'x-stuck': '1' } })
    void test.fetch('/streams', { method: 'PUT', signal })
    const texts = ['the provider "stuck" of POST /streams has not finished its cleanup', 'PUT /streams has no response']
    await assert.rejects(async () => test[Symbol.asyncDispose](), failsWith(...texts))
  })

  it('rejects if middleware does not return a reply for an unknown path', async () => {
    const middleware = [() => new Promise<never>(() => {})]
    const test = await testApp(createApp({ routes: { Streams }, middleware, logger: false }), QUICK)
    void test.fetch('/nothing')
    await assert.rejects(test.close(), failsWith('GET /nothing has no response'))
  })

  it('rejects if a stream was not read', async () => {
    const { fetch, close } = await testApp(streams, QUICK)
    await fetch('/streams', { method: 'DELETE' })
    await assert.rejects(close(), failsWith('requests in progress: 1,'))
  })

  it('waits for a task in response.after', async () => {
    const gate = createGate()
    class Slow extends Route {
      get({ response }: Input) {
        response.after(() => gate.opened.then(() => events.push('task')))
      }
    }
    const { api, close } = await testApp(createApp({ routes: { Slow } }), { patience: 60_000 })
    await api('/slow').get()
    const closed = close()
    gate.open()
    await closed
    assert.equal(events.at(-1), 'task')
  })

  it('logs only to the option "logger"', async () => {
    const { logger, lines } = captureLog()
    const { close } = await testApp(streams, { ...QUICK, logger })
    await close()
    assert.deepEqual(lines, [])
    const other = await testApp(streams, { ...QUICK, logger })
    await other.fetch('/streams')
    await assert.rejects(other.close())
    assert.deepEqual(
      lines.map(({ message }) => message),
      [
        'App closed before all requests and tasks were done',
        'Endpoint still running; its providers are cleaned up without it',
      ],
    )
  })
})
