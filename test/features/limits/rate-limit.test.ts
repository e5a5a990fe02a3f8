/** `rateLimit`: counted requests, responses, headers and documentation. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, provide, Route, stream, type App, type Input } from 'verbena'
import { memoryLimits, rateLimit, type LimitKey } from 'verbena/limits'
import { redisLimits } from 'verbena/redis'
import { override, testApp } from 'verbena/testing'
import { validateDocument } from '#test/openapi.js'
import {
  sendRequest,
  assertSetupError,
  json,
  captureLog,
  createUntypedApp,
  looseContract,
  type Answer,
} from '#test/apps.js'
import * as z from 'zod'

const window = 60_000
const by = ({ request }: { request: { headers: Readonly<Record<string, string | undefined>> } }): string =>
  request.headers['x-client'] ?? 'nobody'
const as = (client: string): RequestInit => ({ headers: { 'x-client': client } })

/** Returns some properties of an object. */
const membersOf = (value: unknown, ...names: string[]): unknown[] => names.map((name) => Object(value)[name])

/** Returns the status and the rate limit headers of a response. */
const fieldsOf = ({ status, headers }: Answer) =>
  [status, headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')] as const

describe('rateLimit()', () => {
  it('sends how many requests remain, and responds 429 above the limit', async () => {
    const few = rateLimit({ by, limit: 2, window })
    class Home extends Route {
      static readonly get = this.contract({ uses: { few } })
      get({ few: state }: Input<typeof Home.get>) {
        return state
      }
    }
    const app = createUntypedApp({ routes: { Home } })
    const first = await sendRequest(app, '/home', as('a'))
    const policy = '"2-in-60s";q=2;w=60'
    assert.match(String(first.headers.get('ratelimit')), /^"2-in-60s";r=1;t=6[01]$/)
    assert.equal(first.headers.get('ratelimit-policy'), policy)
    assert.deepEqual(membersOf(first.body, 'limit', 'remaining'), [2, 1])
    await sendRequest(app, '/home', as('a'))
    const refused = await sendRequest(app, '/home', as('a'))
    const [status, shownPolicy, left, retry] = fieldsOf(refused)
    assert.deepEqual([status, shownPolicy], [429, policy])
    assert.match(String(retry), /^6[01]$/)
    assert.equal(left, `"2-in-60s";r=0;t=${retry}`)
    assert.deepEqual(membersOf(refused.body, 'type', 'title', 'detail', 'violated-policies'), [
      'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'Too Many Requests',
      `This request exceeds the limit of 2 in 60 s. Try again in ${retry} s`,
      ['2-in-60s'],
    ])
    assert.equal((await sendRequest(app, '/home', as('b'))).status, 200)
  })

  it('logs one warning in production if it counts in memory because it has no store', async (test) => {
    const before = process.env['NODE_ENV']
    test.after(() => {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    })
    const warnings = async (mode: string, options: object): Promise<unknown[]> => {
      process.env['NODE_ENV'] = mode
      const { logger, lines } = captureLog()
      const few = rateLimit({ by, limit: 1, window, name: 'few', ...options })
      class Home extends Route {
        static readonly uses = { few }
        get() {}
      }
      const app = createUntypedApp({ routes: { Home }, logger })
      const statuses = [await sendRequest(app, '/home', as('a')), await sendRequest(app, '/home', as('a'))]
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [204, 429],
      )
      return lines.map(({ level, fields, message = '' }) => [level, fields['limit'], message.split(':')[0]])
    }
    assert.deepEqual(await warnings('production', {}), [['warn', 'few', 'Rate limit counted in memory']])
    assert.deepEqual(await warnings('production', { store: memoryLimits() }), [])
    assert.deepEqual(await warnings('test', {}), [])
  })

  it('shares one count among all endpoints that use it, and counts HEAD like GET', async () => {
    const few = rateLimit({ by, limit: 3, window })
    class One extends Route {
      static readonly uses = { few }
      get() {}
    }
    class Two extends Route {
      static readonly uses = { few }
      post() {}
    }
    const app = createUntypedApp({ routes: { One, Two } })
    assert.equal((await sendRequest(app, '/one')).status, 204)
    assert.equal((await sendRequest(app, '/one', { method: 'HEAD' })).status, 204)
    assert.equal((await sendRequest(app, '/two', json({}))).status, 204)
    assert.equal((await sendRequest(app, '/two', json({}))).status, 429)
    // An OPTIONS is answered before all guards.
    assert.equal((await sendRequest(app, '/two', { method: 'OPTIONS' })).status, 204)
  })

  it('accepts functions for limit and cost, and passes them the values of "uses" and the services', async () => {
    const user = bearer((token) => ({ name: token }))
    interface Plans {
      readonly plans: Readonly<Record<string, number>>
    }
    const rows = rateLimit({
      by: ({ user: { name } }) => ['rows', name],
      limit: ({ user: { name } }, { plans }: Plans) => plans[name] ?? 0,
      cost: ({ request }) => Number(request.headers['x-rows']),
      window: 1500,
      name: 'rows',
      uses: { user },
    })
    class Rows extends Route {
      static readonly post = this.contract({ uses: { rows } })
      post() {}
    }
    const app = createUntypedApp({ routes: { Rows }, services: { plans: { ada: 10, ben: 1 } } })
    const post = async (name: string, cost: string) =>
      fieldsOf(
        await sendRequest(app, '/rows', {
          method: 'POST',
          headers: { authorization: `Bearer ${name}`, 'x-rows': cost },
        }),
      )
    assert.deepEqual(await post('ada', '7'), [204, '"rows";q=10;w=2', '"rows";r=3;t=2', null])
    assert.deepEqual(await post('ada', '4'), [429, '"rows";q=10;w=2', '"rows";r=3;t=2', '2'])
    assert.deepEqual(await post('ada', '0'), [204, '"rows";q=10;w=2', '"rows";r=3;t=2', null])
    assert.deepEqual(await post('ben', '2'), [429, '"rows";q=1;w=2', '"rows";r=1;t=0', '2'])
    assert.deepEqual(await post('nobody', '1'), [429, '"rows";q=0;w=2', '"rows";r=0;t=0', '2'])
    assert.equal((await post('ada', 'many'))[0], 500)
    assert.equal((await post('ada', '-1'))[0], 500)
  })

  it('reports that the cost of a request exceeds the limit', async () => {
    const few = rateLimit({ by, limit: () => 2, window, cost: () => 3 })
    class Home extends Route {
      static readonly uses = { few }
      get() {}
    }
    const { body, headers } = await sendRequest(createUntypedApp({ routes: { Home } }), '/home')
    assert.equal(headers.get('ratelimit'), '"some-in-60s";r=2;t=0')
    assert.deepEqual(membersOf(body, 'detail'), ['This request counts as 3, which exceeds the limit of 2 in 60 s'])
  })

  it('sends the headers of several limits, also if one of them rejects the request', async () => {
    const many = rateLimit({ by, limit: 100, window: 3_600_000, name: 'hour' })
    const few = rateLimit({ by, limit: 1, window, name: 'burst' })
    class Home extends Route {
      static readonly uses = { many }
      static readonly get = this.contract({ uses: { few } })
      get() {}
    }
    const app = createUntypedApp({ routes: { Home } })
    for (const [status, hour] of [
      [204, 99],
      [429, 98],
    ]) {
      const [answered, policy, left] = fieldsOf(await sendRequest(app, '/home'))
      assert.deepEqual([answered, policy], [status, '"hour";q=100;w=3600, "burst";q=1;w=60'])
      assert.match(String(left), new RegExp(`^"hour";r=${hour};t=36\\d\\d, "burst";r=0;t=6[01]$`))
    }
  })

  it('runs before credentials are checked, and keeps its headers in their 401', async () => {
    const attempts = rateLimit({ by, limit: 2, window })
    const seen: string[] = []
    const user = bearer((token) => {
      seen.push(token)
      return undefined
    })
    class Secrets extends Route {
      static readonly uses = { attempts }
      static readonly get = this.contract({ uses: { user } })
      get() {}
    }
    const app = createUntypedApp({ routes: { Secrets } })
    const guess = async (token: string) => {
      const answer = await sendRequest(app, '/secrets', { headers: { authorization: `Bearer ${token}` } })
      return [answer.status, answer.headers.get('ratelimit')?.slice(0, 14), answer.headers.has('www-authenticate')]
    }
    assert.deepEqual(await guess('a'), [401, '"2-in-60s";r=1', true])
    assert.deepEqual(await guess('b'), [401, '"2-in-60s";r=0', true])
    assert.deepEqual(await guess('c'), [429, '"2-in-60s";r=0', false])
    assert.deepEqual(seen, ['a', 'b'])
  })

  it('runs before the body is read', async () => {
    const few = rateLimit({ by, limit: 1, window })
    class Notes extends Route {
      static readonly post = this.contract({ body: z.object({}), uses: { few } })
      post() {}
    }
    const app = createUntypedApp({ routes: { Notes } })
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
    assert.deepEqual(
      [(await sendRequest(app, '/notes', broken)).status, (await sendRequest(app, '/notes', broken)).status],
      [400, 429],
    )
  })

  it('provides its value to generator methods, and can be overridden in tests', async () => {
    const few = rateLimit({ by, limit: 1, window })
    class Lines extends Route {
      static readonly get = this.contract({ uses: { few }, returns: stream() })
      async *get({ few: { remaining } }: Input<typeof Lines.get>) {
        yield `${remaining} left`
      }
    }
    const app = createUntypedApp({ routes: { Lines } })
    const answer = await sendRequest(app, '/lines')
    assert.equal(answer.status, 200)
    assert.equal((await sendRequest(app, '/lines')).status, 429)
    const strict = await testApp(app)
    assert.equal((await strict.fetch('/lines')).status, 429)
    const free = await testApp(app, { override: [override(few, () => ({ limit: 1, remaining: 7, reset: 0 }))] })
    assert.match(await (await free.fetch('/lines')).text(), /7 left/)
    assert.match(await (await free.fetch('/lines')).text(), /7 left/)
  })
})

