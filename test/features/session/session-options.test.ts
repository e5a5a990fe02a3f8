/** What `session`, its store and its cookie are made with, and schemas of all kinds. */
import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { createApp, Route, type App } from 'verbena'
import { session, type SessionOptions, type SessionProvider, type SessionStore } from 'verbena/session'
import { queryStore, memorySessions } from '#src/features/session/store.js'
import { assertSetupError, captureLog } from '#test/apps.js'
import { KEY, readCookie } from '#test/visitors.js'
import * as z from 'zod'

/** `session` for what the compiler would refuse. */
function loosely(options: unknown): SessionProvider<unknown> {
  const make: unknown = session
  // Proof: at run time it takes anything.
  return (make as (given: unknown) => SessionProvider<unknown>)(options)
}

function appOf(visitor: SessionProvider<unknown>, write: (given: Given) => unknown): { app: App; lines: Lines } {
  class Home extends Route {
    static readonly path = '/'
    static readonly uses = { visitor }
    get({ visitor }: { visitor: Given }) {
      return { kept: visitor.value ?? null }
    }
    post({ visitor }: { visitor: Given }) {
      return { wrote: write(visitor) ?? null }
    }
  }
  const { logger, lines } = captureLog()
  return { app: createApp({ logger, routes: { Home } }), lines }
}
type Lines = ReturnType<typeof captureLog>['lines']
interface Given {
  readonly value: unknown
  start(value: unknown): void
  set(value: unknown): void
  end(): void
}

async function lineOf(app: App, url = 'http://localhost/'): Promise<string> {
  const response = await app.fetch(new Request(url, { method: 'POST' }))
  return response.headers.getSetCookie()[0] ?? `${response.status}`
}
async function keptIn(app: App, line: string): Promise<unknown> {
  const { name, value } = readCookie(line)
  const response = await app.fetch(new Request('http://localhost/', { headers: { cookie: `${name}=${value}` } }))
  const body: { kept: unknown } = JSON.parse(await response.text())
  return body.kept
}

function errorIn(lines: Lines): string {
  return String(lines.find(({ level }) => level === 'error')?.fields['err'])
}

