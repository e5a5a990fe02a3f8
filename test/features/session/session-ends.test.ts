/** End of sessions: `idle`, `absolute`, changed schemas, malformed data and changed keys. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { createApp, Route, type App } from 'verbena'
import { session, type SessionOptions, type SessionProvider, type SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { captureLog } from '#test/apps.js'
import { KEY, notingStore, OTHER_KEY, readCookie } from '#test/browser-client.js'
import * as z from 'zod'

const AnySchema = z.unknown()
const MINUTE = 60_000
const { logger, lines } = captureLog()
const calls: string[] = []
const touches = (): number => calls.filter((call) => call === 'touch').length

function appWith(options: Partial<SessionOptions<z.ZodType>>): App {
  return appOf(session({ schema: AnySchema, keys: [KEY], idle: 10 * MINUTE, absolute: 60 * MINUTE, ...options }))
}

function appOf(visitor: SessionProvider<unknown>): App {
  class Signing extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    get({ visitor }: { visitor: { value: unknown } }) {
      return { kept: visitor.value ?? null }
    }
    post({ visitor }: { visitor: { start(value: unknown): void } }) {
      visitor.start('ada')
    }
    put({ visitor }: { visitor: { set(value: unknown): void } }) {
      visitor.set('ben')
    }
  }
  return createApp({ logger, routes: { Signing } })
}

interface Asked {
  readonly body: unknown
  /** The `Set-Cookie` header; `undefined` if no cookie was set. */
  readonly line: string | undefined
}

async function ask(app: App, method: string, cookie?: string): Promise<Asked> {
  const headers = cookie === undefined ? {} : { cookie: `__Host-session=${cookie}` }
  const response = await app.fetch(new Request('http://localhost/', { method, headers }))
  const text = await response.text()
  assert.ok(response.status < 300, `${response.status} ${text}`)
  return { body: text === '' ? undefined : JSON.parse(text).kept, line: response.headers.getSetCookie()[0] }
}

async function start(app: App): Promise<string> {
  const { line = '' } = await ask(app, 'POST')
  return readCookie(line).value
}

function maxAge(line = ''): number {
  return Number(/Max-Age=(\d+)/.exec(line)?.[1])
}

const setClock = () => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
  calls.length = 0
  lines.length = 0
}
const resetClock = () => mock.timers.reset()

describe('session: lifetime', () => {
  beforeEach(setClock)
  afterEach(resetClock)

  it('ends a session after "idle" without a request', async () => {
    const app = appWith({ store: notingStore(calls) })
    const cookie = await start(app)
    mock.timers.tick(10 * MINUTE - 1)
    assert.equal((await ask(app, 'GET', cookie)).body, 'ada')
    mock.timers.tick(1)
    assert.deepEqual(await ask(app, 'GET', cookie), { body: null, line: undefined })
  })

  it('extends a session with a request after a tenth of "idle"', async () => {
    const app = appWith({ store: notingStore(calls) })
    const cookie = await start(app)
    mock.timers.tick(MINUTE)
    assert.deepEqual(await ask(app, 'GET', cookie), { body: 'ada', line: undefined })
    assert.equal(touches(), 0)
    mock.timers.tick(1)
    const { line = '' } = await ask(app, 'GET', cookie)
    assert.deepEqual([touches(), maxAge(line)], [1, 600])
    mock.timers.tick(10 * MINUTE - 1)
    assert.equal((await ask(app, 'GET', readCookie(line).value)).body, 'ada')
    // The cookie that was there before has ended, though the store knows the session.
    assert.equal((await ask(app, 'GET', cookie)).body, null)
  })

  it('extends a session with a new value', async () => {
    const app = appWith({ store: notingStore(calls) })
    const cookie = await start(app)
    mock.timers.tick(30_000)
    const { line = '' } = await ask(app, 'PUT', cookie)
    assert.deepEqual([touches(), maxAge(line)], [0, 600])
    mock.timers.tick(10 * MINUTE - 1)
    assert.equal((await ask(app, 'GET', readCookie(line).value)).body, 'ben')
  })

  it('ends a session in use after "absolute"', async () => {
    const app = appWith({ store: notingStore(calls) })
    let cookie = await start(app)
    for (let passed = 9; passed < 60; passed += 9) {
      mock.timers.tick(9 * MINUTE)
      const { body, line = '' } = await ask(app, passed === 27 ? 'PUT' : 'GET', cookie)
      assert.ok(body !== null)
      assert.equal(maxAge(line), Math.min(10, 60 - passed) * 60)
      cookie = readCookie(line).value
    }
    mock.timers.tick(MINUTE)
    assert.deepEqual(await ask(app, 'GET', cookie), { body: 'ben', line: undefined })
    mock.timers.tick(5 * MINUTE)
    assert.equal((await ask(app, 'GET', cookie)).body, null)
  })

  it('ends a session after "absolute" even if the store ignores expiry times', async () => {
    const kept = new Map<string, string>()
    const store: SessionStore = {
      get: (key) => kept.get(key),
      set: (key, text) => kept.set(key, text.replace(/"last":\d+/, `"last":${Date.now()}`)).has(key),
      delete: (key) => kept.delete(key),
      touch: () => true,
    }
    const app = appWith({ store })
    const cookie = await start(app)
    assert.equal(kept.size, 1)
    const { body, line } = await ask(app, 'GET', cookie)
    assert.deepEqual([body, line, kept.size], [null, undefined, 0])
  })

  it('defaults to 1 day without a request and 30 days in total', async () => {
    const store = notingStore(calls)
    const day = 1_440 * MINUTE
    const visitor = { schema: AnySchema, keys: [KEY], store }
    const app = appOf(session(visitor))
    let cookie = await start(app)
    for (let passed = 0.75; passed < 30; passed += 0.75) {
      mock.timers.tick(0.75 * day)
      const { body, line = '' } = await ask(app, 'GET', cookie)
      assert.equal(body, 'ada')
      if (line !== '') cookie = readCookie(line).value
      if (passed < 29) assert.equal(maxAge(line), 86_400)
    }
    mock.timers.tick(0.75 * day)
    assert.equal((await ask(app, 'GET', cookie)).body, null)
  })
})

