/** Clocks: apps that exist before a test installs fake timers use them, and use the real clock again afterwards. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { bearer, createApp, jwt, Route, type Input } from 'verbena'
import { jwtSigner, signWebhook, webhook } from 'verbena/auth'
import { deprecated } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import { memoryLimits, rateLimit } from 'verbena/limits'
import { session, signedCookie } from 'verbena/session'
import * as z from 'zod'

const MINUTE = 60_000
const KEY = 'k'.repeat(32)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const Text = z.string()

const visitor = session({ schema: Text, keys: [KEY], idle: 10 * MINUTE, absolute: 30 * MINUTE })
const theme = signedCookie('theme', { schema: Text, keys: [KEY], lifetime: 10 * MINUTE })
const signToken = jwtSigner({ key: Buffer.from(KEY), algorithm: 'HS256', expiresIn: 600 })
const user = bearer(jwt({ keys: Buffer.from(KEY), algorithms: ['HS256'], leeway: 0 }))
const event = webhook({ secrets: [SECRET] })
const limit = rateLimit({
  name: 'clocks',
  by: ({ request }) => request.headers['x-client'] ?? '',
  limit: 2,
  window: 10 * MINUTE,
  store: memoryLimits(),
})
const once = idempotency({ by: () => 'all', ttl: 10 * MINUTE })
let count = 0

class Sessions extends Route {
  static readonly uses = { visitor }
  static readonly get = this.contract({})
  async get({ visitor }: Input<typeof Sessions.get>) {
    return visitor.value ?? 'none'
  }
  static readonly post = this.contract({})
  async post({ visitor }: Input<typeof Sessions.post>) {
    visitor.start('ada')
  }
}
class Themes extends Route {
  static readonly uses = { theme }
  static readonly get = this.contract({})
  async get({ theme }: Input<typeof Themes.get>) {
    return theme.value ?? 'none'
  }
  static readonly post = this.contract({})
  async post({ theme }: Input<typeof Themes.post>) {
    theme.set('dark')
  }
}
class Tokens extends Route {
  static readonly get = this.contract({ uses: { user } })
  async get() {}
}
class Hooks extends Route {
  static readonly post = this.contract({ uses: { event } })
  async post() {}
}
class Limited extends Route {
  static readonly get = this.contract({ uses: { limit } })
  async get() {}
}
class Payments extends Route {
  static readonly post = this.contract({ idempotency: once, returns: z.int() })
  async post() {
    return ++count
  }
}
class Slow extends Route {
  static readonly get = this.contract({ timeout: MINUTE })
  async get({ signal }: Input<typeof Slow.get>) {
    await new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
  }
}
class Old extends Route {
  @deprecated({ sunset: '2050-01-01' }) async get() {}
}

// Created with the real clock, as modules of an app are.
const routes = { Sessions, Themes, Tokens, Hooks, Limited, Payments, Slow, Old }
const app = createApp({ routes, logger: false })

type Headers = Readonly<Record<string, string>>

function ask(method: 'GET' | 'POST', path: string, headers: Headers = {}, body?: string): Promise<Response> {
  const init = body === undefined ? { method, headers } : { method, headers, body }
  return app.fetch(new Request(`http://localhost${path}`, init))
}

async function statusOf(...given: Parameters<typeof ask>): Promise<number> {
  return (await ask(...given)).status
}

function tick(ms: number): void {
  mock.timers.tick(ms)
}

/** Starts a session or sets a cookie, and returns a function that reads it. */
async function cookieReader(path: string): Promise<() => Promise<string>> {
  let cookie = ''
  async function read(method: 'GET' | 'POST'): Promise<string> {
    const response = await ask(method, path, { cookie })
    const [line = cookie] = response.headers.getSetCookie()
    cookie = line.split(';')[0] ?? ''
    return response.text()
  }
  await read('POST')
  return () => read('GET')
}