describe('options of session()', () => {
  it('are refused where they cannot be used, with the way out', () => {
    const cases: readonly (readonly [options: unknown, text: string])[] = [
      [undefined, 'it is given no options. Write "session({ keys: [current] })"'],
      [{}, 'it has no keys'],
      [{ keys: [] }, '"keys" is no list of texts of 32 bytes at least'],
      [{ keys: KEY }, '"keys" is no list'],
      [{ keys: [KEY, 'x'.repeat(31)] }, 'make one by "openssl rand -base64 32"'],
      [{ keys: [Buffer.alloc(32)] }, '"keys" is no list'],
      [{ keys: [KEY], schema: {} }, '"schema" is not a schema'],
      [{ keys: [KEY], store: { get: () => null } }, '"store" has not the methods get, set, delete and touch'],
      [{ keys: [KEY], store: null }, '"store" has not'],
      [{ keys: [KEY], idle: 0 }, '"idle" is not a whole number of ms from 1 up'],
      [{ keys: [KEY], absolute: '1h' }, '"absolute" is not a whole number of ms from 1 up'],
      [{ keys: [KEY], ttl: 1 }, 'unknown option "ttl"'],
      [{ keys: [KEY], cookie: 'sid' }, `"cookie" is no record. Write "cookie: { name: 'session' }"`],
      [{ keys: [KEY], cookie: { secure: false } }, '"cookie" is wrong, unknown option "secure"'],
      [{ keys: [KEY], cookie: { name: 'a b' } }, '"name" is no name without a prefix'],
      [{ keys: [KEY], cookie: { name: '__Host-sid' } }, '"__Host-" is put before it'],
      [{ keys: [KEY], cookie: { name: '__secure-sid' } }, '"name" is no name without a prefix'],
      [{ keys: [KEY], cookie: { path: 'a' } }, '"path" is no path'],
      [{ keys: [KEY], cookie: { path: '/; Domain=x' } }, '"path" is no path'],
      [{ keys: [KEY], cookie: { domain: 'a;b' } }, '"domain" is no domain'],
      [{ keys: [KEY], cookie: { domain: 'a/b' } }, '"domain" is no domain'],
      [{ keys: [KEY], cookie: { sameSite: 'Lax' } }, '"sameSite" is none of'],
      [{ keys: [KEY], cookie: { insecure: false } }, '"insecure" is not true'],
      [{ keys: [KEY], cookie: { domain: 'a..example' } }, '"domain" is no domain'],
      [{ keys: [KEY], cookie: { sameSite: 'none', insecure: true } }, `"sameSite: 'none'" requires a secure cookie`],
    ]
    for (const [options, text] of cases) assertSetupError(() => loosely(options), 'PROVIDER_INVALID', text)
  })

  it('count the bytes of a key, not its characters', () => {
    assert.ok(loosely({ keys: ['é'.repeat(16)] }))
  })

  const COOKIES: readonly (readonly [cookie: SessionOptions<z.ZodType>['cookie'], name: string, attributes: string])[] =
    [
      [{}, '__Host-session', 'Path=/; Max-Age=86400; SameSite=Lax; Secure; HttpOnly'],
      [{ name: 'sid', sameSite: 'strict' }, '__Host-sid', 'Path=/; Max-Age=86400; SameSite=Strict; Secure; HttpOnly'],
      [{ path: '/shop' }, '__Secure-session', 'Path=/shop; Max-Age=86400; SameSite=Lax; Secure; HttpOnly'],
      [
        { domain: 'app.example', sameSite: 'none' },
        '__Secure-session',
        'Domain=app.example; Path=/; Max-Age=86400; SameSite=None; Secure; HttpOnly',
      ],
      [{ insecure: true }, 'session', 'Path=/; Max-Age=86400; SameSite=Lax; HttpOnly'],
    ]
  for (const [cookie = {}, name, attributes] of COOKIES) {
    it(`make the cookie ${name}, ${attributes}`, async () => {
      const { app } = appOf(session({ keys: [KEY], cookie }), (visitor) => visitor.start('ada'))
      const line = await lineOf(app)
      assert.deepEqual([readCookie(line).name, line.slice(line.indexOf('; ') + 2)], [name, attributes])
      assert.equal(await keptIn(app, line), 'ada')
    })
  }

  it('with no store keep sessions in this process, of which the log warns once in production', async (test) => {
    const modes: readonly (readonly [mode: string, count: number])[] = [
      ['production', 1],
      ['test', 0],
    ]
    const before = process.env['NODE_ENV']
    test.after(() => {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    })
    for (const [mode, count] of modes) {
      process.env['NODE_ENV'] = mode
      const { app, lines } = appOf(session({ keys: [KEY] }), (visitor) => visitor.start('ada'))
      await keptIn(app, await lineOf(app))
      const warned = lines.filter(({ level }) => level === 'warn')
      assert.deepEqual([mode, warned.length], [mode, count])
      if (count > 0) assert.match(String(warned[0]?.message), /^Sessions are kept in the memory of this process/)
      const { app: stored, lines: none } = appOf(session({ keys: [KEY], store: memorySessions() }), () => null)
      await lineOf(stored)
      assert.deepEqual(none, [])
    }
  })
})

