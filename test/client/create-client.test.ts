/** The typed client: requests, parsed responses, aborted requests and event streams. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, events, form, HttpError, reply, Route, stream, bytes, text } from 'verbena'
import type { Input, Problem, Result } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'
import { createGate } from '#test/apps.js'

class Echo extends Route {
  static readonly path = '/echo/{id}/{rest...}'
  get({ params, query, request }: Input) {
    return { params, query, headers: request.headers, url: request.url }
  }
  static readonly post = this.contract({ body: z.unknown() })
  post({ body, request }: Input<typeof Echo.post>) {
    return { body, type: request.headers['content-type'] }
  }
}
const Item = z.object({ name: z.string(), at: z.coerce.date().optional() })
class Kinds extends Route {
  static readonly get = this.contract({ query: z.object({ kind: z.string() }) })
  get({ query }: Input<typeof Kinds.get>) {
    switch (query.kind) {
      case 'date':
        return { at: new Date(0) }
      case 'text':
        return 'tëxt'
      case 'none':
        return undefined
      case 'problem':
        throw new HttpError(409, 'Taken', { by: 'ada' })
      default:
        return new Uint8Array([1, 2])
    }
  }
  static readonly post = this.contract({ body: form(Item), returns: text() })
  post({ body }: Input<typeof Kinds.post>): string {
    return `${body.name} ${body.at?.getTime()}`
  }
  static readonly put = this.contract({ body: text({ types: ['text/csv'] }), returns: bytes() })
  async put({ body }: Input<typeof Kinds.put>): Result<typeof Kinds.put> {
    return new TextEncoder().encode(body)
  }
  static readonly patch = this.contract({ body: stream(), returns: stream() })
  async *patch({ body }: Input<typeof Kinds.patch>) {
    for await (const chunk of body) yield chunk
  }
}
const kindsOfEvents = { seen: 0, ended: 0 }
class Ticks extends Route {
  static readonly get = this.contract({ query: z.object({ until: z.int() }), returns: events(Item) })
  async *get({ query }: Input<typeof Ticks.get>) {
    try {
      for (let tick = 0; tick < query.until; tick++) {
        kindsOfEvents.seen++
        yield { data: { name: `a\u2028data: ${tick}\n`, at: new Date(0) }, id: String(tick), event: 'tick', retry: 5 }
      }
    } finally {
      kindsOfEvents.ended++
    }
  }
}
class Plain extends Route {
  get() {
    return 'plain'
  }
}
class Errors extends Route {
  static readonly path = '/errors/{status}'
  static readonly get = this.contract({
    returns: { 200: stream(), 404: Item, 409: text(), 410: stream(), 422: null, 503: events(Item) },
  })
  async get({ params }: Input<typeof Errors.get>): Result<typeof Errors.get> {
    if (params.status === '404') return reply(404, { name: 'none' })
    if (params.status === '409') return reply(409, 'taken')
    if (params.status === '410') return reply(410, new Blob(['gone']).stream())
    if (params.status === '422') return reply(422)
    throw new HttpError(Number(params.status))
  }
}

const app = createApp({ routes: { Echo, Kinds, Ticks, Plain, Errors }, logger: false })
const inMemory = (request: Request): Promise<Response> => app.fetch(request)
const api = createClient<typeof app>('http://localhost/', { fetch: inMemory })

/** Returns the request that the client would send. */
async function sent(baseUrl: string, call: (client: typeof api) => Promise<unknown>): Promise<Request> {
  const { opened, open } = createGate<Request>()
  const catching = async (request: Request): Promise<Response> => {
    open(request)
    return new Response(null, { status: 204 })
  }
  await call(createClient<typeof app>(baseUrl, { fetch: catching, headers: { 'X-One': 'client', 'x-two': 2 } }))
  return opened
}

