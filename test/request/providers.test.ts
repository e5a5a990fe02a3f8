/** Providers: their input, their value, and their order. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  HttpError,
  json as jsonKind,
  provide,
  Route,
  service,
  stream,
  text,
  type AnyProvider,
  type Input,
  type Middleware,
} from 'verbena'
import { decorator } from '#src/route/decorator.js'
import { sendRequest, assertSetupError, json, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

const security = { type: 'http', scheme: 'bearer' } as const

/** A provider that writes down when it runs. */
function noted(events: string[], name: string, needs: object = {}): AnyProvider {
  return provide(needs, () => {
    events.push(name)
    return name
  })
}

/** Creates an app with one endpoint that responds with the properties that `read` selects from its input. */
function appOf(uses: Readonly<Record<string, AnyProvider>>, read: (input: object) => unknown, spec: object = {}) {
  class Probe extends Route {
    static readonly path = '/probe/{id}'
    static readonly get = this.contract({ uses })
    static readonly post = this.contract({ uses, ...spec })
    get(input: object) {
      return read(input)
    }
    post(input: object) {
      return read(input)
    }
  }
  return createUntypedApp({ routes: { Probe } })
}

const valueOf = (name: string) => (input: object) => Reflect.get(input, name)

describe('provider values', () => {
  const KINDS: readonly (readonly [about: string, make: () => unknown])[] = [
    ['a value', () => 7],
    ['a promise', async () => 7],
    [
      'a generator',
      function* () {
        yield 7
      },
    ],
    [
      'an async generator',
      async function* () {
        yield 7
      },
    ],
  ]
  for (const [about, make] of KINDS) {
    it(`passes the value to the handler by name: ${about}`, async () => {
      const app = appOf({ seven: provide({}, make) }, valueOf('seven'))
      assert.equal((await sendRequest(app, '/probe/1')).body, 7)
    })
  }

  it('creates the value once per request', async () => {
    let made = 0
    const count = provide({}, () => ++made)
    const one = provide({ uses: { count } }, ({ count }) => count)
    const two = provide({ uses: { mine: count } }, async ({ mine }) => mine)
    const read = (input: object) => ['count', 'again', 'one', 'two'].map((name) => Reflect.get(input, name))
    const app = appOf({ count, again: count, one, two }, read)
    assert.deepEqual((await sendRequest(app, '/probe/1')).body, [1, 1, 1, 1])
    assert.deepEqual((await sendRequest(app, '/probe/1')).body, [2, 2, 2, 2])
  })

  it('accepts any name except names of the context', async () => {
    const app = appOf({ endpoint: provide({}, () => 'mine'), user: provide({}, () => 'Ada') }, (input) => [
      valueOf('endpoint')(input),
      valueOf('user')(input),
    ])
    assert.deepEqual((await sendRequest(app, '/probe/1')).body, ['mine', 'Ada'])
    for (const name of ['signal', 'body', 'constructor', '__proto__']) {
      const uses: object = JSON.parse(`{ "${name}": 1 }`)
      assertSetupError(() => provideIn(uses), 'USES_INVALID', `"${name}" is reserved`)
    }
  })

  it('passes the value to decorators, but not to middleware', async () => {
    const seen: unknown[] = []
    const look: Middleware = async (context, next) => {
      const reply = await next()
      seen.push(['user', 'params', 'body'].map((name) => Reflect.get(context, name)))
      return reply
    }
    const around = decorator(() => ({
      around: (input, proceed) => {
        seen.push(Reflect.get(input, 'user'))
        return proceed()
      },
    }))
    class Users extends Route {
      static readonly middleware = [look]
      static readonly uses = { user: provide({}, () => 'Ada') }
      static readonly decorators = [around]
      get({ user }: { user: string }) {
        return user
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Users } }), '/users')).text, 'Ada')
    assert.deepEqual(seen, ['Ada', [undefined, undefined, undefined]])
  })

  it('passes the value to a method without a contract', async () => {
    class Users extends Route {
      static readonly uses = { user: provide({}, () => 'Ada') }
      post({ user, body, query, params }: Input & { user: string }) {
        return { user, body, query, params }
      }
    }
    const { body } = await sendRequest(createUntypedApp({ routes: { Users } }), '/users?a=1', json([1]))
    assert.deepEqual(body, { user: 'Ada', body: [1], query: { a: '1' }, params: {} })
  })

  it('passes the value of an inherited class to the inherited method', async () => {
    abstract class Base extends Route {
      static readonly uses: Readonly<Record<string, AnyProvider>> = { user: provide({}, () => 'Ada') }
      get(input: object) {
        return [valueOf('user')(input), valueOf('more')(input)]
      }
    }
    class Sub extends Base {
      static override readonly uses = { ...super.uses, more: provide({}, () => 'more') }
    }
    assert.deepEqual((await sendRequest(createUntypedApp({ routes: { Sub } }), '/sub')).body, ['Ada', 'more'])
  })
})

