/** `strict`: undocumented responses throw a `TestFailure`; `report()` lists documented responses that no test has received. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bearer,
  createApp,
  events,
  HttpError,
  provide,
  reply,
  Route,
  text,
  type ContractSpec,
  type Middleware,
} from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { override, testApp, TestFailure, type TestOptions } from 'verbena/testing'
import * as z from 'zod'
import { looseContract } from '#test/apps.js'

const Thing = z.object({ id: z.string() })
const Inner = z.object({ items: z.array(z.object({ 'a/b': z.string() })), rest: z.record(z.string(), z.unknown()) })

/** Returns an app with one route and one method. */
function appOf(spec: ContractSpec | null, answer: () => unknown, options: { middleware?: Middleware[] } = {}) {
  class Things extends Route {
    static readonly get = spec === null ? undefined : looseContract(Things, spec)
    get(): unknown {
      return answer()
    }
  }
  return createApp({ routes: { Things: Things as typeof Route & typeof Things }, logger: false, ...options })
}

type Made = ReturnType<typeof appOf>

/** Returns the message of the `TestFailure`; an empty string if the test app accepts the response. */
async function flawOf(app: Made, options: TestOptions = {}, path = '/things'): Promise<string> {
  const { fetch } = await testApp(app, options)
  try {
    await fetch(path)
    return ''
  } catch (error) {
    assert.ok(error instanceof TestFailure, String(error))
    assert.equal(error.name, 'TestFailure')
    return error.message
  }
}

/** Returns middleware that replaces the reply. */
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Middleware =>
  async (_context, next) => {
    await next()
    return reply(status, body, headers)
  }

