// own process: hooks of createVisitor() are for all tests of the process
/** `signedIn()`: a session as credentials, separately and combined with others. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  createApp,
  group,
  optional,
  precondition,
  provide,
  Route,
  type Input,
} from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { session, signedIn, type Session, type SessionStore } from 'verbena/session'
import { override, testApp } from 'verbena/testing'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { assertSetupError, captureLog } from '#test/apps.js'
import { KEY, OTHER_KEY, setCookies, createVisitor } from '#test/browser-client.js'
import * as z from 'zod'

interface User {
  readonly name: string
}
interface Db {
  user(id: string): Promise<User | undefined>
}

const verified: string[] = []
const visitor = session({ schema: z.object({ userId: z.string() }), keys: [KEY] })
const user = signedIn(visitor, ({ userId }, { db }: { db: Db }) => {
  verified.push(userId)
  return db.user(userId)
})
const token = bearer((given) => given === 'good' && { name: 'a robot' })
const key = apiKey({ in: 'query', name: 'key' }, (given) => given === 'good' && { name: 'a partner' })
const callers = {
  'bearer-first': anyOf(token, user),
  'session-first': anyOf(user, token),
  lenient: optional(anyOf(token, user), { invalid: 'ignore' }),
  custom: anyOf(
    bearer((given) => given === 'good' && { name: 'a robot' }, { scheme: 'Token' }),
    user,
  ),
  negotiated: anyOf(
    bearer((given) => given === 'good' && { name: 'a robot' }, { scheme: 'Negotiate' }),
    user,
  ),
  basic: anyOf(basic({ ada: 'x' }), user),
  key: anyOf(key, user),
  beside: token,
}

class Signing extends Route {
  static readonly path = '/session'
  static readonly post = this.contract({ body: z.string(), uses: { visitor }, returns: null, public: true })
  async post({ visitor, body }: Input<typeof Signing.post>) {
    visitor.start({ userId: body })
  }
}

class Me extends Route<{ db: Db }> {
  static readonly uses = { user }
  static readonly get = this.contract({ returns: z.string() })
  async get({ user }: Input<typeof Me.get>) {
    return user.name
  }
  static readonly post = this.contract({ body: z.object({ strict: z.literal(true) }) })
  async post({ user }: Input<typeof Me.post>) {
    return user.name
  }
}

class Feed extends Route {
  static readonly get = this.contract({ uses: { user: optional(user) } })
  async get({ user }: Input<typeof Feed.get>) {
    return user?.name ?? 'nobody'
  }
}

/** Accepts only credentials that browsers send automatically, and does not list the session in `uses`. */
class Ambient extends Route {
  static readonly uses = { caller: callers.basic }
  post({ caller }: { caller: { name?: string } }) {
    return caller.name ?? 'by password'
  }
}

/** Routes for each combination; the session comes before the credentials in `uses`. */
const combined = Object.entries(callers).map(([name, caller]) => {
  class Combined extends Route {
    static readonly path = `/${name}`
    static readonly uses = { visitor, caller }
    post({ caller, visitor }: { caller: User | undefined; visitor: Session<{ userId: string }> }) {
      return [caller?.name ?? null, visitor.value?.userId ?? null]
    }
  }
  return [`Of${name.replaceAll('-', '')}`, Combined] as const
})

const users = new Map<string, User>([['7', { name: 'ada' }]])
const db: Db = { user: async (id) => users.get(id) }
const { logger, lines } = captureLog()
const routes = { Signing, Me, Feed, Ambient, ...Object.fromEntries(combined) }
const app = createApp({ logger, routes, services: { db } })

const ada = createVisitor(app)
const clearCalls = () => {
  verified.length = 0
  lines.length = 0
}
const signIn = (id = '7') => ada.ask('POST', '/session', { body: id })

