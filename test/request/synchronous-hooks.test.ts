/**
 * Functions of the author that must be synchronous, and promises that nothing awaits. A rejection without a handler ends the process; the
 * test runner fails the test for it.
 */
/* oxlint-disable unicorn/no-thenable -- thenables are what is tested */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import {
  bearer,
  bytes,
  cursor,
  decorator,
  events,
  health,
  jwt,
  provide,
  reply,
  Route,
  service,
  stream,
  text,
} from 'verbena'
import { log, speed, version } from 'verbena/decorators'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import * as z from 'zod'
import type { Schema } from '#src/validation/schema.js'
import {
  sendRequest,
  assertSetupError,
  captureLog,
  looseContract,
  createUntypedApp,
  type Answer,
  type Line,
} from '#test/apps.js'
import { EC, signToken } from '#test/tokens.js'

const reject = async (): Promise<never> => {
  await turn()
  throw new Error('of the hook')
}

interface Outcome {
  readonly answer: Answer
  readonly lines: readonly Line[]
}

/** Sends a request to an app whose function returns a promise that rejects, and waits for the rejection. */
async function outcomeOf(options: object, target = '/home', init: RequestInit = {}): Promise<Outcome> {
  const { logger, lines } = captureLog()
  const answer = await sendRequest(createUntypedApp({ logger, ...options }), target, init)
  for (let count = 0; count < 5; count++) await turn()
  return { answer, lines }
}

/** A route at `/home` that uses a provider, has a contract, or returns a value. */
function homeOf(parts: { uses?: object; spec?: object; get?: (input: never) => unknown }): object {
  const { uses = {}, spec = {}, get = () => 'home' } = parts
  class Home extends Route {
    static readonly get = looseContract(Home, { uses, ...spec })
    get(input: never): unknown {
      return get(input)
    }
  }
  return { Home }
}

const limitOf = (options: object): object => {
  // Proof: JavaScript authors can pass these options, because no compiler rejects them.
  const few = rateLimit({ by: () => 'all', limit: 5, window: 1000, ...options } as Parameters<typeof rateLimit>[0])
  return { routes: homeOf({ uses: { few } }) }
}
const throwing = (): never => {
  throw new TypeError('thrown by the method')
}