describe('the schema of a session', () => {
  it('takes texts alone unless there is one', async () => {
    const { app, lines } = appOf(session({ keys: [KEY] }), (visitor) => visitor.start(7))
    assert.equal(await lineOf(app), '500')
    assert.match(errorIn(lines), /it does not fit its schema at "", "it is no text"/)
  })

  it('gives what it makes of the value, in the request that gives it and in the next', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text).getUTCFullYear()) })
    const write = (visitor: Given): unknown => {
      visitor.start({ at: '2026-11-23' })
      return visitor.value
    }
    const { app } = appOf(session({ keys: [KEY], schema }), write)
    assert.deepEqual(await keptIn(app, await lineOf(app)), { at: 2026 })
  })

  it('is asked of the JSON that is kept: what would not come back is refused at once', async () => {
    for (const value of [{ at: new Date() }, new Map(), undefined, () => 1]) {
      const schema = z.object({ at: z.date() })
      const { app, lines } = appOf(session({ keys: [KEY], schema }), (visitor) => visitor.start(value))
      assert.equal(await lineOf(app), '500')
      assert.match(errorIn(lines), /Cannot set the session: (?:as JSON it does not fit|its value has no form in JSON)/)
    }
  })

  it('may be asynchronous: then the value is written when it has answered, and read in the next request', async () => {
    const schema = z.string().refine(async (text) => text !== 'mallory')
    const seen: unknown[] = []
    const write = (visitor: Given): void => {
      visitor.start('mallory')
      visitor.start('ada')
      try {
        seen.push(visitor.value)
      } catch (error) {
        seen.push(String(error))
      }
    }
    const { app } = appOf(session({ keys: [KEY], schema }), write)
    assert.equal(await keptIn(app, await lineOf(app)), 'ada')
    assert.match(String(seen[0]), /Cannot read the session: its schema is still at work on the new value/)
  })

  it('may refuse asynchronously, which fails the request; what was ended before stays ended', async () => {
    const schema = z.string().refine(async (text) => text === 'ada')
    const names = ['ada', 'mallory']
    const write = (visitor: Given): void => {
      visitor.end()
      visitor.start(names.shift())
    }
    const { app, lines } = appOf(session({ keys: [KEY], schema }), write)
    const line = await lineOf(app)
    const { name, value } = readCookie(line)
    const failed = await app.fetch(
      new Request('http://localhost/', { method: 'POST', headers: { cookie: `${name}=${value}` } }),
    )
    assert.deepEqual([failed.status, failed.headers.getSetCookie().length], [500, 1])
    assert.match(errorIn(lines), /Cannot set the session: as JSON it does not fit/)
    assert.equal(await keptIn(app, line), null)
  })

  it('forgets what it was asked about a value that was ended meanwhile', async () => {
    const schema = z.string().refine(async (text) => text === 'ada')
    const write = (visitor: Given): void => {
      visitor.start('mallory')
      visitor.end()
    }
    const { app } = appOf(session({ keys: [KEY], schema }), write)
    assert.match(await lineOf(app), /Max-Age=0/)
  })
})

describe('memorySessions()', () => {
  it('changes and keeps on only what is there, and forgets the oldest', async () => {
    const store = memorySessions(2)
    const end = Date.now() + 60_000
    await store.set('a', '1', end, 'changed')
    await store.touch('a', end)
    assert.equal(store.get('a'), undefined)
    await store.set('a', '1', end, 'new')
    await store.set('a', '2', end, 'changed')
    assert.equal(store.get('a'), '2')
    await store.touch('a', Date.now() - 1)
    assert.equal(store.get('a'), undefined)
    for (const key of ['b', 'c', 'd']) await store.set(key, key, end, 'new')
    assert.deepEqual(
      ['b', 'c', 'd'].map((key) => store.get(key)),
      [undefined, 'c', 'd'],
    )
    await store.delete('d')
    assert.equal(store.get('d'), undefined)
  })
})

describe('queryStore()', () => {
  it('fails with 503 when a store throws, rejects, or does not answer in time', async () => {
    const failing: readonly (() => unknown)[] = [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
    ]
    for (const work of failing) {
      await assert.rejects(queryStore(work), (error: { status: number; cause: unknown; message: string }) => {
        assert.deepEqual(
          [error.status, String(error.cause), error.message],
          [503, 'Error: down', 'Sessions are out of reach'],
        )
        return true
      })
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const waiting = queryStore(() => new Promise(() => {}))
      mock.timers.tick(5_000)
      await assert.rejects(waiting, { status: 503 })
    } finally {
      mock.timers.reset()
    }
  })

  it('gives what a store gives, and leaves no timer behind', async () => {
    assert.deepEqual([await queryStore(() => 7), await queryStore(async () => 'text')], [7, 'text'])
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
      [],
    )
  })

  it('does not take what is no text for a session', async () => {
    for (const found of [7, {}, true, Buffer.from('{}')]) {
      // Proof: none; that is what is tested.
      const store: SessionStore = { ...memorySessions(), get: () => found as unknown as string }
      const { app, lines } = appOf(session({ keys: [KEY], store }), (visitor) => visitor.start('ada'))
      const { name, value } = readCookie(await lineOf(app))
      const { status } = await app.fetch(new Request('http://localhost/', { headers: { cookie: `${name}=${value}` } }))
      assert.equal(status, 500)
      assert.match(errorIn(lines), /Cannot read a session: its store gave \w+\. Let it give the text/)
    }
  })
})
