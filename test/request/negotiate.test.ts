/** Requests to paths with versions: what answers, with which headers, and in which order things are refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, HttpError, reply, Route, type MiddlewareContext, type Reply } from 'verbena'
import { version } from 'verbena/decorators'
import type { VersionTable } from '#src/request/endpoint.js'
import { negotiate } from '#src/request/negotiate.js'
import type { Call } from '#src/request/call.js'
import { parseConstraint } from '#src/versioning/constraint.js'
import { sendRequest, json, createUntypedApp, type Answer } from '#test/apps.js'

class UsersV1 extends Route {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ decorators: [version('>=1 <2')] })
  async get() {
    return 'one'
  }
  async delete() {
    return 'any'
  }
}
class UsersV2 extends Route {
  static readonly path = '/users/{id}'
  @version('>=2')
  async get() {
    return 'two'
  }
  @version('>=2.1 || 0.x')
  async put() {
    throw new HttpError(409, 'taken')
  }
}
class Plain extends Route {
  async get() {
    return 'plain'
  }
}
const routes = { UsersV1, UsersV2, Plain }

function app(options: object = {}): ReturnType<typeof createUntypedApp> {
  return createUntypedApp({ version: '1.5.0', routes, ...options })
}

async function asked(text: string | undefined, init: RequestInit = {}, options: object = {}): Promise<Answer> {
  const headers: Record<string, string> = text === undefined ? {} : { 'accept-version': text }
  return sendRequest(app(options), '/users/7', { headers, ...init })
}

function headersOf({ headers }: Answer): (string | null)[] {
  return [headers.get('vary'), headers.get('api-version')]
}

describe('paths with versions', () => {
  for (const [text, answer, used] of [
    ['1', 'one', '1.0.0'],
    ['1.9', 'one', '1.9.0'],
    ['1.99.99', 'one', '1.99.99'],
    ['2', 'two', '2.0.0'],
    ['10.0.0', 'two', '10.0.0'],
    [undefined, 'one', '1.5.0'],
  ] as const) {
    it(`selects the class with a matching constraint for ${text ?? 'no version'}`, async () => {
      const got = await asked(text)
      assert.deepEqual([got.status, got.text, ...headersOf(got)], [200, answer, 'accept-version', used])
    })
  }

  it('responds to HEAD like GET', async () => {
    const got = await asked('2', { method: 'HEAD' })
    assert.deepEqual([got.status, ...headersOf(got)], [200, 'accept-version', '2.0.0'])
  })

  it('selects the same class for repeated requests and for other spellings of a version', async () => {
    const one = app()
    for (const text of ['1.2', '2', '1.2', '1.2.0', '2', '1.2']) {
      const got = await sendRequest(one, '/users/7', { headers: { 'accept-version': text } })
      assert.equal(got.text, text === '2' ? 'two' : 'one')
    }
  })

  it('selects the right class after many versions and long version strings', async () => {
    const one = app()
    for (let patch = 0; patch < 250; patch++) {
      const got = await sendRequest(one, '/users/7', { headers: { 'accept-version': `${1 + (patch % 2)}.0.${patch}` } })
      assert.deepEqual(
        [got.text, got.headers.get('api-version')?.endsWith(`.${patch}`)],
        [['one', 'two'][patch % 2], true],
      )
    }
    const long = `2.${'1'.repeat(15)}.${'1'.repeat(15)}`
    for (const text of [long, long]) {
      const got = await sendRequest(one, '/users/7', { headers: { 'accept-version': text } })
      assert.deepEqual([got.text, got.headers.get('api-version')], ['two', long])
    }
  })

  for (const text of [
    '',
    'x',
    'latest',
    'v1',
    '1.x',
    '>=1',
    '1.0.0-beta',
    '01',
    '1, 2',
    '2026-02-30',
    '1'.repeat(2000),
  ]) {
    it(`responds 400 to the malformed version "${text.slice(0, 20)}"`, async () => {
      const got = await asked(text)
      assert.deepEqual([got.status, ...headersOf(got)], [400, 'accept-version', null])
      const detail = 'The version in the header accept-version is malformed. Send a version such as 1.4.0'
      assert.equal(Object(got.body).detail, detail)
      assert.equal(got.headers.get('content-type'), 'application/problem+json')
    })
  }

  for (const text of ['0.9.9', '0', '2026-01-01']) {
    it(`responds 406 with the supported versions to unsupported version ${text}`, async () => {
      const got = await asked(text)
      assert.deepEqual([got.status, ...headersOf(got)], [406, 'accept-version', null])
      const { detail, supported } = Object(got.body)
      assert.deepEqual(
        [detail, supported],
        ['This version is not supported. Supported versions: ">=1 <2", ">=2"', ['>=1 <2', '>=2']],
      )
    })
  }

  it('responds 406 without a version if the default version is not supported', async () => {
    const got = await asked(undefined, { method: 'PUT' })
    assert.deepEqual([got.status, Object(got.body).supported], [406, ['>=2.1 || 0.x']])
  })

  it('responds 400 with the supported versions without a version if versions are required', async () => {
    const options = { versioning: { require: true } }
    for (const method of ['GET', 'HEAD']) {
      const got = await asked(undefined, { method }, options)
      assert.deepEqual([got.status, ...headersOf(got)], [400, 'accept-version', null])
      if (method === 'HEAD') continue
      const { detail, supported } = Object(got.body)
      const says = 'The version in the header accept-version is missing. Supported versions: ">=1 <2", ">=2"'
      assert.deepEqual([detail, supported], [says, ['>=1 <2', '>=2']])
    }
    assert.equal((await asked('2', {}, options)).text, 'two')
    assert.equal((await asked('0.1', {}, options)).status, 406)
    assert.equal((await asked('x', {}, options)).status, 400)
    // Methods and paths without versions do not need one.
    assert.deepEqual((await asked(undefined, { method: 'DELETE' }, options)).text, 'any')
    assert.deepEqual((await sendRequest(app(options), '/plain')).text, 'plain')
    assert.deepEqual((await sendRequest(app(options), '/users/7', { method: 'OPTIONS' })).status, 204)
  })

  it('says in which parameter or that a version is missing if a function reads it', async () => {
    for (const [from, place] of [
      [{ mediaType: 'v' }, ' in the parameter "v" of accept'],
      [() => undefined, ''],
    ] as const) {
      const { body } = await asked(undefined, {}, { versioning: { from, require: true } })
      assert.match(Object(body).detail, new RegExp(`^The version${place} is missing\\. `))
    }
  })

  it('runs an endpoint without a constraint for any version', async () => {
    for (const text of [undefined, '1', '7', 'x']) {
      const got = await asked(text, { method: 'DELETE' })
      assert.deepEqual([got.status, got.text, ...headersOf(got)], [200, 'any', 'accept-version', null])
    }
  })

  it('sets API-Version on errors of the endpoint', async () => {
    const got = await asked('2.1', { method: 'PUT' })
    assert.deepEqual([got.status, ...headersOf(got)], [409, 'accept-version', '2.1.0'])
  })

  it('lists the methods of all classes for OPTIONS and 405', async () => {
    const allow = 'DELETE, GET, HEAD, OPTIONS, PUT'
    for (const [method, status] of [
      ['OPTIONS', 204],
      ['POST', 405],
    ] as const) {
      const got = await asked('x', { method })
      assert.deepEqual(
        [got.status, got.headers.get('allow'), ...headersOf(got)],
        [status, allow, 'accept-version', null],
      )
    }
  })

  it('passes path parameters to each class', async () => {
    class One extends Route {
      static readonly path = '/things/{id}'
      static readonly decorators = [version('1.x')]
      async get({ params }: { params: { id: string } }) {
        return `one ${params.id}`
      }
    }
    class Two extends One {
      static override readonly decorators = [version('2.x')]
      override async get({ params }: { params: { id: string } }) {
        return `two ${params.id}`
      }
    }
    const things = createUntypedApp({ version: '1.0.0', routes: { One, Two } })
    const get = async (text: string) =>
      (await sendRequest(things, '/things/7', { headers: { 'accept-version': text } })).text
    assert.deepEqual([await get('1.2'), await get('2.2')], ['one 7', 'two 7'])
  })

  it('sets Vary if a path parameter is invalid', async () => {
    class Files extends Route {
      static readonly path = '/files/{path...}'
      @version('1.x')
      async get() {}
    }
    const got = await sendRequest(createUntypedApp({ version: '1.0.0', routes: { Files } }), '/files/a%2Fb')
    assert.deepEqual([got.status, ...headersOf(got)], [400, 'accept-version', null])
  })
})

describe('paths without versions', () => {
  it('does not read the version header or add it to Vary', async () => {
    const got = await sendRequest(app(), '/plain', { headers: { 'accept-version': 'x' } })
    assert.deepEqual([got.text, ...headersOf(got)], ['plain', null, null])
    const none = await sendRequest(app(), '/none', { headers: { 'accept-version': '1' } })
    assert.deepEqual([none.status, ...headersOf(none)], [404, null, null])
  })
})

describe('version negotiation: order of errors', () => {
  it('checks method, version, Accept, media type and validation in this order', async () => {
    class Strict extends Route {
      static readonly post = this.contract({ body: SCHEMA, returns: SCHEMA, decorators: [version('2.x')] })
      async post() {
        return 1
      }
    }
    const strict = createUntypedApp({ version: '2.0.0', routes: { Strict } })
    const status = async (init: RequestInit) => (await sendRequest(strict, '/strict', init)).status
    const body = { method: 'POST', body: 'x' }
    assert.equal(await status({ method: 'PUT', headers: { 'accept-version': 'x' } }), 405)
    assert.equal(await status({ ...body, headers: { 'accept-version': 'x', accept: 'text/html' } }), 400)
    const refused = await sendRequest(strict, '/strict', {
      ...body,
      headers: { 'accept-version': '1', accept: 'text/html' },
    })
    assert.deepEqual([refused.status, Object(refused.body).supported], [406, ['2.x']])
    const unacceptable = await sendRequest(strict, '/strict', { ...body, headers: { accept: 'text/html' } })
    assert.deepEqual([unacceptable.status, Object(unacceptable.body).available], [406, ['application/json']])
    assert.equal(await status({ ...body, headers: { 'content-type': 'text/plain' } }), 415)
    assert.equal(await status(json('no')), 422)
    assert.equal(await status(json(1)), 200)
  })
})

const SCHEMA = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value: unknown) => (typeof value === 'number' ? { value } : { issues: [{ message: 'no number' }] }),
  },
} as const

describe('middleware on paths with versions', () => {
  type Next = () => Promise<Reply>

  function traced(name: string, trail: string[]) {
    return async (_context: MiddlewareContext, next: Next) => {
      trail.push(name)
      return next()
    }
  }

  function shared(trail: string[]): ReturnType<typeof createUntypedApp> {
    const [inGroup, ofOne, ofTwo] = [traced('group', trail), traced('one', trail), traced('two', trail)]
    class One extends UsersV1 {
      static readonly middleware = [ofOne]
    }
    class Two extends UsersV2 {
      static readonly middleware = [ofTwo]
    }
    const both = group({ middleware: [inGroup], routes: { One, Two } })
    return app({ middleware: [traced('app', trail)], routes: { both } })
  }

  it('runs the middleware of the selected class', async () => {
    for (const [text, name] of [
      ['1', 'one'],
      ['2', 'two'],
    ] as const) {
      const trail: string[] = []
      await sendRequest(shared(trail), '/users/7', { headers: { 'accept-version': text } })
      assert.deepEqual(trail, ['app', 'group', name])
    }
  })

  it('runs only shared middleware if no class is selected', async () => {
    for (const [text, method] of [
      ['x', 'GET'],
      ['0.1', 'GET'],
      ['1', 'POST'],
      ['1', 'OPTIONS'],
    ] as const) {
      const trail: string[] = []
      await sendRequest(shared(trail), '/users/7', { method, headers: { 'accept-version': text } })
      assert.deepEqual(trail, ['app', 'group'], `${method} ${text}`)
    }
  })

  it('runs all middleware of the only class of a path', async () => {
    const trail: string[] = []
    class One extends UsersV1 {
      static readonly middleware = [traced('one', trail)]
    }
    await sendRequest(app({ routes: { One } }), '/users/7', { headers: { 'accept-version': 'x' } })
    assert.deepEqual(trail, ['one'])
  })

  it('keeps Vary and API-Version, and appends to Vary of middleware', async () => {
    type Wrap = (context: MiddlewareContext, next: Next) => unknown
    const cases: readonly (readonly [middleware: Wrap, status: number])[] = [
      [async (_context, next) => (await next()).with({ vary: 'origin' }), 200],
      [(_context, next) => next().then(() => reply(202, 'mine', { vary: 'origin' })), 202],
      [
        ({ response }, next) => {
          response.header('vary', 'origin')
          return next()
        },
        200,
      ],
      [() => reply(203, 'mine', { vary: 'origin', 'api-version': '9' }), 203],
      [() => Promise.reject(new HttpError(418, 'no', { headers: { vary: 'origin' } })), 418],
    ]
    for (const [middleware, status] of cases) {
      const got = await asked('1.2', {}, { middleware: [middleware] })
      assert.deepEqual([got.status, ...headersOf(got)], [status, 'origin, accept-version', '1.2.0'])
    }
  })

  it('sees no endpoint if the version is rejected', async () => {
    const seen: unknown[] = []
    const middleware = [(context: MiddlewareContext, next: Next) => seen.push(context.endpoint?.route) && next()]
    await asked('0.1', {}, { middleware })
    await asked('2', {}, { middleware })
    assert.deepEqual(seen, [undefined, 'UsersV2'])
  })
})

describe('negotiate()', () => {
  /** Returns the cached version strings after these requests. */
  function knownAfter(texts: readonly string[]): string[] {
    const [malformed, unsupported] = [new HttpError(400), new HttpError(406)]
    const endpoint = { constraint: parseConstraint('>=1'), frameworkHeaders: { changes: [], lines: [] } }
    const parts = { endpoints: [endpoint], known: new Map(), malformed, unsupported }
    // Proof: `negotiate` reads no other property of endpoints.
    const table = parts as unknown as VersionTable<Call>
    for (const text of texts) {
      // Proof: `negotiate` reads no other property of the request.
      const call = { exchange: { method: 'GET' }, observer: null } as unknown as Call
      negotiate(call, { tables: new Map([['GET', table]]), read: () => text, vary: '' })
    }
    return [...table.known.keys()]
  }

  it('caches at most 100 requested version strings', () => {
    const texts = Array.from({ length: 101 }, (_, at) => `1.0.${at}`)
    assert.deepEqual(knownAfter(texts.slice(0, 100)), texts.slice(0, 100))
    assert.deepEqual(knownAfter(texts), ['1.0.100'])
  })

  it('does not cache rejected version strings', () => {
    assert.deepEqual(knownAfter(['x', '0.9', '1', '1'.repeat(70), '2026-01-01']), ['1'])
  })
})