describe('synchronous functions that return a promise', () => {
  const HOOKS: readonly (readonly [hook: string, status: number, refusal: RegExp, options: object])[] = [
    [
      '"by" of rateLimit(…)',
      500,
      /"by" of the rate limit "5-in-1s" returned a promise\. Await/,
      limitOf({ by: reject }),
    ],
    ['"by" of rateLimit(…)', 500, /"by" of .* returned a promise/, limitOf({ by: () => ['ada', reject()] })],
    ['"limit" of rateLimit(…)', 500, /"limit" of .* returned a promise/, limitOf({ limit: reject })],
    ['"cost" of rateLimit(…)', 500, /"cost" of .* returned a promise/, limitOf({ cost: reject })],
    ['"mapError"', 500, /"mapError": it is a promise/, { routes: homeOf({ get: throwing }), mapError: reject }],
    [
      '"mapError"',
      500,
      /thrown by the method/,
      { routes: homeOf({ get: throwing }), mapError: [reject, () => undefined] },
    ],
    [
      '"errorFormat.write"',
      404,
      /"errorFormat\.write": it is a promise/,
      {
        routes: homeOf({ get: () => reply(200, null) }),
        errorFormat: { mediaType: 'application/json', schema: z.object({}), write: reject },
      },
    ],
    [
      '"versioning.from"',
      500,
      /"versioning\.from": it must be a string/,
      { routes: versioned(), versioning: { from: reject } },
    ],
  ]
  for (const [hook, status, refusal, options] of HOOKS) {
    it(`rejects a promise and logs ${hook} if it rejects`, async () => {
      const { answer, lines } = await outcomeOf(options, status === 404 ? '/nothing' : '/home')
      assert.equal(answer.status, status)
      assert.ok(
        lines.some(({ fields }) => refusal.test(String(fields['err']))),
        lines.map(({ fields }) => String(fields['err'])).join(),
      )
      const rejected = lines.filter(({ message }) => message?.startsWith(`Promise returned by ${hook} rejected`))
      assert.deepEqual(
        rejected.map(({ level, fields }) => [level, String(fields['err'])]),
        [['error', 'Error: of the hook']],
      )
    })
  }

  it('rejects a promise of "versioning.from" for the document', async () => {
    const { answer, lines } = await outcomeOf({ routes: versioned(), versioning: { from: reject } }, '/openapi.json')
    assert.equal(answer.status, 500)
    assert.ok(lines.some(({ message }) => message?.startsWith('Promise returned by "versioning.from"')))
  })

  it('rejects a promise that resolves', async () => {
    for (const options of [limitOf({ by: async () => 'ada' }), limitOf({ limit: async () => 1 })]) {
      assert.equal((await outcomeOf(options)).answer.status, 500)
    }
  })

  it('rejects a promise as the clock of jwt(), because expired tokens would be accepted without a time', async () => {
    const token = await signToken('ES256')
    for (const now of [reject, async () => 0, () => undefined, () => 'today', () => Number.NaN]) {
      // Proof: as above.
      const user = bearer(jwt({ algorithms: ['ES256'], keys: EC.publicKey, now: now as () => number }))
      const init = { headers: { authorization: `Bearer ${token}` } }
      const { answer, lines } = await outcomeOf({ routes: homeOf({ uses: { user } }) }, '/home', init)
      assert.equal(answer.status, 500)
      assert.match(String(lines[0]?.fields['err']), /"now" of jwt\(…\) must return a number/)
    }
  })

  it('ignores a promise of "onFailure" of jwt()', async () => {
    const url = new URL('http://127.0.0.1:1/keys')
    const user = bearer(jwt({ algorithms: ['ES256'], keys: { url, onFailure: reject } }))
    const init = { headers: { authorization: `Bearer ${await signToken('ES256')}` } }
    assert.equal((await outcomeOf({ routes: homeOf({ uses: { user } }) }, '/home', init)).answer.status, 503)
  })

  it('rejects a promise as the position of a cursor', async () => {
    const list = cursor(z.number(), { limit: 1 })
    const get = (input: never): unknown => list.page([1, 2], input, reject as never)
    const { answer } = await outcomeOf({ routes: homeOf({ spec: { query: list.query }, get }) })
    assert.equal(answer.status, 500)
  })

  it('rejects an async function in decorator()', async () => {
    const broken = decorator(reject as never)
    assertSetupError(() => broken({}, { kind: 'method', name: 'get', static: false } as never), 'DECORATOR_INVALID')
    await turn()
    await turn()
  })

  it('does not accept a promise as JSON Schema', async () => {
    const standard = { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } as const
    const described: Schema = { '~standard': { ...standard, jsonSchema: { input: reject, output: reject } } }
    const plain: Schema = { '~standard': standard }
    for (const [schema, options] of [
      [described, {}],
      [plain, { jsonSchema: { own: reject } }],
    ] as const) {
      const { query } = cursor(z.number(), { query: schema })
      for (const spec of [{ query: schema }, { returns: schema }, { query }]) {
        const { answer } = await outcomeOf({ routes: homeOf({ spec }), ...options }, '/openapi.json')
        assert.equal(answer.status, 200)
      }
    }
  })
})

function versioned(): object {
  class Home extends Route {
    @version('>=1.0.0')
    get() {
      return 'home'
    }
  }
  return { Home }
}