describe('strict: status', () => {
  const failing = (status: number) => () => {
    throw new HttpError(status)
  }

  it('accepts a documented status', async () => {
    assert.equal(await flawOf(appOf({ returns: Thing }, () => ({ id: 'a' }))), '')
    assert.equal(await flawOf(appOf({ returns: Thing, status: 201 }, () => ({ id: 'a' }))), '')
    assert.equal(await flawOf(appOf({ returns: null }, () => undefined)), '')
    assert.equal(await flawOf(appOf({ returns: { 303: null } }, () => reply(303))), '')
    assert.equal(await flawOf(appOf({ errors: [404] }, failing(404))), '')
    assert.equal(await flawOf(appOf({ errors: { 503: 'Back at noon' } }, failing(503))), '')
  })

  it('rejects an undocumented status', async () => {
    const problem = await flawOf(appOf({ returns: Thing, errors: [409] }, failing(404)))
    const fix = 'Add it to "errors" of the contract'
    assert.equal(
      problem,
      `Cannot accept the response to GET /things: 404, because the document has no response with status 404. ${fix}`,
    )
    const success = await flawOf(appOf({ returns: Thing }, () => reply(202, { id: 'a' })))
    assert.match(success, /no response with status 202\. Add it to "returns" or "status" of the contract$/)
  })

  it('rejects a 500, with the thrown error as the cause', async () => {
    const broken = new Error('broken')
    for (const spec of [null, {}]) {
      const { api } = await testApp(
        appOf(spec, () => {
          throw broken
        }),
      )
      // Proof: the path is in the app, whose type is not known here.
      await assert.rejects(Reflect.apply(Object(api)('/things').get, undefined, []), (error: unknown) => {
        assert.ok(error instanceof TestFailure)
        assert.equal(error.cause, broken)
        return true
      })
    }
  })

  it('shows an unexpected error in the first line of its message, and its frames in the stack', async () => {
    function failingQuery(): never {
      throw new TypeError('db.query is not a function')
    }
    const THROWN: readonly (readonly [handler: () => unknown, headline: string])[] = [
      [failingQuery, 'TypeError: db.query is not a function'],
      [async () => Promise.reject('gone'), "'gone'"],
      [async () => Promise.reject({ code: 7 }), '{ code: 7 }'],
      [async () => Promise.reject(undefined), 'Error: Nothing was thrown'],
    ]
    for (const [handler, headline] of THROWN) {
      for (const spec of [null, { returns: Thing }]) {
        const { fetch } = await testApp(appOf(spec, handler))
        await assert.rejects(fetch('/things'), (error: unknown) => {
          assert.ok(error instanceof TestFailure)
          assert.equal(error.message, `GET /things: 500, because of ${headline}`)
          assert.match(error.stack ?? '', handler === failingQuery ? /^TestFailure: GET .*\n +at .*failingQuery/ : /./)
          return true
        })
      }
    }
  })

  it('rejects a response that violates its schema, with the issues', async () => {
    const message = await flawOf(appOf({ returns: Thing }, () => ({ id: 7 })))
    assert.match(message, /^GET \/things: 500, because of .*\n.*\/id/s)
    assert.doesNotMatch(message, /Add it to/)
  })

  it('accepts any status without a contract, without "returns" and of hidden endpoints', async () => {
    assert.equal(await flawOf(appOf(null, failing(404))), '')
    assert.equal(await flawOf(appOf(null, () => reply(202))), '')
    assert.equal(await flawOf(appOf({ summary: 'No word of what it returns' }, () => undefined)), '')
    assert.equal(await flawOf(appOf({ hidden: true, returns: Thing }, failing(404))), '')
  })

  it('accepts 404 responses, built-in routes and errors of the framework', async () => {
    const app = appOf({ returns: Thing }, () => ({ id: 'a' }))
    const { fetch } = await testApp(app)
    assert.equal((await fetch('/nothing')).status, 404)
    assert.equal((await fetch('/things', { method: 'DELETE' })).status, 405)
    assert.equal((await fetch('/things', { method: 'OPTIONS' })).status, 204)
    assert.equal((await fetch('/openapi.json')).status, 200)
    assert.equal((await fetch('/things', { method: 'HEAD' })).status, 200)
    assert.equal((await fetch('/things', { headers: { accept: 'text/css' } })).status, 406)
  })

  it('compares with the document of the requested version', async () => {
    class Old extends Route {
      static readonly path = '/notes'
      static readonly get = this.contract({ returns: Thing, errors: [404] })
      @version('1.x')
      get(): { id: string } {
        throw new HttpError(404)
      }
    }
    class New extends Route {
      static readonly path = '/notes'
      static readonly get = this.contract({ returns: Thing })
      @version('2.x')
      get(): { id: string } {
        throw new HttpError(404)
      }
    }
    const app = createApp({ version: '2.0.0', routes: { Old, New }, logger: false })
    const { fetch } = await testApp(app)
    const ask = (asked: string) => fetch('/notes', { headers: { 'accept-version': asked } })
    assert.equal((await ask('1.0.0')).status, 404)
    await assert.rejects(ask('2.0.0'), /no response with status 404/)
    assert.equal((await ask('3.0.0')).status, 406)
  })

  it('accepts a 410 after the sunset', async () => {
    class Past extends Route {
      static readonly get = this.contract({ returns: Thing })
      @deprecated({ since: '2000-01-01', sunset: '2001-01-01' })
      get() {
        return { id: 'a' }
      }
    }
    const { api } = await testApp(createApp({ routes: { Past }, logger: false }))
    assert.equal((await api('/past').get()).status, 410)
  })

  it('accepts a path that OpenAPI cannot express', async () => {
    class Wild extends Route {
      static readonly path = '/files/{path...}'
      static readonly get = this.contract({ returns: z.string() })
      get() {
        return 'wild'
      }
    }
    class One extends Route {
      static readonly path = '/files/{name}'
      static readonly get = this.contract({ returns: z.string() })
      get() {
        return 'one'
      }
    }
    const { api } = await testApp(createApp({ routes: { Wild, One }, logger: false }))
    assert.equal((await api('/files/{path...}').get({ params: { path: 'a/b' } })).body, 'wild')
  })
})