describe('signedIn()', () => {
  beforeEach(clearCalls)

  it('responds 401 without a session before the body is read', async () => {
    const { status, headers } = await ada.ask('POST', '/me', { body: {} })
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'ApiKey in="cookie", name="__Host-session"'])
    assert.deepEqual(verified, [])
  })

  it('provides the signed-in user, including for HEAD', async () => {
    await signIn()
    assert.equal((await ada.ask('GET', '/me')).body, '"ada"')
    assert.equal((await ada.ask('HEAD', '/me')).status, 200)
    assert.equal((await ada.ask('POST', '/me', { body: {} })).status, 422)
    assert.deepEqual(verified, ['7', '7', '7'])
  })

  it('responds 401 if the function finds no user for the session', async () => {
    await signIn('8')
    const { status, body } = await ada.ask('GET', '/me')
    assert.deepEqual([status, JSON.parse(body).detail], [401, 'The session is not valid'])
  })

  it('responds 401 to an invalid cookie and does not delete it', async () => {
    const answer = await ada.ask('GET', '/me', { headers: { cookie: '__Host-session=forged' } })
    assert.deepEqual([answer.status, setCookies(answer)], [401, []])
  })

  it('provides undefined in optional() without a valid session cookie', async () => {
    assert.equal((await ada.ask('GET', '/feed')).body, 'nobody')
    assert.equal((await ada.ask('GET', '/feed', { headers: { cookie: '__Host-session=over' } })).body, 'nobody')
    await signIn()
    assert.equal((await ada.ask('GET', '/feed')).body, 'ada')
    await signIn('8')
    assert.equal((await ada.ask('GET', '/feed')).status, 401)
  })

  it('uses the first credentials of the request in anyOf()', async () => {
    await signIn()
    const ask = async (path: string, authorization?: string): Promise<unknown> => {
      const headers = authorization === undefined ? {} : { authorization }
      const { status, body } = await ada.ask('POST', path, { headers })
      return status === 200 ? JSON.parse(body) : status
    }
    assert.deepEqual(await ask('/bearer-first'), ['ada', '7'])
    assert.deepEqual(await ask('/bearer-first', 'Bearer good'), ['a robot', '7'])
    assert.deepEqual(await ask('/bearer-first', 'Bearer bad'), 401)
    assert.deepEqual(await ask('/session-first', 'Bearer good'), ['ada', '7'])
    assert.deepEqual(await ask('/lenient', 'Bearer bad'), ['ada', '7'])
    ada.cookies.clear()
    assert.deepEqual(await ask('/session-first', 'Bearer good'), ['a robot', null])
    assert.deepEqual(await ask('/lenient', 'Bearer bad'), [null, null])
    const { headers } = await ada.ask('POST', '/bearer-first')
    assert.equal(headers.get('www-authenticate'), 'Bearer, ApiKey in="cookie", name="__Host-session"')
  })

  it('documents the security scheme, 401 and 403', () => {
    const { paths, components } = app.openapi()
    const schemes = Object.entries(components.securitySchemes ?? {})
    const [[name = ''] = []] = schemes.filter(([, { in: place }]) => place === 'cookie')
    assert.deepEqual(components.securitySchemes?.[name], { type: 'apiKey', in: 'cookie', name: '__Host-session' })
    const [me, signing] = [paths['/me']?.['get'], paths['/session']?.['post']]
    assert.deepEqual([me?.security, signing?.security], [[{ [name]: [] }], []])
    assert.deepEqual([me?.responses['401'] !== undefined, me?.responses['403']], [true, undefined])
    assert.ok(signing?.responses['403'] !== undefined)
    assert.equal(signing?.responses['401'], undefined)
    assert.equal(me?.responses['503'], undefined)
    assert.deepEqual(
      app.check().filter(({ code }) => code === 'MUTATION_OPEN'),
      [],
    )
  })

  it('documents 503 with a custom store, so that strict tests accept it', async () => {
    const down: SessionStore = { ...memorySessions(), get: () => assert.fail('down') }
    const stored = session({ keys: [KEY], store: down })
    const name = signedIn(stored, (found) => found)
    class Home extends Route {
      static readonly get = this.contract({ uses: { name } })
      async get({ name }: Input<typeof Home.get>) {
        return name
      }
      static readonly post = this.contract({ uses: { stored }, returns: null })
      async post({ stored }: Input<typeof Home.post>) {
        stored.start('ada')
      }
    }
    const { fetch } = await testApp(createApp({ routes: { Home }, logger: false }), { strict: true })
    const { headers } = await fetch('/home', { method: 'POST' })
    const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
    for (const method of ['GET', 'POST'])
      assert.equal((await fetch('/home', { method, headers: { cookie } })).status, 503)
  })

  it('supports override() in tests, like the session', async () => {
    const { api } = await testApp(app, {
      strict: true,
      override: [override(user, () => ({ name: 'ben' })), override(visitor, () => fake)],
    })
    assert.equal((await api('/me').get()).body, 'ben')
    assert.equal((await api('/session').post({ body: '9' })).status, 204)
    assert.deepEqual(started, ['9'])
  })

  it('matches the OpenAPI document in strict tests with cookies', async () => {
    const { fetch } = await testApp(createApp({ routes: { Signing, Me }, services: { db }, logger: false }), {
      strict: true,
    })
    const json = { 'content-type': 'application/json' }
    const signed = await fetch('/session', { method: 'POST', headers: json, body: '"7"' })
    const [cookie = ''] = signed.headers.getSetCookie()[0]?.split(';') ?? []
    assert.equal(await (await fetch('/me', { headers: { cookie } })).text(), '"ada"')
    assert.equal((await fetch('/me', { headers: { cookie: '__Host-session=x' } })).status, 401)
    const foreign = { ...json, cookie, origin: 'https://evil.example' }
    assert.equal((await fetch('/session', { method: 'POST', headers: foreign, body: '"7"' })).status, 403)
  })

  it('rejects invalid arguments and a duplicate cookie in anyOf()', () => {
    assertSetupError(
      // @ts-expect-error - a provider of something else
      () => signedIn(token, () => 1),
      'OPTION_INVALID',
      'the argument "visitor" of signedIn(): it must be the result of "session({ … })"',
    )
    // @ts-expect-error - no function
    assertSetupError(() => signedIn(visitor), 'OPTION_INVALID', 'Write "signedIn(visitor, (value) => user)"')
    const same = apiKey({ in: 'cookie', name: '__Host-session' }, () => 1)
    assertSetupError(() => anyOf(same, user), 'PROVIDER_INVALID', 'two of its providers read "Cookie: __Host-session"')
  })
})