/** A contract with such `uses`. */
function provideIn(uses: object): unknown {
  class Users extends Route {
    get() {}
  }
  Object.defineProperty(Users, 'uses', { value: uses })
  return createUntypedApp({ routes: { Users } })
}

describe('provider input', () => {
  it('passes the context of the request', async () => {
    const from = provide({}, ({ request, log, signal, response }) => {
      response.header('x-from', 'provider')
      return [request.method, typeof log.info, signal.aborted]
    })
    const { body, headers } = await sendRequest(appOf({ from }, valueOf('from')), '/probe/1')
    assert.deepEqual([body, headers.get('x-from')], [['GET', 'function', false], 'provider'])
  })

  it('passes services, including services created at startup', async () => {
    interface Database {
      name: string
    }
    const named = provide({}, (_input, { db, plain }: { db: Database; plain: string }) => `${db.name} ${plain}`)
    class Named extends Route {
      static readonly get = this.contract({ uses: { named } })
      get({ named }: Input<typeof Named.get>) {
        return named
      }
    }
    const db = service(async () => ({ name: 'db' }))
    const app = createApp({ services: { db, plain: 'plain' }, routes: { Named } })
    assert.equal((await sendRequest(app, '/named')).text, 'db plain')
    await app.close()
  })

  it('passes the converted sources of the provider, independent of the sources of the contract', async () => {
    const page = provide(
      {
        params: z.object({ id: z.number() }),
        query: z.object({ page: z.number() }),
        headers: z.object({ 'x-a': z.string() }),
        cookies: z.object({ c: z.string() }),
      },
      ({ params, query, headers, cookies }) => ({ params, query, headers, cookies }),
    )
    const read = (input: object) => [valueOf('page')(input), valueOf('query')(input), valueOf('params')(input)]
    const app = appOf({ page }, read, { query: z.object({ limit: z.number() }) })
    const headers = { 'x-a': 'a', 'x-b': 'b', cookie: 'c=1; d=2' }
    const { body } = await sendRequest(app, '/probe/7?page=2&limit=3', { method: 'POST', headers })
    const got = { params: { id: 7 }, query: { page: 2 }, headers: { 'x-a': 'a' }, cookies: { c: '1' } }
    assert.deepEqual(body, [got, { limit: 3 }, { id: '7' }])
  })

  it('does not pass undeclared sources', async () => {
    const bare = provide({}, (input) =>
      ['params', 'query', 'headers', 'cookies', 'body', 'rawBody'].filter(
        (name) => Reflect.get(input, name) !== undefined,
      ),
    )
    const app = appOf({ bare, other: provide({}, () => 1) }, valueOf('bare'), {
      body: z.object({}),
      query: z.object({}),
    })
    assert.deepEqual((await sendRequest(app, '/probe/1', json({}))).body, [])
  })

  it('reports issues of provider and contract in one 422', async () => {
    const page = provide({ query: z.object({ page: z.number() }), headers: z.object({ 'x-a': z.string() }) }, () => {
      throw new Error('never')
    })
    const app = appOf({ page }, () => 1, { query: z.object({ limit: z.number() }), body: z.object({ a: z.number() }) })
    const { status, body } = await sendRequest(app, '/probe/1?page=x', json({ a: 'x' }))
    const places = Object(body).errors.map((issue: { in: string; pointer: string }) => `${issue.in} ${issue.pointer}`)
    assert.deepEqual([status, places], [422, ['query /limit', 'query /page', 'headers /x-a', 'body /a']])
  })

  it('validates sources of guards and other providers with asynchronous schemas', async () => {
    const query = z.object({ a: z.string().refine(async (text) => text === 'yes') })
    const key = provide({ security, query }, ({ query }) => query.a)
    const other = provide({ query }, ({ query }) => query.a)
    for (const uses of [{ key }, { key: other }, { key, other }]) {
      const app = appOf(uses, valueOf('key'))
      assert.equal((await sendRequest(app, '/probe/1?a=yes')).text, 'yes')
      assert.equal((await sendRequest(app, '/probe/1?a=no')).status, 422)
    }
  })
})