describe('loggers that return promises', () => {
  const { NODE_ENV: before = '' } = process.env
  after(() => {
    process.env['NODE_ENV'] = before
  })

  it('does not end the process if promises of the logger reject', async () => {
    process.env['NODE_ENV'] = 'production'
    const logger = { debug: reject, info: reject, warn: reject, error: reject }
    class Logged extends Route {
      @log
      @speed({ slow: 0 })
      get() {
        throwing()
      }
    }
    const once = idempotency({ by: () => 'all', ttl: 1000 })
    class Kept extends Route {
      static readonly post = this.contract({ idempotency: once, returns: text() })
      async post() {
        return 'x'.repeat(1_000_000)
      }
    }
    const asleep = service(() => 'asleep', { check: () => false })
    const app = createUntypedApp({
      routes: { ...health(), Logged, Kept, ...homeOf(limitHome()) },
      services: { asleep },
      logger,
    })
    for (const target of ['/logged', '/home', '/readyz']) assert.ok((await sendRequest(app, target)).status >= 500)
    for (let n = 0; n < 66; n++) {
      await sendRequest(app, '/kept', { method: 'POST', headers: { 'idempotency-key': String(n) } })
    }
    await app.close()
    for (let count = 0; count < 5; count++) await turn()
  })

  /** A limit whose store is unavailable, which is logged. */
  function limitHome(): { readonly uses: object } {
    const few = rateLimit({ by: () => 'all', limit: 5, window: 1000, store: { take: reject } })
    return { uses: { few } }
  }
})

describe('promises instead of values', () => {
  const rows: readonly (readonly [title: string, status: number, routes: object, options?: object])[] = [
    ['the body of a 204', 500, homeOf({ spec: { returns: null }, get: () => reply(204, reject()) })],
    ['the body without a declared body', 500, homeOf({ spec: { returns: null }, get: () => reply(200, reject()) })],
    ['the body of text()', 500, homeOf({ spec: { returns: text() }, get: () => reply(200, reject()) })],
    ['the body of bytes()', 500, homeOf({ spec: { returns: bytes() }, get: () => reply(200, reject()) })],
    ['the body of stream()', 500, homeOf({ spec: { returns: stream() }, get: () => reply(200, reject()) })],
    ['the body of a schema', 500, homeOf({ spec: { returns: z.any() }, get: () => reply(200, reject()) })],
    ['the body of an undeclared error', 500, homeOf({ get: () => reply(404, reject()) })],
    ['a property of a body', 500, homeOf({ get: () => ({ a: reject(), b: reject() }) })],
    ['a thenable in a body', 500, homeOf({ get: () => ({ a: { then: (_: unknown, no: () => void) => no() } }) })],
    ['the reply of middleware', 500, homeOf({}), { middleware: [async () => reply(400, reject())] }],
    ['an event', 500, homeOf({ spec: { returns: events(z.any()) }, get: () => iterableOf(reject) })],
  ]
  for (const [title, status, routes, options] of rows) {
    it(`rejects a promise as ${title}`, async () => {
      assert.equal((await outcomeOf({ routes, ...options })).answer.status, status)
    })
  }

  it('interrupts a stream if a chunk is a promise', async () => {
    const routes = homeOf({ spec: { returns: stream() }, get: () => iterableOf(() => 'first', reject) })
    await assert.rejects(outcomeOf({ routes }))
    await turn()
    await turn()
  })

  it('logs the rejected promise that a synchronous generator returns', async () => {
    const made: unknown = function* () {
      yield 'tx'
      return reject()
    }
    // Proof: as above.
    const tx = provide({}, made as () => Generator<string, void, void>)
    const { answer, lines } = await outcomeOf({ routes: homeOf({ uses: { tx } }) })
    assert.equal(answer.status, 200)
    const [line] = lines
    assert.deepEqual(
      [line?.message, line?.fields['provider'], String(line?.fields['err'])],
      ['Provider cleanup failed', 'tx', 'Error: of the hook'],
    )
  })

  it('ignores the rejection of a cursor schema after another schema has thrown', async () => {
    const standard = { version: 1, vendor: 'own' } as const
    const position: Schema = { '~standard': { ...standard, validate: reject } }
    const others: Schema = { '~standard': { ...standard, validate: throwing } }
    const { query } = cursor(position, { query: others })
    const { answer } = await outcomeOf({ routes: homeOf({ spec: { query } }) }, `/home?cursor=${btoa('1')}`)
    assert.equal(answer.status, 500)
  })
})

/** An async iterable that yields what functions return, without awaiting it as a generator would. */
function iterableOf(...values: readonly (() => unknown)[]): AsyncIterable<unknown> {
  const left = [...values]
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = left.shift()
        return value === undefined ? { done: true, value: undefined } : { done: false, value: value() }
      },
    }),
  }
}
