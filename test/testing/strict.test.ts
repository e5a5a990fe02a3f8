/** Strictness: answers that the document does not have fail the call; and what no test has produced. */
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

/** An app of one route with one method. */
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

/** What the test app says of its answer; an empty text when it is content. */
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

/** Middleware that answers in its own way. */
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Middleware =>
  async (_context, next) => {
    await next()
    return reply(status, body, headers)
  }

describe('strict: an answer of a status', () => {
  const failing = (status: number) => () => {
    throw new HttpError(status)
  }

  it('that the document has is fine', async () => {
    assert.equal(await flawOf(appOf({ returns: Thing }, () => ({ id: 'a' }))), '')
    assert.equal(await flawOf(appOf({ returns: Thing, status: 201 }, () => ({ id: 'a' }))), '')
    assert.equal(await flawOf(appOf({ returns: null }, () => undefined)), '')
    assert.equal(await flawOf(appOf({ returns: { 303: null } }, () => reply(303))), '')
    assert.equal(await flawOf(appOf({ errors: [404] }, failing(404))), '')
    assert.equal(await flawOf(appOf({ errors: { 503: 'Back at noon' } }, failing(503))), '')
  })

  it('that it does not have fails the call', async () => {
    const problem = await flawOf(appOf({ returns: Thing, errors: [409] }, failing(404)))
    const fix = 'Name it in "errors" of the contract'
    assert.equal(
      problem,
      `Cannot accept the answer of GET /things: 404, and the document has no status 404 for it. ${fix}`,
    )
    const success = await flawOf(appOf({ returns: Thing }, () => reply(202, { id: 'a' })))
    assert.match(success, /no status 202 for it\. Name it in "returns" or "status" of the contract$/)
  })

  it('that says that it broke fails the call, with the cause', async () => {
    const broken = new Error('broken')
    for (const spec of [null, {}]) {
      const { api } = await testApp(
        appOf(spec, () => {
          throw broken
        }),
      )
      // Proof: the client asks for a path of the app, whose type is not written out.
      await assert.rejects(Reflect.apply(Object(api)('/things').get, undefined, []), (error: unknown) => {
        assert.ok(error instanceof TestFailure)
        assert.equal(error.cause, broken)
        return true
      })
    }
  })

  it('has an unexpected error in the first line of its message, and its frames in the stack', async () => {
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

  it('that its schema rejects fails the call with the issues', async () => {
    const message = await flawOf(appOf({ returns: Thing }, () => ({ id: 7 })))
    assert.match(message, /^GET \/things: 500, because of .*\n.*\/id/s)
    assert.doesNotMatch(message, /Name it in/)
  })

  it('is not asked for where nothing is said of it', async () => {
    assert.equal(await flawOf(appOf(null, failing(404))), '')
    assert.equal(await flawOf(appOf(null, () => reply(202))), '')
    assert.equal(await flawOf(appOf({ summary: 'No word of what it returns' }, () => undefined)), '')
    assert.equal(await flawOf(appOf({ hidden: true, returns: Thing }, failing(404))), '')
  })

  it('is not asked for where no endpoint has answered', async () => {
    const app = appOf({ returns: Thing }, () => ({ id: 'a' }))
    const { fetch } = await testApp(app)
    assert.equal((await fetch('/nothing')).status, 404)
    assert.equal((await fetch('/things', { method: 'DELETE' })).status, 405)
    assert.equal((await fetch('/things', { method: 'OPTIONS' })).status, 204)
    assert.equal((await fetch('/openapi.json')).status, 200)
    assert.equal((await fetch('/things', { method: 'HEAD' })).status, 200)
    assert.equal((await fetch('/things', { headers: { accept: 'text/css' } })).status, 406)
  })

  it('is judged by the document of the version', async () => {
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
    await assert.rejects(ask('2.0.0'), /no status 404/)
    assert.equal((await ask('3.0.0')).status, 406)
  })

  it('says nothing against the end of what is withdrawn', async () => {
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

  it('says nothing against a path that the document cannot have', async () => {
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

describe('strict: a header', () => {
  const app = appOf({ returns: Thing }, () => reply(200, { id: 'a' }, { 'x-total': '1', location: '/a' }))

  it('that nobody defines fails the call', async () => {
    const fix = `Give "strict: { headers: ['x-total'] }" where it is meant`
    assert.equal(
      await flawOf(app),
      `Cannot accept the answer of GET /things: 200, and nobody says what its header "x-total" is. ${fix}`,
    )
  })

  it('that a standard or the test defines is fine', async () => {
    assert.equal(await flawOf(app, { strict: { headers: ['X-Total'] } }), '')
    assert.equal(await flawOf(app, { strict: false }), '')
    const standard = { etag: '"a"', 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
    assert.equal(await flawOf(appOf({ returns: Thing }, () => reply(200, { id: 'a' }, standard))), '')
  })
})

describe('strict: a body', () => {
  const things = (spec: ContractSpec, middleware: Middleware, answer: () => unknown = () => ({ id: 'a' })) =>
    flawOf(appOf(spec, answer, { middleware: [middleware] }))

  it('of another media type fails the call', async () => {
    const said = await things({ returns: Thing }, answering(200, 'text'))
    assert.match(
      said,
      /the document has it as application\/json, and it is text\/plain\. Answer with what "returns" says/,
    )
    const bare = await things({ returns: Thing }, answering(200, new Uint8Array(), { 'content-type': '' }))
    assert.match(bare, /it is without a media type/)
  })

  it('of a text or of events may have any media type', async () => {
    const csv = () => reply(200, 'a,b', { 'content-type': 'text/csv' })
    assert.equal(await flawOf(appOf({ returns: text() }, csv)), '')
    async function* one(): AsyncGenerator<unknown> {
      yield { data: { id: 'a' } }
    }
    assert.equal(await flawOf(appOf({ returns: events(Thing) }, one)), '')
  })

  it('with a field that the schema does not describe fails the call, with its place', async () => {
    assert.match(await things({ returns: Thing }, answering(200, { id: 'a', secret: 1 })), /no field "\/secret" for it/)
    const value = { items: [{ 'a/b': 'x' }, { 'a/b': 'x', '~c': 1 }], rest: { any: { deep: 1 } } }
    const said = await things({ returns: Inner }, answering(200, value), () => ({ items: [], rest: {} }))
    assert.match(said, /no field "\/items\/1\/~0c"/)
    const fine = { items: [{ 'a/b': 'x' }], rest: { any: { deep: 1 } } }
    assert.equal(await flawOf(appOf({ returns: Inner }, () => fine)), '')
  })

  it('is fine where the schema takes whatever comes', async () => {
    assert.equal(await flawOf(appOf({ returns: z.unknown() }, () => ({ any: 1 }))), '')
    assert.equal(await flawOf(appOf({ returns: z.date().transform(() => ({ any: 1 })) }, () => new Date())), '')
    assert.equal(await flawOf(appOf({ returns: z.string().nullable() }, () => null)), '')
  })

  it('of a problem is held to its schema where the author names the problem', async () => {
    const taken = () => {
      throw new HttpError(409, 'Taken', { by: 'ada', secret: 1 })
    }
    const By = z.object({ by: z.string() })
    assert.match(await flawOf(appOf({ errors: { 409: By } }, taken)), /no field "\/secret"/)
    assert.match(await flawOf(appOf({ errors: [409] }, taken)), /no field "\/by"/)
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

  it('lists documented answers that no test has produced, until one has', async () => {
    const { fetch, report } = await testApp(app)
    const get = [200, 404, 409, 401, 429].map((status) => `Notes GET /notes ${status}`)
    const others = ['Notes POST /notes 201', 'Notes PATCH /notes 200', 'Notes DELETE /notes 204']
    assert.deepEqual(lines(report()), [...get, ...others])
    await fetch('/notes')
    await fetch('/notes', { method: 'POST' })
    const left = get.filter((line) => !line.endsWith('401'))
    assert.deepEqual(lines(report()), [...left, ...others.slice(1)])
  })

  it('goes on over all test apps of the app, overrides and laxness included', async () => {
    const { fetch, report } = await testApp(app, { strict: false, override: [override(user, () => ({ id: 'b' }))] })
    await fetch('/notes')
    const { report: other } = await testApp(app)
    assert.deepEqual(lines(report()), lines(other()))
    assert.ok(!lines(report()).includes('Notes GET /notes 200'))
    assert.ok(lines(report()).includes('Notes GET /notes 404'))
  })
})