describe('provider order', () => {
  it('runs providers of group, class and contract in sequence', async () => {
    const events: string[] = []
    const slow = provide({}, async () => {
      await new Promise(setImmediate)
      events.push('slow')
    })
    const app = appOf({ slow, last: noted(events, 'last') }, () => void events.push('handler'))
    await sendRequest(app, '/probe/1')
    assert.deepEqual(events, ['slow', 'last', 'handler'])
  })

  it('stops at the first provider that fails', async () => {
    const events: string[] = []
    const fails = provide({}, async () => {
      throw new HttpError(418)
    })
    const app = appOf({ fails, last: noted(events, 'last') }, () => void events.push('handler'))
    assert.equal((await sendRequest(app, '/probe/1')).status, 418)
    assert.deepEqual(events, [])
  })

  it('runs providers before the instance of the class is created', async () => {
    const events: string[] = []
    class Made extends Route {
      static readonly uses = { first: noted(events, 'provider') }
      readonly field = events.push('instance')
      get() {}
    }
    const app = createUntypedApp({ routes: { Made } })
    events.length = 0
    await sendRequest(app, '/made')
    assert.deepEqual(events, ['provider', 'instance'])
  })
})

describe('rawBody', () => {
  const raw = provide({ rawBody: true }, ({ rawBody }) => Buffer.from(rawBody).toString())

  it('passes the bytes in addition to the parsed body', async () => {
    const app = appOf({ raw }, (input) => [valueOf('raw')(input), valueOf('body')(input)], { body: z.unknown() })
    assert.deepEqual((await sendRequest(app, '/probe/1', json({ a: 1 }))).body, ['{"a":1}', { a: 1 }])
  })

  it('passes the bytes for body kinds, and together with rawBody of the handler', async () => {
    const bytes = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'text' }
    assert.equal((await sendRequest(appOf({ raw }, valueOf('raw'), { body: text() }), '/probe/1', bytes)).text, 'text')
    const both = appOf({ raw }, (input) => Buffer.from(Object(input).rawBody).toString() + valueOf('raw')(input), {
      body: jsonKind(z.unknown(), { raw: true }),
    })
    assert.equal((await sendRequest(both, '/probe/1', json(1))).text, '11')
  })

  it('reads a body of any type if no contract declares a body', async () => {
    const app = appOf({ raw }, (input) => [valueOf('raw')(input), valueOf('body')(input) === undefined])
    for (const headers of [{ 'content-type': 'application/x-own' }, { 'content-encoding': 'gzip' }]) {
      assert.deepEqual((await sendRequest(app, '/probe/1', { method: 'POST', headers, body: '{' })).body, ['{', true])
    }
  })

  it('is empty if the request has no body', async () => {
    const app = appOf({ raw }, valueOf('raw'))
    assert.deepEqual(
      [(await sendRequest(app, '/probe/1')).text, (await sendRequest(app, '/probe/1', { method: 'POST' })).text],
      ['', ''],
    )
  })

  it('rejects a body above the body limit', async () => {
    class Probe extends Route {
      static readonly post = this.contract({ uses: { raw } })
      post() {}
    }
    const app = createUntypedApp({ routes: { Probe }, limits: { body: 3 } })
    assert.equal((await sendRequest(app, '/probe', { method: 'POST', body: '1234' })).status, 413)
  })

  it('runs the provider and validates its sources before the body is parsed', async () => {
    const signed = provide({ rawBody: true, headers: z.object({ 'x-sig': z.string() }) }, async ({ headers }) => {
      if (headers['x-sig'] !== 'right') throw new HttpError(401)
    })
    const app = appOf({ signed }, () => 1, { body: z.object({ a: z.number() }) })
    const post = (signature: object, body: string) =>
      sendRequest(app, '/probe/1', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signature },
        body,
      })
    assert.equal((await post({}, '{')).status, 422)
    assert.equal((await post({ 'x-sig': 'wrong' }, '{')).status, 401)
    assert.equal((await post({ 'x-sig': 'right' }, '{')).status, 400)
    assert.equal((await post({ 'x-sig': 'right' }, '{}')).status, 422)
    assert.equal((await post({ 'x-sig': 'right' }, '{"a":1}')).status, 200)
  })

  it('rejects rawBody for a stream body', () => {
    const says = ['"Probe.post"', 'the bytes of streams and multipart bodies are not stored', 'bytes()']
    assertSetupError(() => appOf({ raw }, () => 1, { body: stream() }), 'USES_INVALID', ...says)
    assert.ok(appOf({ other: provide({}, () => 1) }, () => 1, { body: stream() }))
  })
})