describe('session: unusable sessions', () => {
  beforeEach(setClock)
  afterEach(resetClock)

  it('deletes a session from the store, but not its cookie, if the value does not match the schema', async () => {
    const store = notingStore(calls)
    const cookie = await start(appWith({ store }))
    const later = appWith({ store, schema: z.object({ name: z.string() }) })
    const { body, line } = await ask(later, 'GET', cookie)
    assert.deepEqual([body, line, calls], [null, undefined, ['set new', 'get', 'delete']])
    assert.deepEqual(await ask(later, 'GET', cookie), { body: null, line: undefined })
  })

  it('replaces a session with a mismatched value when a new session starts', async () => {
    const store = memorySessions()
    const before = appWith({ store })
    const cookie = await start(before)
    await ask(before, 'PUT', cookie)
    const app = appWith({ store, schema: z.literal('ada') })
    const { line = '' } = await ask(app, 'POST', cookie)
    assert.equal((await ask(app, 'GET', readCookie(line).value)).body, 'ada')
  })

  it('does not delete the cookie of a session that is not in the store', async () => {
    const cookie = await start(appWith({ store: memorySessions() }))
    assert.deepEqual(await ask(appWith({ store: memorySessions() }), 'GET', cookie), { body: null, line: undefined })
  })

  it('discards a session and logs a warning if the store returns malformed data', async () => {
    for (const rubbish of ['', '{', 'null', '7', '[]', '{"value":"ada"}', '{"last":"soon","value":"ada"}']) {
      const kept = memorySessions()
      const app = appWith({ store: { ...kept, get: () => rubbish } })
      lines.length = 0
      const { body, line } = await ask(app, 'GET', await start(app))
      assert.deepEqual([body, line, lines.length], [null, undefined, 1], rubbish)
      assert.match(String(lines[0]?.message), /^Session discarded: the store returned malformed data/)
    }
  })

  it('treats null from the store as a missing session', async () => {
    const app = appWith({ store: { ...memorySessions(), get: () => null } })
    assert.deepEqual(await ask(app, 'GET', await start(app)), { body: null, line: undefined })
  })
})

describe('session: key rotation', () => {
  beforeEach(setClock)
  afterEach(resetClock)

  it('signs with the first key and verifies with all keys', async () => {
    const store = memorySessions()
    const old = await start(appWith({ store, keys: [OTHER_KEY] }))
    const rotated = appWith({ store, keys: [KEY, OTHER_KEY] })
    assert.equal((await ask(rotated, 'GET', old)).body, 'ada')
    const { line = '' } = await ask(rotated, 'PUT', old)
    const fresh = readCookie(line).value
    const without = appWith({ store, keys: [KEY] })
    assert.equal((await ask(without, 'GET', fresh)).body, 'ben')
    assert.deepEqual(await ask(without, 'GET', old), { body: null, line: undefined })
  })
})
