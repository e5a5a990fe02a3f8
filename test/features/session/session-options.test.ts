/** Options of `session`, schemas, the in-memory store, and failures of stores. */
import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { Route, type App } from 'verbena'
import { session, type SessionOptions, type SessionProvider, type SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { queryStore } from '#src/features/session/query-store.js'
import { assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'
import { KEY, readCookie } from '#test/browser-client.js'
import * as z from 'zod'

/** Calls `session` with options that the compiler would reject. */
function loosely(options: unknown): SessionProvider<unknown> {
  const make: unknown = session
  // Proof: at run time the function checks any argument.
  return (make as (given: unknown) => SessionProvider<unknown>)(options)
}

interface AppOf {
  readonly app: App
  readonly lines: Lines
}

function appOf(
  visitor: SessionProvider<unknown, never, never>,
  write: (given: Given) => unknown,
  services: object = {},
): AppOf {
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
  return { app: createUntypedApp({ logger, routes: { Home }, services }), lines }
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

describe('session() options', () => {
  it('rejects invalid options with a fix', () => {
    const cases: readonly (readonly [options: unknown, text: string])[] = [
      [
        undefined,
        'the options of session(): they must be an object, not undefined. Write "{ keys: [current, previous] }"',
      ],
      [{}, '"keys" of session(): it is missing'],
      [{ keys: [] }, '"keys" of session(): it must be an array of strings of at least 32 bytes'],
      [{ keys: KEY }, '"keys" of session(): it must be an array'],
      [{ keys: [KEY, 'x'.repeat(31)] }, 'such as from "openssl rand -base64 32"'],
      [{ keys: [Buffer.alloc(32)] }, '"keys" of session(): it must be an array'],
      [{ keys: [KEY], schema: {} }, '"schema" of session(): it must be a schema'],
      [
        { keys: [KEY], store: { get: () => null } },
        '"store" of session(): it must have the methods get, set, delete and touch',
      ],
      [{ keys: [KEY], store: null }, '"store" of session(): it must have'],
      [{ keys: [KEY], idle: 0 }, '"idle" of session(): it must be a positive integer of ms'],
      [{ keys: [KEY], absolute: '1h' }, '"absolute" of session(): it must be a positive integer of ms'],
      [{ keys: [KEY], ttl: 1 }, '"ttl" of session(): it is unknown'],
      [
        { keys: [KEY], cookie: 'sid' },
        `"cookie" of session(): it must be an object, not a string of length 3. Write "cookie: { name: 'session' }"`,
      ],
      [{ keys: [KEY], cookie: { secure: false } }, '"cookie.secure" of session(): it is unknown'],
      [
        { keys: [KEY], cookie: { name: 'a b' } },
        '"cookie.name" of session(): it must be a cookie name without a prefix',
      ],
      [{ keys: [KEY], cookie: { name: '__Host-sid' } }, 'Verbena adds "__Host-"'],
      [
        { keys: [KEY], cookie: { name: '__secure-sid' } },
        '"cookie.name" of session(): it must be a cookie name without a prefix',
      ],
      [{ keys: [KEY], cookie: { path: 'a' } }, '"cookie.path" of session(): it must be a path'],
      [{ keys: [KEY], cookie: { path: '/; Domain=x' } }, '"cookie.path" of session(): it must be a path'],
      [{ keys: [KEY], cookie: { domain: 'a;b' } }, '"cookie.domain" of session(): it must be a domain'],
      [{ keys: [KEY], cookie: { domain: 'a/b' } }, '"cookie.domain" of session(): it must be a domain'],
      [{ keys: [KEY], cookie: { sameSite: 'Lax' } }, '"cookie.sameSite" of session(): it must be'],
      [{ keys: [KEY], cookie: { insecure: false } }, '"cookie.insecure" of session(): it must be true'],
      [{ keys: [KEY], cookie: { domain: 'a..example' } }, '"cookie.domain" of session(): it must be a domain'],
      [{ keys: [KEY], cookie: { sameSite: 'none', insecure: true } }, `it is 'none', which requires a secure cookie`],
      [{ keys: [KEY], cookie: { partitioned: 1 } }, '"cookie.partitioned" of session(): it must be true or false'],
      [
        { keys: [KEY], cookie: { partitioned: true, insecure: true } },
        `"cookie.partitioned" of session(): it is true, which requires a secure cookie. Remove "insecure" or "partitioned"`,
      ],
    ]
    for (const [options, text] of cases) assertSetupError(() => loosely(options), 'OPTION_INVALID', text)
  })

  it('counts the bytes of a key, not its characters', () => {
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
      [
        { sameSite: 'none', partitioned: true },
        '__Host-session',
        'Path=/; Max-Age=86400; SameSite=None; Secure; HttpOnly; Partitioned',
      ],
      [{ partitioned: false }, '__Host-session', 'Path=/; Max-Age=86400; SameSite=Lax; Secure; HttpOnly'],
      [{ insecure: true }, 'session', 'Path=/; Max-Age=86400; SameSite=Lax; HttpOnly'],
    ]
  for (const [cookie = {}, name, attributes] of COOKIES) {
    it(`sets the cookie ${name}, ${attributes}`, async () => {
      const { app } = appOf(session({ keys: [KEY], cookie }), (visitor) => visitor.start('ada'))
      const line = await lineOf(app)
      assert.deepEqual([readCookie(line).name, line.slice(line.indexOf('; ') + 2)], [name, attributes])
      assert.equal(await keptIn(app, line), 'ada')
    })
  }

  it('stores sessions in memory without a store, and logs one warning in production', async (test) => {
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
      if (count > 0) assert.match(String(warned[0]?.message), /^Sessions are stored in memory/)
      const { app: stored, lines: none } = appOf(session({ keys: [KEY], store: memorySessions() }), () => null)
      await lineOf(stored)
      assert.deepEqual(none, [])
    }
  })
})

describe('session: keys from services', () => {
  it('stores the sessions of each app in separate memory without a store', async () => {
    const visitor = session({ keys: async ({ keys }: { keys: string[] }) => keys })
    const write = (given: Given): void => given.start('Ada')
    const [{ app }, { app: other }] = [1, 2].map(() => appOf(visitor, write, { keys: [KEY] })) as [AppOf, AppOf]
    const line = await lineOf(app)
    assert.deepEqual([await keptIn(app, line), await keptIn(other, line)], ['Ada', null])
  })
})

describe('session: schema', () => {
  it('accepts only strings without a schema', async () => {
    const { app, lines } = appOf(session({ keys: [KEY] }), (visitor) => visitor.start(7))
    assert.equal(await lineOf(app), '500')
    assert.match(errorIn(lines), /does not match the schema at "", "Expected a string"/)
  })

  it('returns the transformed value in the same request and in the next', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text).getUTCFullYear()) })
    const write = (visitor: Given): unknown => {
      visitor.start({ at: '2026-11-23' })
      return visitor.value
    }
    const { app } = appOf(session({ keys: [KEY], schema }), write)
    assert.deepEqual(await keptIn(app, await lineOf(app)), { at: 2026 })
  })

  it('rejects a value whose JSON form does not match the schema', async () => {
    for (const value of [{ at: new Date() }, new Map(), undefined, () => 1]) {
      const schema = z.object({ at: z.date() })
      const { app, lines } = appOf(session({ keys: [KEY], schema }), (visitor) => visitor.start(value))
      assert.equal(await lineOf(app), '500')
      assert.match(
        errorIn(lines),
        /Cannot set the session: (?:the JSON form of the value does not match|JSON cannot represent the value)/,
      )
    }
  })

  it('saves the value after an asynchronous schema has accepted it', async () => {
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
    assert.match(String(seen[0]), /Cannot read the session: the schema is still validating the new value/)
  })

  it('responds 500 if an asynchronous schema rejects the value, and keeps an ended session ended', async () => {
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
    assert.match(errorIn(lines), /Cannot set the session: the JSON form of the value does not match/)
    assert.equal(await keptIn(app, line), null)
  })

  it('ignores the result of an asynchronous schema after end()', async () => {
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
  it('updates only existing sessions, and removes the oldest if full', async () => {
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
  it('throws 503 if a store throws, rejects, or does not respond in time', async () => {
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
          [503, 'Error: down', 'Sessions are temporarily unavailable. Try again later'],
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

  it('returns the result of the store and clears its timer', async () => {
    assert.deepEqual([await queryStore(() => 7), await queryStore(async () => 'text')], [7, 'text'])
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
      [],
    )
  })

  it('responds 500 if the store returns anything but a string', async () => {
    for (const found of [7, {}, true, Buffer.from('{}')]) {
      // Proof: none; a wrong type is the case under test.
      const store: SessionStore = { ...memorySessions(), get: () => found as unknown as string }
      const { app, lines } = appOf(session({ keys: [KEY], store }), (visitor) => visitor.start('ada'))
      const { name, value } = readCookie(await lineOf(app))
      const { status } = await app.fetch(new Request('http://localhost/', { headers: { cookie: `${name}=${value}` } }))
      assert.equal(status, 500)
      assert.match(errorIn(lines), /Cannot read a session: the store returned a value of type \w+\. Return the string/)
    }
  })
})