describe('createClient()', () => {
  it('encodes path parameters, and keeps the slashes of a wildcard', async () => {
    const { body } = await api('/echo/{id}/{rest...}').get({ params: { id: 'a/ü?', rest: 'b/c d' } })
    assert.deepEqual(Object(body).params, { id: 'a/ü?', rest: 'b/c d' })
    const request = await sent('https://example.com/base//', (client) =>
      client('/echo/{id}/{rest...}').get({ params: { id: 7, rest: 'a' } }),
    )
    assert.equal(request.url, 'https://example.com/base/echo/7/a')
  })

  it('rejects parameters that change the path', async () => {
    const ask = (id: string, rest: string) => api('/echo/{id}/{rest...}').get({ params: { id, rest } })
    for (const id of ['', '.', '..']) await assert.rejects(ask(id, 'a'), /^TypeError: Cannot fill "id"/)
    for (const rest of ['', 'a//b', '../a', 'a/.']) await assert.rejects(ask('a', rest), /Cannot fill "rest"/)
    // Proof: plain JavaScript can leave it out.
    await assert.rejects(api('/echo/{id}/{rest...}').get({ params: { id: 'a' } as never }), /Cannot fill "rest": ""/)
    assert.equal((await ask('...', '.a/..b')).ok, true)
  })

  it('repeats query keys for arrays, formats dates as JSON, and omits null and undefined', async () => {
    const at = new Date(0)
    // Proof: a schema may accept dates and null, but without a contract, a query has only scalars.
    const query = { a: [1, 'ü&'], b: true, none: undefined, nil: null, at } as never
    const request = await sent('http://a', (client) => client('/plain').get({ query }))
    assert.equal(new URL(request.url).search, '?a=1&a=%C3%BC%26&b=true&at=1970-01-01T00%3A00%3A00.000Z')
    assert.equal((await sent('http://a', (client) => client('/plain').get())).url, 'http://a/plain')
  })

  it('replaces headers of the client with headers of the request', async () => {
    const headers = { 'x-one': 'call', 'x-two': undefined, accept: 'text/plain' }
    const request = await sent('http://a', (client) => client('/plain').get({ headers }))
    assert.deepEqual(Object.fromEntries(request.headers), { accept: 'text/plain', 'x-one': 'call', 'x-two': '2' })
    assert.equal(request.method, 'GET')
  })

  it('sends JSON by default and for JSON media types', async () => {
    const post = async (body: unknown, type?: string): Promise<unknown> => {
      const headers = { 'content-type': type }
      const params = { id: 'a', rest: 'b' }
      const answer = await api('/echo/{id}/{rest...}').post({ params, body, headers })
      return answer.body
    }
    const json = 'application/json'
    assert.deepEqual(await post({ a: [1, new Date(0)] }), { body: { a: [1, new Date(0).toJSON()] }, type: json })
    assert.deepEqual(await post('text'), { body: 'text', type: json })
    assert.deepEqual(await post(null), { body: null, type: json })
    assert.deepEqual(await post(1, 'application/merge-patch+json'), { body: 1, type: 'application/merge-patch+json' })
  })

  it('sends forms, text and streams, and reads bytes and streams', async () => {
    const at = new Date(5)
    const posted = await api('/kinds').post({
      body: { name: 'a&b', at },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(posted.body, 'a&b 5')
    const put = await api('/kinds').put({ body: 'a,b', headers: { 'content-type': 'text/csv' }, as: 'bytes' })
    assert.deepEqual(put.body, new Uint8Array([97, 44, 98]))
    const body = new Blob(['one']).stream()
    const patched = await api('/kinds').patch({ body, as: 'stream' })
    assert.ok(patched.ok)
    const chunks: Uint8Array[] = []
    for await (const chunk of patched.body) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).toString(), 'one')
  })

  /** Returns the request for a body of any type. */
  async function taken(body: unknown, headers: Record<string, string> = {}): Promise<Request> {
    const params = { id: 'a', rest: 'b' }
    return sent('http://a', (client) => client('/echo/{id}/{rest...}').post({ params, body, headers }))
  }

  it('sets the media type of forms and files', async () => {
    const form = new FormData()
    form.set('title', 'Tëa')
    form.set('image', new File(['one'], 'a.png', { type: 'image/png' }))
    for (const headers of [{}, { 'content-type': 'multipart/form-data' }]) {
      const request = await taken(form, headers)
      assert.match(`${request.headers.get('content-type')}`, /^multipart\/form-data; boundary=/)
      const read = await request.formData()
      const image = read.get('image')
      assert.ok(image instanceof File)
      assert.deepEqual(
        [read.get('title'), image.name, image.type, await image.text()],
        ['Tëa', 'a.png', 'image/png', 'one'],
      )
    }
    const search = await taken(new URLSearchParams({ a: '1&2' }))
    assert.match(`${search.headers.get('content-type')}`, /^application\/x-www-form-urlencoded/)
    assert.equal(await search.text(), 'a=1%262')
    const file = await taken(new Blob(['{}'], { type: 'application/json' }))
    assert.deepEqual([file.headers.get('content-type'), await file.text()], ['application/json', '{}'])
  })

  it('sends bytes and streams as octet-stream or with the media type of the request', async () => {
    const bytes = new Uint8Array([1, 2])
    const bodies = () => [
      bytes,
      new DataView(bytes.buffer),
      bytes.buffer,
      new Blob([bytes]),
      new Blob([bytes]).stream(),
    ]
    for (const [type, headers] of [
      ['application/octet-stream', {}],
      ['image/png', { 'content-type': 'image/png' }],
      ['application/json', { 'content-type': 'application/json' }],
    ] as const) {
      for (const body of bodies()) {
        const request = await taken(body, headers)
        assert.equal(request.headers.get('content-type'), type)
        assert.deepEqual(new Uint8Array(await request.arrayBuffer()), bytes)
      }
    }
  })

  it('parses responses by media type', async () => {
    const get = (kind: string) => api('/kinds').get({ query: { kind } })
    const date = await get('date')
    assert.deepEqual([date.ok, date.status, date.body], [true, 200, { at: '1970-01-01T00:00:00.000Z' }])
    assert.equal(date.headers.get('content-type'), 'application/json')
    assert.equal((await get('text')).body, 'tëxt')
    assert.deepEqual((await get('bytes')).body, new Uint8Array([1, 2]))
    const none = await get('none')
    assert.deepEqual([none.ok, none.status, none.body], [true, 204, null])
  })

  it('parses problems even if "as" requests bytes', async () => {
    const { ok, status, body } = await api('/kinds').get({ query: { kind: 'problem' } })
    assert.deepEqual([ok, status, Object(body).detail, Object(body).by], [false, 409, 'Taken', 'ada'])
    const headers = { 'content-type': 'text/plain' }
    const refused = await api('/kinds').put({ body: 'a', headers, as: 'bytes' })
    assert.ok(!refused.ok)
    assert.deepEqual([refused.status, refused.body.title], [415, 'Unsupported Media Type'])
    const missing = await createClient<typeof app>('http://a/none', { fetch: inMemory })('/plain').get()
    assert.deepEqual([missing.ok, missing.status], [false, 404])
  })

  it('returns ok: false and the declared body for a status of 400 or above', async () => {
    const get = (status: number) => api('/errors/{status}').get({ params: { status }, as: 'stream' })
    for (const [status, body] of [
      [404, { name: 'none' }],
      [409, 'taken'],
      [422, null],
    ] as const) {
      const answer = await get(status)
      assert.deepEqual([answer.ok, answer.status, answer.body], [false, status, body])
    }
    const gone = await get(410)
    assert.ok(gone.status === 410)
    const chunks: Uint8Array[] = []
    for await (const chunk of gone.body) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).toString(), 'gone')
    const undeclared = await get(418)
    assert.deepEqual([undeclared.ok, Object(undeclared.body).title], [false, 'Client Error'])
  })

  it('parses an error in the errorFormat of the app', async () => {
    const schema = z.object({ code: z.number() })
    const write = ({ status }: Problem) => ({ code: status })
    const given = createApp({ routes: { Plain }, errorFormat: { mediaType: 'application/json', schema, write } })
    const client = createClient<typeof given>('http://localhost/none', { fetch: (request) => given.fetch(request) })
    const answer = await client('/plain').get()
    assert.deepEqual([answer.ok, answer.status, !answer.ok && answer.body.code], [false, 404, 404])
  })

  it('rejects if fetch fails, on timeout and on abort', async () => {
    const down = createClient<typeof app>('http://a', { fetch: () => Promise.reject(new TypeError('down')) })
    await assert.rejects(down('/plain').get(), /down/)
    const silent = (request: Request): Promise<Response> =>
      new Promise((_resolve, reject) => {
        const fail = (): void => reject(request.signal.reason)
        if (request.signal.aborted) fail()
        request.signal.addEventListener('abort', fail)
      })
    const waiting = createClient<typeof app>('http://a', { fetch: silent })
    await assert.rejects(waiting('/plain').get({ timeout: 1 }), { name: 'TimeoutError' })
    await assert.rejects(waiting('/plain').get({ signal: AbortSignal.abort(new Error('enough')) }), /enough/)
    const controller = new AbortController()
    const called = waiting('/plain').get({ signal: controller.signal, timeout: 60_000 })
    controller.abort(new Error('changed my mind'))
    await assert.rejects(called, /changed my mind/)
  })

  it('sends requests over a socket with the global fetch', async () => {
    await using own = createApp({ routes: { Plain, Ticks }, logger: false, signals: false })
    const { url } = await own.listen()
    const client = createClient<typeof own>(url)
    assert.equal((await client('/plain').get()).body, 'plain')
    const ticks = await client('/ticks').get({ query: { until: 2 } })
    assert.ok(ticks.ok)
    const ids: unknown[] = []
    for await (const { id } of ticks.body) ids.push(id)
    assert.deepEqual(ids, ['0', '1'])
  })
})

