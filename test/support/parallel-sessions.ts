/** Suite for parallel requests of one browser: a slower request must not undo a sign-in, sign-out or rotation. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createApp, HttpError, provide, Route, type App, type Input } from 'verbena'
import { session, type SessionOptions, type SessionStore } from 'verbena/session'
import * as z from 'zod'
import { createGate } from '#test/apps.js'
import type { WireAnswer } from '#test/e2e.js'
import { KEY, OTHER_KEY, setCookies, Visitor } from '#test/browser-client.js'

const MINUTE = 60_000
type User = z.ZodType<{ name: string; isAdmin: boolean }, { name: string; isAdmin?: boolean | undefined }>
const User: User = z.object({ name: z.string().max(10), isAdmin: z.boolean().default(false) })
/** An older version of `User`, which accepts longer names. */
const OldUser: User = z.object({ name: z.string(), isAdmin: z.boolean().default(false) })
const COOKIE = '__Host-session'

/** Points at which the slow request waits while the other one runs. */
const STAGES = ['before it reads the session', 'in its method'] as const
type Stage = (typeof STAGES)[number]

/** Requests that change the session of the browser, and the user after them. */
const DECISIONS: readonly (readonly [name: string, method: string, target: string, user: unknown])[] = [
  ['sign-in', 'POST', '/?name=ben', { name: 'ben', isAdmin: false }],
  ['sign-out', 'DELETE', '/', null],
  ['rotation', 'PATCH', '/', { name: 'ada', isAdmin: true }],
]

/** State of the browser's first cookie. */
type FirstCookie = 'new' | 'due' | 'signed with the previous key' | 'unreadable' | 'outdated'

/** Requests that keep the session. */
const USES: readonly (readonly [name: string, first: FirstCookie, method: string, target: string])[] = [
  ['get', 'new', 'GET', '/'],
  ['set', 'new', 'PUT', '/'],
  ['roll', 'due', 'GET', '/'],
  ['roll to a new key', 'signed with the previous key', 'GET', '/'],
  ['failing request', 'new', 'PUT', '/?fails=true'],
  ['failing roll', 'due', 'GET', '/?fails=true'],
  ['get with an unreadable cookie', 'unreadable', 'GET', '/'],
  ['failing request with an unreadable cookie', 'unreadable', 'GET', '/?fails=true'],
  ['get with a session of an old schema', 'outdated', 'GET', '/'],
]

type SentRequest = readonly [method: string, target: string]

interface Hold {
  readonly stage: Stage
  readonly entered: ReturnType<typeof createGate<void>>
  readonly released: ReturnType<typeof createGate<void>>
}

type Headers = Readonly<Record<string, string | undefined>>

let hold: Hold | null = null

/** Holds the slow request at its stage until the other one has its response. */
async function pause(stage: Stage, headers: Headers): Promise<void> {
  if (hold?.stage !== stage || headers['x-slow'] === undefined) return
  hold.entered.open()
  await hold.released.opened
}

const slowness = provide({ guard: true }, async ({ request }) => pause('before it reads the session', request.headers))

function createUsersApp(options: Partial<SessionOptions<User>>): App {
  const visitor = session({ schema: User, keys: [KEY, OTHER_KEY], idle: 60 * MINUTE, ...options })
  const query = z.object({ name: z.string().default('ada'), fails: z.boolean().default(false) })
  const method = provide({ query }, async function* ({ query, request }) {
    yield () => pause('in its method', request.headers)
    if (query.fails) throw new HttpError(409)
  })
  class Users extends Route {
    static readonly path = '/'
    static readonly uses = { slowness, visitor, method }
    static readonly get = this.contract({})
    async get({ visitor, method }: Input<typeof Users.get>) {
      await method()
      return visitor.value ?? null
    }
    static readonly post = this.contract({ query })
    async post({ visitor, method, query }: Input<typeof Users.post>) {
      await method()
      visitor.start({ name: query.name })
    }
    static readonly put = this.contract({})
    async put({ visitor, method }: Input<typeof Users.put>) {
      const { value } = visitor
      await method()
      if (value !== undefined) visitor.set({ ...value, name: 'changed' })
    }
    static readonly patch = this.contract({})
    async patch({ visitor, method }: Input<typeof Users.patch>) {
      await method()
      visitor.start({ name: 'ada', isAdmin: true })
    }
    static readonly delete = this.contract({})
    async delete({ visitor, method }: Input<typeof Users.delete>) {
      await method()
      visitor.end()
    }
  }
  return createApp({ routes: { Users }, logger: false, signals: false })
}