describe('strict: headers', () => {
  const app = appOf({ returns: Thing }, () => reply(200, { id: 'a' }, { 'x-total': '1', location: '/a' }))

  it('rejects an undocumented header', async () => {
    const fix = `Declare it in the contract, or write "strict: { headers: ['x-total'] }"`
    assert.equal(
      await flawOf(app),
      `Cannot accept the response to GET /things: 200, because its header "x-total" is not documented. ${fix}`,
    )
  })

  it('accepts standard headers and headers in the option', async () => {
    assert.equal(await flawOf(app, { strict: { headers: ['X-Total'] } }), '')
    assert.equal(await flawOf(app, { strict: false }), '')
    const standard = { etag: '"a"', 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
    assert.equal(await flawOf(appOf({ returns: Thing }, () => reply(200, { id: 'a' }, standard))), '')
  })
})

describe('strict: body', () => {
  const things = (spec: ContractSpec, middleware: Middleware, answer: () => unknown = () => ({ id: 'a' })) =>
    flawOf(appOf(spec, answer, { middleware: [middleware] }))

  it('rejects an undocumented media type', async () => {
    const said = await things({ returns: Thing }, answering(200, 'text'))
    assert.match(
      said,
      /its media type must be application\/json, not text\/plain\. Send the response that "returns" declares/,
    )
    const bare = await things({ returns: Thing }, answering(200, new Uint8Array(), { 'content-type': '' }))
    assert.match(bare, /not missing/)
  })

  it('accepts any media type of text and events', async () => {
    const csv = () => reply(200, 'a,b', { 'content-type': 'text/csv' })
    assert.equal(await flawOf(appOf({ returns: text() }, csv)), '')
    async function* one(): AsyncGenerator<unknown> {
      yield { data: { id: 'a' } }
    }
    assert.equal(await flawOf(appOf({ returns: events(Thing) }, one)), '')
  })

  it('rejects an undocumented property, with its JSON pointer', async () => {
    assert.match(
      await things({ returns: Thing }, answering(200, { id: 'a', secret: 1 })),
      /property "\/secret" is not documented/,
    )
    const value = { items: [{ 'a/b': 'x' }, { 'a/b': 'x', '~c': 1 }], rest: { any: { deep: 1 } } }
    const said = await things({ returns: Inner }, answering(200, value), () => ({ items: [], rest: {} }))
    assert.match(said, /property "\/items\/1\/~0c"/)
    const fine = { items: [{ 'a/b': 'x' }], rest: { any: { deep: 1 } } }
    assert.equal(await flawOf(appOf({ returns: Inner }, () => fine)), '')
  })

  it('accepts any body if the schema accepts any value', async () => {
    assert.equal(await flawOf(appOf({ returns: z.unknown() }, () => ({ any: 1 }))), '')
    assert.equal(await flawOf(appOf({ returns: z.date().transform(() => ({ any: 1 })) }, () => new Date())), '')
    assert.equal(await flawOf(appOf({ returns: z.string().nullable() }, () => null)), '')
  })

  it('checks the body of a problem only if the contract declares its status', async () => {
    const taken = () => {
      throw new HttpError(409, 'Taken', { by: 'ada', secret: 1 })
    }
    const By = z.object({ by: z.string() })
    assert.match(await flawOf(appOf({ errors: { 409: By } }, taken)), /property "\/secret"/)
    assert.match(await flawOf(appOf({ errors: [409] }, taken)), /property "\/by"/)
    const { fetch } = await testApp(appOf({ returns: Thing, query: z.object({ a: z.string() }) }, () => ({ id: 'a' })))
    assert.equal((await fetch('/things')).status, 422)
  })
})

describe('report()', () => {
  const user = bearer((token) => token === 'a' && { id: 'ada' })
  const quota = provide({ errors: { 429: 'Too many' } }, () => 1)
  class Notes extends Route {
    static readonly get = this.contract({ returns: { 200: Thing, 404: null }, errors: [409], uses: { user, quota } })
    get() {
      return reply(200, { id: 'a' })
    }
    static readonly delete = this.contract({ returns: null, query: z.object({ a: z.string().optional() }) })
    delete(): void {}
    static readonly put = this.contract({ hidden: true, returns: null })
    put(): void {}
    static readonly post = this.contract({ status: 201 })
    post() {
      return 'posted'
    }
    patch() {}
  }
  const app = createApp({ routes: { Notes }, logger: false })
  const lines = (report: readonly { route: string; method: string; path: string; status: number }[]) =>
    report.map(({ route, method, path, status }) => `${route} ${method} ${path} ${status}`)

  it('lists documented responses that no test has received yet', async () => {
    const { fetch, report } = await testApp(app)
    const get = [200, 404, 409, 401, 429].map((status) => `Notes GET /notes ${status}`)
    const others = ['Notes POST /notes 201', 'Notes PATCH /notes 200', 'Notes DELETE /notes 204']
    assert.deepEqual(lines(report()), [...get, ...others])
    await fetch('/notes')
    await fetch('/notes', { method: 'POST' })
    const left = get.filter((line) => !line.endsWith('401'))
    assert.deepEqual(lines(report()), [...left, ...others.slice(1)])
  })

  it('is shared by all test apps of an app, even with overrides and strict: false', async () => {
    const { fetch, report } = await testApp(app, { strict: false, override: [override(user, () => ({ id: 'b' }))] })
    await fetch('/notes')
    const { report: other } = await testApp(app)
    assert.deepEqual(lines(report()), lines(other()))
    assert.ok(!lines(report()).includes('Notes GET /notes 200'))
    assert.ok(lines(report()).includes('Notes GET /notes 404'))
  })
})