describe('createClient(): signal', () => {
  it('interrupts an upload on abort, so that the server receives an error', async () => {
    const { opened: ended, open: end } = createGate<string>()
    class Upload extends Route {
      static readonly post = this.contract({ body: stream(), returns: null })
      async post({ body }: Input<typeof Upload.post>): Promise<undefined> {
        try {
          for await (const _ of body) controller.abort(new Error('changed my mind'))
          end('whole')
        } catch {
          end('broken off')
        }
      }
    }
    const controller = new AbortController()
    await using own = createApp({ routes: { Upload }, logger: false, signals: false })
    const { url } = await own.listen()
    const body = new ReadableStream<Uint8Array>({
      start(sending) {
        sending.enqueue(new Uint8Array(10))
      },
    })
    await assert.rejects(createClient<typeof own>(url)('/upload').post({ body, signal: controller.signal }), {
      message: 'changed my mind',
    })
    assert.equal(await ended, 'broken off')
  })
})

describe('createClient(): event streams', () => {
  it('yields events with parsed data', async () => {
    const { ok, body } = await api('/ticks').get({ query: { until: 2 } })
    assert.ok(ok)
    const seen: unknown[] = []
    for await (const event of body) seen.push(event)
    const tick = (number: number) => ({
      data: { name: `a\u2028data: ${number}\n`, at: '1970-01-01T00:00:00.000Z' },
      ...{ id: String(number), event: 'tick', retry: 5 },
    })
    assert.deepEqual(seen, [tick(0), tick(1)])
  })

  it('cancels the stream if the caller stops reading', async () => {
    const before = { ...kindsOfEvents }
    const { ok, body } = await api('/ticks').get({ query: { until: 1_000_000 } })
    assert.ok(ok)
    for await (const _ of body) break
    while (kindsOfEvents.ended === before.ended) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(kindsOfEvents.seen - before.seen < 1000)
  })

  /** Returns the events of a stream of these chunks. */
  async function read(...chunks: readonly string[]): Promise<unknown[]> {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(Buffer.from(chunk, 'latin1'))
        controller.close()
      },
    })
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    const client = createClient<typeof app>('http://a', { fetch: async () => new Response(body, { headers }) })
    const answer = await client('/ticks').get({ query: { until: 1 } })
    assert.ok(answer.ok)
    const seen: unknown[] = []
    for await (const event of answer.body) seen.push(event)
    return seen
  }

  it('parses events with LF or CRLF, split into chunks at any byte', async () => {
    const bytes = Buffer.from(': hello\n\ndata: "ü"\nid: 1\n\ndata:2\r\nevent: x\r\n\r\n:\n\nid: 3\n\n').toString(
      'latin1',
    )
    const events = [
      { data: 'ü', id: '1' },
      { data: 2, event: 'x', id: '1' },
    ]
    assert.deepEqual(await read(bytes), events)
    assert.deepEqual(await read(...bytes), events)
  })

  it('discards an incomplete event', async () => {
    assert.deepEqual(await read('data: 1\n\ndata: 2\n'), [{ data: 1 }])
  })

  it('rejects if the stream fails', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('cut off'))
      },
    })
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const client = createClient<typeof app>('http://a', { fetch: async () => response })
    const answer = await client('/ticks').get({ query: { until: 1 } })
    assert.ok(answer.ok)
    const { body: ticks } = answer
    await assert.rejects(async () => {
      for await (const _ of ticks) assert.fail()
    }, /cut off/)
  })
})