/** Options of the process that set the browser's first cookie. */
const ISSUERS: Readonly<Record<FirstCookie, Partial<SessionOptions<User>>>> = {
  new: {},
  due: { idle: 50 * MINUTE },
  'signed with the previous key': { keys: [OTHER_KEY], idle: 50 * MINUTE },
  unreadable: { keys: ['a key that no other process knows'] },
  outdated: { schema: OldUser },
}

/** Apps that share a store, and a browser. */
class Race {
  readonly #apps: App[] = []
  readonly #ports = new Map<string, number>()
  readonly browser = new Visitor(0)

  async open(store: SessionStore): Promise<void> {
    for (const [name, options] of [['', {}] as const, ...Object.entries(ISSUERS)]) {
      const app = createUsersApp({ store, ...options })
      this.#apps.push(app)
      this.#ports.set(name, (await app.listen({ port: 0, host: '127.0.0.1' })).port)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.close()))
  }

  /** Signs the browser in, and returns its cookie. */
  async begin(first: FirstCookie): Promise<string> {
    this.browser.cookies.clear()
    this.browser.port = this.#portOf(first)
    await this.browser.ask('POST', first === 'outdated' ? '/?name=ada-lovelace' : '/')
    this.browser.port = this.#portOf('')
    return String(this.browser.cookies.get(COOKIE))
  }

  /** Sends both requests with the same cookie. The slow one is sent first, and its response arrives last. */
  async run([slow, target]: SentRequest, fast: SentRequest, stage: Stage): Promise<WireAnswer> {
    hold = { stage, entered: createGate(), released: createGate() }
    const late = this.browser.ask(slow, target, { headers: { 'x-slow': 'yes' } })
    await hold.entered.opened
    await this.browser.ask(...fast)
    hold.released.open()
    return late
  }

  /** Returns the user of a cookie, or `null`. */
  async userOf(cookie: string | undefined): Promise<unknown> {
    const visitor = new Visitor(this.#portOf(''))
    if (cookie !== undefined) visitor.cookies.set(COOKIE, cookie)
    return JSON.parse((await visitor.ask('GET', '/')).body)
  }

  #portOf(name: string): number {
    return this.#ports.get(name) ?? assert.fail(`The app "${name}" is not listening`)
  }
}

/**
 * Registers the tests.
 *
 * @param createStore called once, before the first test
 */
export function testParallelSessions(createStore: () => SessionStore): void {
  const race = new Race()
  before(() => race.open(createStore()))
  after(() => race.close())

  for (const [decision, method, target, user] of DECISIONS) {
    for (const [other, ...sent] of DECISIONS) {
      it(`a ${decision} that waits in its method decides after a ${other}`, async () => {
        const old = await race.begin('new')
        await race.run([method, target], [sent[0], sent[1]], 'in its method')
        assert.deepEqual(await race.userOf(race.browser.cookies.get(COOKIE)), user)
        assert.equal(await race.userOf(old), null)
      })
    }

    for (const [use, first, ...used] of USES) {
      for (const stage of STAGES) {
        it(`a ${decision} outlasts a ${use} that waits ${stage} and responds last`, async () => {
          const old = await race.begin(first)
          const late = await race.run(used, [method, target], stage)
          assert.deepEqual(setCookies(late), [])
          assert.deepEqual(await race.userOf(race.browser.cookies.get(COOKIE)), user)
          assert.equal(await race.userOf(old), null)
        })

        it(`a ${decision} that waits ${stage} replaces the cookie of a ${use}`, async () => {
          const old = await race.begin(first)
          await race.run([method, target], used, stage)
          assert.deepEqual(await race.userOf(race.browser.cookies.get(COOKIE)), user)
          assert.equal(await race.userOf(old), null)
        })
      }
    }
  }
}