const started: string[] = []
const fake: Session<{ userId: string }> = {
  value: undefined,
  start: ({ userId }) => void started.push(userId),
  set: () => {},
  end: () => {},
}

describe('session: cross-origin requests', () => {
  beforeEach(clearCalls)

  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  /** With the session or without, and what `Authorization` has. */
  const statusOf = async (path: string, authorization?: string): Promise<number> => {
    const more = authorization === undefined ? {} : { authorization }
    return (await ada.ask('POST', path, { headers: { ...foreign, ...more } })).status
  }

  it('responds 403 to a cross-origin POST if the endpoint uses a session, with or without a cookie', async () => {
    for (const path of ['/session', '/me', ...Object.keys(callers).map((name) => `/${name}`)]) {
      assert.equal(await statusOf(path), path === '/beside' ? 401 : 403, path)
    }
    await signIn()
    for (const path of ['/session', '/me', '/bearer-first', '/session-first', '/lenient']) {
      assert.equal(await statusOf(path), 403, path)
    }
    assert.deepEqual(verified, [])
    assert.equal((await ada.ask('GET', '/me', { headers: foreign })).status, 200)
  })

  const EXEMPT: readonly (readonly [path: string, authorization: string, without: number, signedIn: number])[] = [
    ['/bearer-first', 'Bearer good', 200, 200],
    ['/bearer-first', 'Bearer bad', 401, 401],
    ['/bearer-first', 'Basic good', 403, 403],
    ['/session-first', 'Bearer good', 200, 403],
    ['/lenient', 'Bearer good', 200, 200],
    ['/lenient', 'Bearer bad', 403, 403],
    ['/custom', 'Token good', 200, 200],
    ['/custom', 'Bearer good', 403, 403],
    ['/negotiated', 'Negotiate good', 403, 403],
    ['/basic', `Basic ${Buffer.from('ada:x').toString('base64')}`, 403, 403],
    ['/ambient', `Basic ${Buffer.from('ada:x').toString('base64')}`, 403, 403],
    ['/key?key=good', '', 403, 403],
    // A separate bearer provider does not exempt a request with a session from the check of its origin.
    ['/beside', 'Bearer good', 403, 403],
  ]
  for (const [path, authorization, without, signed] of EXEMPT) {
    it(`responds ${without} without and ${signed} with a session to POST ${path} with "${authorization.slice(0, 12)}"`, async () => {
      assert.equal(await statusOf(path, authorization), without)
      await signIn()
      assert.equal(await statusOf(path, authorization), signed)
    })
  }
})

