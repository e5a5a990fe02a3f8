/** Sessions in Redis: with both clients, shared by processes, with expiry, and during an outage. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp, Route, type App, type Input } from 'verbena'
import { session, type SessionStore } from 'verbena/session'
import { redisSessions } from 'verbena/redis'
import * as z from 'zod'
import { testSessionStore } from '#test/store-contracts.js'
import { PACKAGES, RedisClients } from './redis-clients.js'

const KEYS = ['a text of 32 bytes, for tests ...']
const clients = new RedisClients()

/** Creates the app of one process. */
function appWith(store: SessionStore, times: { idle?: number; absolute?: number } = {}): App {
  const visitor = session({ schema: z.object({ name: z.string() }), keys: KEYS, store, ...times })
  class Signing extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    static readonly get = this.contract({})
    async get({ visitor }: Input<typeof Signing.get>) {
      return visitor.value?.name ?? 'nobody'
    }
    static readonly post = this.contract({ query: z.object({ name: z.string() }) })
    async post({ visitor, query }: Input<typeof Signing.post>) {
      visitor.start(query)
    }
    static readonly put = this.contract({ query: z.object({ name: z.string() }) })
    async put({ visitor, query }: Input<typeof Signing.put>) {
      visitor.set(query)
      await held
    }
    static readonly delete = this.contract({})
    async delete({ visitor }: Input<typeof Signing.delete>) {
      visitor.end()
    }
  }
  return createApp({ routes: { Signing }, logger: false })
}

/** A request waits for this promise before its session is stored. */
let held: Promise<void> = Promise.resolve()

async function ask(app: App, method: string, target: string, cookie = ''): Promise<Response> {
  return app.fetch(new Request(`http://localhost${target}`, { method, headers: { cookie } }))
}
async function signIn(app: App): Promise<string> {
  const { headers } = await ask(app, 'POST', '/?name=ada')
  const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
  assert.ok(cookie.length > 90)
  return cookie
}
async function whoIs(app: App, cookie: string): Promise<string> {
  return (await ask(app, 'GET', '/', cookie)).text()
}

for (const name of PACKAGES) {
  describe(`redisSessions() with a client of ${name}`, () => {
    const store = (library: string): SessionStore => redisSessions(clients.of(library), { prefix: `${name}-store:` })
    testSessionStore({ ...clients.time(`${name}-store:`), stores: () => [store(name), store('ioredis')] })
  })

  describe(`sessions in Redis, by ${name}`, () => {
    it('shares a session between processes, under a separate key, until it ends', async () => {
      const [here, there] = [1, 2].map(() => appWith(redisSessions(clients.of(name), { prefix: `${name}:` })))
      assert.ok(here !== undefined && there !== undefined)
      const cookie = await signIn(here)
      assert.equal(await whoIs(there, cookie), 'ada')
      assert.equal((await ask(there, 'PUT', '/?name=ben', cookie)).status, 204)
      assert.equal(await whoIs(here, cookie), 'ben')
      const keys = await keysOf(`${name}:*`)
      assert.equal(keys.length, 1)
      assert.match(String(keys[0]), /^\w+:[\w-]{43}$/)
      assert.equal((await ask(there, 'DELETE', '/', cookie)).status, 204)
      assert.equal(await whoIs(here, cookie), 'nobody')
      assert.deepEqual(await keysOf(`${name}:*`), [])
    })

    it('sets the expiry of a key in Redis to the end of its session, which touch() and set() change', async () => {
      const store = redisSessions(clients.of(name), { prefix: `${name}-end:` })
      const end = Date.now() + 60_000
      await store.set('a', 'text', end, 'new')
      const left = await timeLeft(`${name}-end:a`)
      assert.ok(left > 55_000 && left <= 60_000, String(left))
      assert.equal(await store.touch('a', end + 60_000), true)
      assert.ok((await timeLeft(`${name}-end:a`)) > 110_000)
      assert.equal(await store.set('a', 'other', Date.now() + 30, 'changed'), true)
      assert.ok((await timeLeft(`${name}-end:a`)) <= 30)
      await wait(60)
      await store.delete('a')
      assert.deepEqual(await keysOf(`${name}-end:*`), [])
    })

    it('does not restore a session that ends while a request changes it', async () => {
      const app = appWith(redisSessions(clients.of(name), { prefix: `${name}-race:` }))
      const cookie = await signIn(app)
      let open = (): void => {}
      held = new Promise((resolve) => {
        open = resolve
      })
      const slow = ask(app, 'PUT', '/?name=ben', cookie)
      await wait(20)
      await ask(app, 'DELETE', '/', cookie)
      open()
      assert.equal((await slow).status, 204)
      assert.equal(await whoIs(app, cookie), 'nobody')
      assert.deepEqual(await keysOf(`${name}-race:*`), [])
    })

    it('accepts parallel changes of a session, and stores one of them completely', async () => {
      const app = appWith(redisSessions(clients.of(name), { prefix: `${name}-many:` }))
      const cookie = await signIn(app)
      const names = Array.from({ length: 50 }, (_, at) => `name-${at}`)
      const answers = await Promise.all(names.map((each) => ask(app, 'PUT', `/?name=${each}`, cookie)))
      assert.ok(answers.every(({ status }) => status === 204))
      assert.ok(names.includes(await whoIs(app, cookie)))
    })
  })
}

describe('sessions in a Redis that is down', () => {
  it('responds 503 to a request with a cookie, keeps the cookie, and recovers with Redis', async () => {
    const apps = PACKAGES.map((name) => appWith(redisSessions(clients.of(name), { prefix: `${name}-down:` })))
    const cookies = await Promise.all(apps.map(signIn))
    await clients.server.stop()
    const began = performance.now()
    const answers = await Promise.all(apps.map((app, at) => ask(app, 'GET', '/', String(cookies[at]))))
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [503, []])
      assert.ok(!(await answer.text()).includes('127.0.0.1'))
    }
    assert.ok(performance.now() - began < 8_000)
    // Requests without a cookie do not use the store.
    for (const app of apps) assert.equal((await ask(app, 'GET', '/')).status, 200)
    await clients.server.start()
    for (const app of apps) {
      const deadline = Date.now() + 10_000
      while ((await ask(app, 'POST', '/?name=ada')).status !== 204) assert.ok(Date.now() < deadline)
      assert.equal(await whoIs(app, await signIn(app)), 'ada')
    }
  })
})

async function keysOf(pattern: string): Promise<string[]> {
  return clients.connect().keys(pattern)
}
async function timeLeft(key: string): Promise<number> {
  return clients.connect().pttl(key)
}
