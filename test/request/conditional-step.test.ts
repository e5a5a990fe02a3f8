/** `etag: true`: ETags of responses, and responses to conditional requests, after middleware and before HEAD. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { events, group, HttpError, reply, Route, stream, text, type Middleware, type SetupCode } from 'verbena'
import { testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import { programArguments } from '#test/repository.js'

const OLD = 'Sat, 05 Nov 1994 08:49:37 GMT'
const CHANGED = 'Sun, 06 Nov 1994 08:49:37 GMT'

class Item extends Route {
  static readonly get = this.contract({ etag: true, returns: z.object({ a: z.number() }) })
  get() {
    return { a: 1 }
  }
}

/** Creates a route that responds with the result of `get`. */
function routeOf(get: () => unknown): typeof Route {
  return class extends Route {
    static readonly path = '/x'
    static readonly get = this.contract({ etag: true })
    get() {
      return get()
    }
  } as unknown as typeof Route
}

const ifNoneMatch = (etag: string | null) => ({ headers: { 'if-none-match': etag ?? '' } })

async function tagOf(value: unknown, middleware: readonly Middleware[] = []): Promise<string | null> {
  const { headers } = await sendRequest(createUntypedApp({ routes: { X: routeOf(() => value) }, middleware }), '/x')
  return headers.get('etag')
}

describe('etag: true', () => {
  it('sends equal strong ETags for equal responses, and different ETags for different responses', async () => {
    const tags = await Promise.all(
      [{ a: 1 }, { a: 1 }, { a: 2 }, 'text', Buffer.from('text'), 'täxt'].map((value) => tagOf(value)),
    )
    assert.match(tags[0] ?? '', /^"[\w-]{27}"$/)
    assert.equal(tags[0], tags[1])
    assert.equal(new Set(tags).size, 4)
    assert.equal(tags[3], tags[4])
  })

  it('responds 304 to GET and HEAD with the headers that caches need, in memory and over a socket', async () => {
    const app = createUntypedApp({ routes: { '/v1': group({ routes: { Item } }) }, signals: false })
    const first = await sendRequest(app, '/v1/item')
    const etag = first.headers.get('etag')
    const { port } = await app.listen({ port: 0 })
    for (const method of ['GET', 'HEAD']) {
      const again = await sendRequest(app, '/v1/item', { method, ...ifNoneMatch(`"other", W/${etag ?? ''}`) })
      assert.deepEqual([again.status, again.text, Object.fromEntries(again.headers)], [304, '', { etag }])
      const wire = await askWire(port, { target: '/v1/item', method, ...ifNoneMatch(etag) })
      assert.deepEqual([wire.status, wire.body, wire.headers.get('etag')], [304, '', etag])
      assert.equal(wire.headers.get('content-type'), undefined)
    }
    const head = await askWire(port, { target: '/v1/item', method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('etag'), head.headers.get('content-length')], [200, etag, '7'])
    await app.close()
  })

  it('uses the ETag and Last-Modified set by the author', async () => {
    const given = reply(200, 'x', { etag: 'W/"7"', 'last-modified': CHANGED, 'cache-control': 'no-cache' })
    const app = createUntypedApp({ routes: { X: routeOf(() => given) } })
    const { status, headers } = await sendRequest(app, '/x', ifNoneMatch('"7"'))
    const fields = { 'cache-control': 'no-cache', etag: 'W/"7"' }
    assert.deepEqual([status, Object.fromEntries(headers)], [304, fields])
    const since = await sendRequest(app, '/x', { headers: { 'if-modified-since': CHANGED } })
    const before = await sendRequest(app, '/x', { headers: { 'if-modified-since': OLD } })
    assert.deepEqual([since.status, before.status], [304, 200])
    const dated = createUntypedApp({ routes: { X: routeOf(() => reply(206, 'x', { 'last-modified': CHANGED })) } })
    const same = await sendRequest(dated, '/x', { headers: { 'if-modified-since': CHANGED } })
    assert.deepEqual([same.status, Object.fromEntries(same.headers)], [304, { 'last-modified': CHANGED }])
  })

  it('responds 412 without headers of the content, and keeps headers of middleware', async () => {
    const { logger, lines } = captureLog()
    const origin: Middleware = async ({ response }, next) => {
      response.header('x-origin', '*')
      return (await next()).with({ 'x-with': '1', vary: 'origin' })
    }
    const given = reply(200, 'x', {
      'cache-control': 'max-age=9',
      'content-disposition': 'inline',
      'last-modified': OLD,
    })
    const app = createUntypedApp({ routes: { X: routeOf(() => given) }, middleware: [origin], logger })
    const { status, headers, body } = await sendRequest(app, '/x', { headers: { 'if-match': '"other"' } })
    const { title } = body as { title: string }
    const fields = [...headers.keys()].filter((name) => name !== 'x-request-id')
    assert.deepEqual([status, title], [412, 'Precondition Failed'])
    assert.deepEqual(fields, ['content-length', 'content-type', 'vary', 'x-content-type-options', 'x-origin', 'x-with'])
    assert.deepEqual(lines, [])
  })

  it('responds 412 in the error format of the app, even if its schema is asynchronous', async () => {
    const schema = z.object({ message: z.string() }).refine(() => Promise.resolve(true))
    const errorFormat = {
      schema,
      mediaType: 'application/json',
      write: ({ title }: { title: string }) => ({ message: title }),
    }
    const app = createUntypedApp({ routes: { Item }, errorFormat, validateResponses: true })
    const { status, body } = await sendRequest(app, '/item', { headers: { 'if-match': '"other"' } })
    assert.deepEqual([status, body], [412, { message: 'Precondition Failed' }])
  })

  it('computes the ETag of the response after middleware', async () => {
    const shout: Middleware = async (_context, next) => reply(200, String((await next()).body).toUpperCase())
    assert.equal(await tagOf('text', [shout]), await tagOf('TEXT'))
    const named: Middleware = async (_context, next) => (await next()).with({ etag: '"m"' })
    const app = createUntypedApp({ routes: { X: routeOf(() => 'x') }, middleware: [named] })
    const { status } = await sendRequest(app, '/x', ifNoneMatch('"m"'))
    assert.equal(status, 304)
  })

  it('adds no ETag to errors, redirects, 206, empty responses or streams', async () => {
    const failing = createUntypedApp({
      routes: {
        X: routeOf(() => {
          throw new HttpError(404)
        }),
      },
    })
    const { status, headers } = await sendRequest(failing, '/x', {
      headers: { 'if-none-match': '*', 'if-match': '"a"' },
    })
    assert.deepEqual([status, headers.get('etag')], [404, null])
    async function* chunks() {
      yield 'a'
    }
    for (const value of [reply(206, 'x'), undefined, chunks(), reply(302, null, { location: '/' })]) {
      assert.equal(await tagOf(value), null)
    }
  })

  it('ends the stream of a discarded response', async () => {
    let isEnded = false
    const source = new ReadableStream({
      start: (controller) => controller.enqueue('a'),
      cancel: () => void (isEnded = true),
    })
    const app = createUntypedApp({
      routes: { X: routeOf(() => reply(200, source, { etag: '"s"', 'content-type': 'text/plain' })) },
    })
    const { status } = await sendRequest(app, '/x', ifNoneMatch('"s"'))
    assert.deepEqual([status, isEnded], [304, true])
  })

  it('documents 304, 412 and If-None-Match, so that strict tests accept them', async () => {
    const app = createUntypedApp({ routes: { Item } })
    const { get } = app.openapi().paths['/item'] ?? {}
    assert.deepEqual(Object.keys(get?.responses ?? {}), ['200', '304', '406', '412', 'default'])
    assert.match(JSON.stringify(get?.parameters), /"If-None-Match"/)
    await using test = await testApp(app)
    const { headers } = await test.fetch('/item')
    const again = await test.fetch('/item', ifNoneMatch(headers.get('etag')))
    const other = await test.fetch('/item', { headers: { 'if-match': '"x"' } })
    assert.deepEqual([again.status, other.status], [304, 412])
  })
})