describe('session: combinations', () => {
  beforeEach(clearCalls)

  it('checks the origin after guards, or before a guard that uses the session', async () => {
    const events: string[] = []
    const guard = provide({ guard: true }, () => void events.push('guard'))
    const using = provide({ guard: true, uses: { visitor } }, () => void events.push('using'))
    class Plain extends Route {
      static readonly uses = { guard }
      post() {}
    }
    class Using extends Route {
      static readonly uses = { using, guard }
      post() {}
    }
    const grouped = createApp({ logger: false, routes: { g: group({ uses: { visitor }, routes: { Plain, Using } }) } })
    const ask = async (path: string) => {
      events.length = 0
      const headers = { origin: 'https://evil.example' }
      const { status } = await grouped.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers }))
      return [status, ...events]
    }
    assert.deepEqual(await ask('/plain'), [403, 'guard'])
    assert.deepEqual(await ask('/using'), [403])
  })

  it('checks the origin before preconditions, the body and stored replies', async () => {
    const events: string[] = []
    const once = idempotency({ by: () => 'all', ttl: 60_000 })
    const revision = precondition({}, () => events.push('revision'), { required: true })
    class Paying extends Route {
      static readonly uses = { revision, visitor }
      static readonly put = this.contract({ body: z.object({ strict: z.literal(true) }) })
      async put() {}
      static readonly post = this.contract({
        idempotency: once,
        body: z.object({ at: z.number() }),
        returns: z.object({ done: z.boolean() }),
      })
      async post() {
        return { done: events.push('done') > 0 }
      }
    }
    const paying = createApp({ logger: false, routes: { Paying } })
    const ask = async (method: string, origin: string, body: string) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': '"k"', 'if-match': '*', origin }
      const { status } = await paying.fetch(new Request('http://localhost/paying', { method, headers, body }))
      return [status, ...events.splice(0)]
    }
    assert.deepEqual(await ask('POST', 'http://localhost', '{"at":1}'), [200, 'revision', 'done'])
    assert.deepEqual(await ask('POST', 'http://localhost', '{"at":1}'), [200])
    for (const body of ['{"at":1}', '{']) assert.deepEqual(await ask('POST', 'https://evil.example', body), [403])
    assert.deepEqual(await ask('PUT', 'https://evil.example', '{'), [403])
    assert.deepEqual(await ask('PUT', 'http://localhost', '{'), [400, 'revision'])
  })

  it('separates sessions with different cookie names and the same keys', async () => {
    const admin = session({ keys: [KEY], cookie: { name: 'admin' } })
    const other = session({ keys: [KEY, OTHER_KEY], cookie: { name: 'other' } })
    class Two extends Route {
      static readonly uses = {
        admin,
        caller: optional(
          anyOf(
            signedIn(admin, (name) => name),
            signedIn(other, (name) => name),
          ),
        ),
      }
      put({ admin }: { admin: Session<string> }) {
        admin.start('ada')
      }
      get({ caller }: { caller: string | undefined }) {
        return caller ?? 'nobody'
      }
    }
    const two = createApp({ logger: false, routes: { Two } })
    const answer = await two.fetch(new Request('http://localhost/two', { method: 'PUT' }))
    const [pair = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
    const ask = async (cookie: string) =>
      (await two.fetch(new Request('http://localhost/two', { headers: { cookie } }))).text()
    assert.match(pair, /^__Host-admin=/)
    assert.equal(await ask(pair), 'ada')
    assert.equal(await ask(pair.replace('admin', 'other')), 'nobody')
  })
})