describe('rateLimit(): invalid client keys', () => {
  const NOTHINGS: readonly (readonly [given: unknown, shown: string])[] = [
    [undefined, 'undefined'],
    ['', 'an empty string'],
    [['ada', undefined], 'an array: string, undefined'],
    [['ada', {}], 'an array: string, object'],
  ]
  for (const [given, shown] of NOTHINGS) {
    it(`responds 500 and logs an error if "by" returns ${shown}`, async () => {
      // Proof: JavaScript authors can return this value, because no compiler rejects it.
      const few = rateLimit({ by: () => given as LimitKey, limit: 5, window })
      class Home extends Route {
        static readonly uses = { few }
        get() {}
      }
      const { logger, lines } = captureLog()
      const answer = await sendRequest(createUntypedApp({ routes: { Home }, logger }), '/home')
      assert.deepEqual(fieldsOf(answer), [500, null, null, null])
      assert.match(
        String(lines[0]?.fields['err']),
        /Cannot count a request: "by" of the rate limit "5-in-60s" returned/,
      )
      assert.equal(/\((.*?)\)/.exec(String(lines[0]?.fields['err']))?.[1], shown)
    })
  }
})

describe('rateLimit(): OpenAPI document', () => {
  const few = rateLimit({ by, limit: 1, window })
  const shared = rateLimit({ by, limit: 1, window, store: memoryLimits() })
  const open = rateLimit({ by, limit: 1, window, store: memoryLimits(), whenDown: 'open', name: 'open' })
  class Home extends Route {
    static readonly get = this.contract({ uses: { few }, returns: z.string(), errors: [404] })
    get() {
      return 'a'
    }
    static readonly put = this.contract({ uses: { shared }, returns: null })
    put() {}
    static readonly delete = this.contract({ uses: { open }, returns: null })
    delete() {}
  }
  const document = createUntypedApp({ routes: { Home } }).openapi()
  const { paths } = document
  const { get, put, delete: del } = paths['/home'] ?? {}
  const headersOf = (answer: object = {}): string[] => Object.keys('headers' in answer ? Object(answer.headers) : {})

  it('documents 429 and the rate limit headers', () => {
    assert.deepEqual(headersOf(get?.responses['429']), ['RateLimit', 'RateLimit-Policy', 'Retry-After'])
    assert.deepEqual(headersOf(get?.responses['200']), ['RateLimit', 'RateLimit-Policy'])
    assert.deepEqual(get?.responses['404'], { $ref: '#/components/responses/Problem404' })
    assert.deepEqual(membersOf(get?.responses['429'], 'description'), ['Too Many Requests'])
    assert.match(JSON.stringify(get?.responses['429']), /"#\/components\/schemas\/QuotaExceeded"/)
    assert.deepEqual(membersOf(document.components.schemas['QuotaExceeded'], 'type'), ['object'])
    assert.equal(get?.security, undefined)
  })

  it('produces a valid OpenAPI document', async () => {
    assert.deepEqual(await validateDocument(document), [])
  })

  it('documents 503 if a custom store has whenDown "closed"', () => {
    assert.deepEqual(
      [get, put, del].map((operation) => '503' in (operation?.responses ?? {})),
      [false, true, false],
    )
  })

  it('documents the rate limit headers even if a test overrides the limit', async () => {
    const app = createUntypedApp({ routes: { Home } })
    const stand = override(few, () => ({ limit: 1, remaining: 1, reset: 0 }))
    const variant = await testApp(app, { override: [stand] })
    const { body } = { body: await (await variant.fetch('/openapi.json')).text() }
    assert.match(body, /"RateLimit-Policy"/)
  })
})