function cases(): void {
  it('sessions in memory end after idle, and after absolute', async () => {
    const read = await cookieReader('/sessions')
    for (let minute = 0; minute < 27; minute += 9) {
      assert.equal(await read(), 'ada')
      tick(9 * MINUTE)
    }
    assert.equal(await read(), 'ada')
    tick(3 * MINUTE)
    assert.equal(await read(), 'none')
    const readOther = await cookieReader('/sessions')
    tick(10 * MINUTE)
    assert.equal(await readOther(), 'none')
  })

  it('signed cookies end after their lifetime', async () => {
    const read = await cookieReader('/themes')
    tick(9 * MINUTE)
    assert.equal(await read(), 'dark')
    tick(MINUTE)
    assert.equal(await read(), 'none')
  })

  it('tokens have the time of the clock, and expire', async () => {
    const headers = { authorization: `Bearer ${signToken({ sub: 'ada' })}` }
    assert.equal(await statusOf('GET', '/tokens', headers), 204)
    tick(599_000)
    assert.equal(await statusOf('GET', '/tokens', headers), 204)
    tick(1_000)
    assert.equal(await statusOf('GET', '/tokens', headers), 401)
  })

  it('webhooks are accepted within the tolerance', async () => {
    const headers = signWebhook({ id: 'm', timestamp: new Date(), body: '', secret: SECRET })
    assert.equal(await statusOf('POST', '/hooks', headers), 204)
    tick(5 * MINUTE)
    assert.equal(await statusOf('POST', '/hooks', headers), 204)
    tick(1_000)
    assert.equal(await statusOf('POST', '/hooks', headers), 401)
  })

  it('limits in memory have windows by performance.now()', async () => {
    const client = { 'x-client': String(Date.now()) }
    const statuses = [await statusOf('GET', '/limited', client), await statusOf('GET', '/limited', client)]
    assert.deepEqual(statuses, [204, 204])
    assert.equal(await statusOf('GET', '/limited', client), 429)
    tick(9 * MINUTE)
    assert.equal(await statusOf('GET', '/limited', client), 429)
    tick(2 * MINUTE)
    assert.equal(await statusOf('GET', '/limited', client), 204)
  })

  it('stored responses expire after ttl', async () => {
    const pay = async (key: string): Promise<string> =>
      (await ask('POST', '/payments', { 'idempotency-key': key })).text()
    const key = `"${Date.now()}"`
    const first = await pay(key)
    tick(9 * MINUTE)
    assert.equal(await pay(key), first)
    tick(MINUTE)
    assert.notEqual(await pay(key), first)
  })

  it('a timeout ends a request', async () => {
    const response = ask('GET', '/slow')
    // The request reaches its method.
    await new Promise((resolve) => setImmediate(resolve))
    tick(MINUTE)
    assert.equal((await response).status, 503)
  })
}

for (const [place, now] of [
  ['the past', Date.UTC(2001)],
  ['the future', Date.UTC(2101)],
] as const) {
  describe(`fake timers in ${place}`, () => {
    beforeEach(() => {
      mock.timers.enable({ apis: ['Date', 'setTimeout', 'setInterval'], now })
      // Fake timers of Node.js do not replace `performance.now`; Vitest, Jest and Sinon do.
      mock.method(performance, 'now', () => Date.now() - now)
    })
    afterEach(() => {
      mock.timers.reset()
      mock.restoreAll()
    })
    cases()

    it('an endpoint responds with 410 after its sunset', async () => {
      assert.equal(await statusOf('GET', '/old'), now < Date.UTC(2050) ? 204 : 410)
    })
  })
}

describe('the real clock after fake timers', () => {
  it('is used by sessions, tokens, webhooks and cookies', async () => {
    assert.equal(await (await cookieReader('/sessions'))(), 'ada')
    assert.equal(await (await cookieReader('/themes'))(), 'dark')
    assert.equal(await statusOf('GET', '/tokens', { authorization: `Bearer ${signToken({ sub: 'ada' })}` }), 204)
    const signed = signWebhook({ id: 'm', timestamp: new Date(), body: '', secret: SECRET })
    assert.equal(await statusOf('POST', '/hooks', signed), 204)
    assert.equal(await statusOf('GET', '/old'), 204)
  })
})