/** Returns the files for conditional requests and for files that one request loads in a child process. */
function loadedFor(path: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'caching-'))
  try {
    const args = [...programArguments('test/fixtures/caching/ask.ts'), path]
    execFileSync(process.execPath, args, { env: { ...process.env, NODE_V8_COVERAGE: folder } })
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    // Each name is a file in `src` and a separate module in `dist`.
    const place = /\/(?:src\/(?:http|request)|dist)\/(conditional|conditions)\.|\/(?:src\/features|dist)\/(files)[/.]/g
    const names = texts.flatMap((text) => [...text.matchAll(place)].map(([, own, folder]) => own ?? folder ?? ''))
    return [...new Set(names)].toSorted()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('conditional requests: code loading', () => {
  it('loads the code for conditional requests with the first response that needs it', () => {
    assert.deepEqual(loadedFor('plain'), [])
    assert.deepEqual(loadedFor('tagged'), ['conditional', 'conditions'])
  })
})

describe('contract option etag', () => {
  it('rejects etag: true for other verbs, for streams and for other values than booleans', () => {
    const refused = (code: SetupCode, spec: object, verb: 'get' | 'put' = 'get', method: () => unknown = () => 1) => {
      class X extends Route {}
      Reflect.set(X.prototype, verb, method)
      assertSetupError(
        () => {
          Reflect.set(X, verb, (X.contract as (spec: object) => unknown)({ etag: true, ...spec }))
          createUntypedApp({ routes: { X } })
        },
        code,
        'etag',
      )
    }
    refused('OPTION_INVALID', { etag: 'yes' })
    refused('CONTRACT_INVALID', {}, 'put')
    refused('CONTRACT_INVALID', { returns: stream() })
    refused('CONTRACT_INVALID', { returns: events(z.string()) })
    refused('CONTRACT_INVALID', { returns: { 200: text(), 203: stream() } })
    refused('CONTRACT_INVALID', {}, 'get', async function* () {})
  })

  it('accepts etag: false for a stream', async () => {
    class X extends Route {
      static readonly get = this.contract({ etag: false, returns: stream() })
      async *get() {
        yield 'a'
      }
    }
    const { headers } = await sendRequest(createUntypedApp({ routes: { X } }), '/x')
    assert.equal(headers.get('etag'), null)
  })
})