describe('rateLimit(): invalid options', () => {
  const good = { by, limit: 1, window }
  const MISTAKES: readonly (readonly [options: object, why: string])[] = [
    [{ ...good, by: 'ip' }, '"by" of rateLimit(): it must be a function'],
    [{ ...good, limit: 0 }, '"limit" of rateLimit(): it must be a positive integer below 1e15, or a function'],
    [{ ...good, limit: 1e15 }, '"limit" of rateLimit(): it must be a positive integer below 1e15'],
    [{ ...good, window: 0 }, '"window" of rateLimit(): it must be a positive integer of ms'],
    [{ ...good, window: 1.5 }, '"window" of rateLimit(): it must be a positive integer of ms'],
    [{ ...good, cost: -1 }, '"cost" of rateLimit(): it must be a non-negative integer'],
    [
      { ...good, cost: 2 },
      '"cost" of rateLimit(): it is greater than "limit", so every request would be rejected. Use 1 or less',
    ],
    [{ ...good, name: 'a"b' }, '"name" of rateLimit(): it must be 1 to 64 printable ASCII characters'],
    [{ ...good, name: '' }, '"name" of rateLimit(): it must be 1 to 64 printable ASCII characters'],
    [{ ...good, name: 'ä' }, '"name" of rateLimit(): it must be 1 to 64 printable ASCII characters'],
    [{ ...good, store: {} }, '"store" of rateLimit(): it must have a method "take"'],
    [{ ...good, whenDown: 'ajar' }, "\"whenDown\" of rateLimit(): it must be 'closed' or 'open'"],
    [{ ...good, windows: 1 }, 'Did you mean "window"?'],
    [{ limit: 1, window }, '"by" of rateLimit(): it is missing'],
    [{ by, window }, '"limit" of rateLimit(): it is missing'],
    [{ by, limit: 1 }, '"window" of rateLimit(): it is missing'],
  ]
  for (const [options, why] of MISTAKES) {
    it(`throws a setup error: ${why}`, () => {
      // Proof: JavaScript authors can pass these options, because no compiler rejects them.
      assertSetupError(() => rateLimit(options as typeof good), 'OPTION_INVALID', why)
    })
  }

  it('throws a setup error if two limits of an app with a store have the same name and window', () => {
    const client = { sendCommand: async () => 1 }
    const first = rateLimit({ ...good, store: redisLimits(client) })
    const second = rateLimit({ ...good, store: redisLimits(client) })
    const third = rateLimit({ ...good, store: () => redisLimits(client) })
    const create = (ofClass: object, ofMethod: object): App => {
      class One extends Route {
        static readonly uses = ofClass
        get() {}
      }
      class Two extends Route {
        static readonly get = looseContract(this, { uses: ofMethod })
        get() {}
      }
      return createUntypedApp({ routes: { One, Two } })
    }
    const why =
      'Cannot use the option "name" of rateLimit(): another limit of the app with a store has the name "1-in-60s" and the same window, so they could share one count. Set a different "name"'
    assertSetupError(() => create({ first }, { second }), 'OPTION_INVALID', why)
    assertSetupError(() => create({ first, third }, {}), 'OPTION_INVALID', why)
    assertSetupError(() => create({}, { third, first }), 'OPTION_INVALID', why)
    const store = redisLimits(client)
    const others = [
      rateLimit(good),
      rateLimit({ ...good, store, name: 'other' }),
      rateLimit({ ...good, store, limit: 2 }),
      rateLimit({ ...good, store, window: window + 1 }),
    ]
    assert.ok(create({ first }, { first, ...others }))
    assert.ok(create({}, { one: rateLimit(good), two: rateLimit(good) }))
    assert.ok(create({ second }, { tenant: provide({}, () => 1) }))
  })

  it('throws a setup error if "uses" contains something other than a provider', () => {
    const few = rateLimit({ ...good, uses: { user: provide({}, () => 1) } })
    class Home extends Route {
      static readonly uses = { few }
      get() {}
    }
    assert.equal(typeof createUntypedApp({ routes: { Home } }).fetch, 'function')
    // Proof: as above.
    const wrong = rateLimit({ ...good, uses: { user: 5 } } as unknown as typeof good)
    class Wrong extends Route {
      static readonly uses = { wrong }
      get() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Wrong } }), 'USES_INVALID', '"user" must be a provider')
  })
})
