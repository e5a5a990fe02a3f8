// own process: it counts the timers
/** The option `reconnect` of the client: connections that are cut, responses that end the stream, waiting, and callers that stop. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, events, Route, reply, type Input, type Result } from 'verbena'
import { createClient, isStreamFailure, type ReconnectOptions } from 'verbena/client'
import * as z from 'zod'
import { createGate } from '#test/apps.js'
import { startCuttingProxy } from '#test/cutting-proxy.js'
import { createRandom } from '#test/mutator.js'

const COUNT = 3000
/** Sends numbers after the last id, and 204 after the last one. */
class Numbers extends Route {
  static readonly get = this.contract({
    headers: z.object({ 'last-event-id': z.int().default(0) }),
    returns: { 200: events(z.object({ text: z.string() })), 204: null },
  })
  async get({ headers }: Input<typeof Numbers.get>): Result<typeof Numbers.get> {
    const last = headers['last-event-id']
    return last === COUNT ? reply(204) : reply(200, numbersAfter(last))
  }
}

async function* numbersAfter(last: number) {
  for (let id = last + 1; id <= COUNT; id++) yield { id: String(id), data: { text: 'ü'.repeat(id % 7) } }
}
const app = createApp({ routes: { Numbers }, logger: false, signals: false })
type Answers = readonly ((request: Request) => Response | Promise<Response>)[]

/** Calls a server that sends these responses, one after the other. */
async function call(answers: Answers, options: Readonly<Record<string, unknown>> = {}) {
  const requests: Request[] = []
  const times: number[] = []
  const fetch = async (request: Request): Promise<Response> => {
    times.push(performance.now())
    const answer = answers[requests.push(request) - 1] ?? assert.fail('one request too many')
    return answer(request)
  }
  const reconnect: ReconnectOptions = { delay: 0 }
  const api = createClient<typeof app>('http://localhost', { fetch })
  const response = await api('/numbers').get({ reconnect, ...options })
  assert.ok(response.status === 200)
  const { body } = response
  return { body, requests, times }
}

/** Reads a stream until it ends or throws. */
async function readAll(body: AsyncIterable<object>): Promise<{ readonly seen: unknown[]; readonly error: unknown }> {
  const seen: unknown[] = []
  try {
    for await (const event of body) seen.push(Object(event).data)
  } catch (error) {
    return { seen, error }
  }
  return { seen, error: undefined }
}

const stream = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () => {
    const body = code === 204 ? null : JSON.stringify({ title: 'Failed', status: code })
    return new Response(body, { status: code, headers: { 'content-type': 'application/problem+json', ...headers } })
  }
const down = (): Promise<Response> => Promise.reject(new TypeError('down'))
/** A stream that stays open. */
const silent = (text: string) => (request: Request) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(text))
      request.signal.addEventListener('abort', () => controller.error(request.signal.reason))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
/** A request without a response. */
const hanging = (request: Request): Promise<Response> =>
  new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

describe('createClient(): reconnect', () => {
  it('loses and repeats no event if the connection is cut at 100 random bytes', async () => {
    await using own = createApp({ routes: { Numbers }, logger: false, signals: false })
    const { url } = await own.listen()
    const random = createRandom(2026)
    let cuts = 0
    await using proxy = await startCuttingProxy(url, () => (++cuts > 100 ? Infinity : Math.floor(random() * 1200)))
    const api = createClient<typeof own>(proxy.url)
    // The first request is not repeated, so it is sent until it has a response.
    let answer: Awaited<ReturnType<typeof first>> | undefined
    const first = () => api('/numbers').get({ reconnect: { delay: 0, tries: 100 } })
    while (answer === undefined) answer = await first().catch(() => undefined)
    assert.ok(answer.status === 200)
    const ids: (string | undefined)[] = []
    for await (const { id, data } of answer.body) {
      assert.equal(data.text, 'ü'.repeat(Number(id) % 7))
      ids.push(id)
    }
    assert.deepEqual(
      ids,
      Array.from({ length: COUNT }, (_, index) => String(index + 1)),
    )
    assert.ok(proxy.count() > 100, `it was cut only ${proxy.count()} times`)
  })

  it('continues after the end of a response, failed requests and a 5xx, until the server responds with 204', async () => {
    const { body, requests } = await call([
      ...[stream('id:1\ndata:1\n\n'), down, status(503), stream('data:2\n\nid:3\ndata:3\n\nid:4\n'), status(204)],
    ])
    assert.deepEqual(await readAll(body), { seen: [1, 2, 3], error: undefined })
    const ids = requests.map(({ headers }) => headers.get('last-event-id'))
    assert.deepEqual(ids, [null, '1', '1', '1', '3'])
  })

  it('sends the id of the caller until the server has sent one, ids as UTF-8, and no id after an empty one', async () => {
    const answers = ['', 'id:ü€\n\n', 'id:\n\n'].map(stream)
    const { body, requests } = await call([...answers, status(204)], { headers: { 'Last-Event-ID': '7' } })
    await readAll(body)
    const ids = requests.map(({ headers }) => headers.get('last-event-id'))
    assert.deepEqual(ids, ['7', '7', Buffer.from('ü€').toString('latin1'), null])
  })

  it('sends the same request again', async () => {
    const seen: unknown[] = []
    class Answers extends Route {
      static readonly post = this.contract({
        body: z.object({ prompt: z.string() }),
        returns: { 200: events(z.string()), 204: null },
      })
      async post({ body, request }: Input<typeof Answers.post>): Result<typeof Answers.post> {
        seen.push([body.prompt, request.headers['x-a']])
        return seen.length === 2 ? reply(204) : reply(200, toEvents(body.prompt))
      }
    }
    async function* toEvents(data: string) {
      yield { data }
    }
    const own = createApp({ routes: { Answers }, logger: false })
    const api = createClient<typeof own>('http://localhost', { fetch: (request) => own.fetch(request) })
    const options = { body: { prompt: 'hello' }, headers: { 'x-a': 'b' }, reconnect: { delay: 0 } }
    const answer = await api('/answers').post(options)
    assert.ok(answer.status === 200)
    assert.deepEqual(await readAll(answer.body), { seen: ['hello'], error: undefined })
    assert.deepEqual(seen, [
      ['hello', 'b'],
      ['hello', 'b'],
    ])
  })

  it('throws a StreamFailure for a 4xx and for the error event', async () => {
    const refused = await call([stream('data:1\n\n'), status(429, { 'retry-after': '1' })])
    const { seen, error } = await readAll(refused.body)
    assert.deepEqual(seen, [1])
    assert.ok(isStreamFailure(error, refused.body))
    assert.deepEqual([error.status, error.body.title], [429, 'Failed'])
    const failed = await call([stream('event:error\ndata:{"status":409}\n\n')])
    const { error: own } = await readAll(failed.body)
    assert.ok(isStreamFailure(own) && own.status === 409)
  })

  it('throws for data that is not JSON, and for a response that is not an event stream', async () => {
    const { error } = await readAll((await call([stream('data:[DONE]\n\n')])).body)
    assert.ok(error instanceof SyntaxError)
    const page = () => new Response('<p>', { headers: { 'content-type': 'text/html' } })
    for (const [answer, type] of [
      [page, 'text/html'],
      [() => new Response(null), 'null'],
    ] as const) {
      const other = await readAll((await call([stream(''), answer])).body)
      assert.match(
        `${other.error}`,
        new RegExp(`Cannot continue the event stream: the type of the response is ${type}`),
      )
    }
  })

  it('throws the last error after ten requests in a row without an event', async () => {
    const tries = [stream(''), ...Array.from({ length: 9 }, () => down)]
    const failing = await call([stream('data:1\n\n'), ...tries, status(500)])
    const { seen, error } = await readAll(failing.body)
    assert.deepEqual([seen, failing.requests.length], [[1], 11])
    assert.ok(error instanceof TypeError && error.message === 'down')
  })

  it('counts the requests since the last event', async () => {
    const once = { reconnect: { tries: 1, delay: 0 } }
    const answers = [stream('data:1\n\n'), stream('data:2\n\n'), stream('data:3\n\n'), status(500), status(204)]
    const { body } = await call(answers, once)
    const { seen, error } = await readAll(body)
    assert.deepEqual(seen, [1, 2, 3])
    assert.ok(isStreamFailure(error) && error.status === 500)
    const empty = await readAll((await call([stream(':\n\n'), stream('')], once)).body)
    assert.match(`${empty.error}`, /the server ended the last response without an event/)
    const none = await call([stream('data:1\n\n')], { reconnect: { tries: 0 } })
    assert.match(`${(await readAll(none.body)).error}`, /the server ended/)
  })

  it('waits for "delay", which doubles up to "maxDelay"', async () => {
    const answers = [stream('data:1\n\n'), down, down, down, status(204)]
    const { body, times } = await call(answers, { reconnect: { delay: 40, maxDelay: 80 } })
    await readAll(body)
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, [least, most]] of [
      [38, 80],
      [38, 80],
      [38, 80],
      [38, 80],
    ].entries()) {
      const wait = waits[index] ?? 0
      assert.ok(wait > Number(least) && wait < Number(most) + 500, `wait ${index} is ${wait} ms`)
    }
  })

  it('waits for "retry" and "Retry-After" of the server', async () => {
    const date = new Date(Date.now() + 1000).toUTCString()
    const answers = [
      stream('retry:50\ndata:1\n\n'),
      status(503, { 'retry-after': '1' }),
      status(503, { 'retry-after': date }),
      status(503, { 'retry-after': 'soon' }),
      status(204),
    ]
    const { body, times } = await call(answers, { reconnect: { delay: 60_000, maxDelay: 1 } })
    await readAll(body)
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    assert.ok(waits.every((wait) => wait > 48))
    assert.ok(Number(waits[1]) > 990)
    assert.ok(Number(times.at(-1)) - Number(times[0]) < 5000)
  })

  it('waits for a second by default', async () => {
    const { body, times } = await call([stream('data:1\n\n'), status(204)], { reconnect: true })
    await readAll(body)
    const wait = Number(times[1]) - Number(times[0])
    assert.ok(wait > 990 && wait < 2500, `${wait}`)
  })

  it('returns the first response as usual if it is not an event stream', async () => {
    const failing = createClient<typeof app>('http://localhost', { fetch: async () => status(404)() })
    const answer = await failing('/numbers').get({ reconnect: true })
    assert.deepEqual([answer.ok, answer.status, Object(answer.body).title], [false, 404, 'Failed'])
    const ended = createClient<typeof app>('http://localhost', { fetch: async () => status(204)() })
    assert.equal((await ended('/numbers').get({ reconnect: {} })).body, null)
    await assert.rejects(
      createClient<typeof app>('http://a', { fetch: down })('/numbers').get({ reconnect: true }),
      /down/,
    )
  })

  it('does not accept a body that can be sent only once', async () => {
    for (const body of [new Blob([]).stream(), [1].values()]) {
      await assert.rejects(call([], { body }), /^TypeError: Cannot reconnect: the body can be sent only once/)
    }
  })

  it('limits the time until each response with "timeout", but not its stream', async () => {
    const before = countTimers()
    const slow = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 40))
      return stream('data:2\n\n')()
    }
    const answers = [silent('data:1\n\n'), hanging, slow, status(204)]
    const { body, requests } = await call([stream('data:0\n\n'), ...answers.slice(1)], { timeout: 200 })
    assert.deepEqual(await readAll(body), { seen: [0, 2], error: undefined })
    assert.equal(requests[1]?.signal.reason.name, 'TimeoutError')
    const open = await call([answers[0] ?? assert.fail()], { timeout: 10 })
    const iterator = open.body[Symbol.asyncIterator]()
    await iterator.next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(open.requests[0]?.signal.aborted, false)
    await iterator.return?.()
    await assert.rejects(call([hanging], { timeout: 10 }), { name: 'TimeoutError' })
    assert.equal(countTimers(), before)
  })

  for (const [about, answers] of [
    ['waits', [stream('data:1\n\n')]],
    ['sends a request', [stream('retry:0\ndata:1\n\n'), hanging]],
    ['reads a stream', [silent('data:1\n\n')]],
  ] as const) {
    it(`throws the reason of "signal" while it ${about}`, async () => {
      const before = countTimers()
      const controller = new AbortController()
      const { body } = await call(answers, { signal: controller.signal, reconnect: { delay: 60_000 } })
      setTimeout(() => controller.abort(new Error('enough')), 30)
      const { seen, error } = await readAll(body)
      assert.deepEqual(seen, [1])
      assert.equal(Object(error).message, 'enough')
      assert.equal(countTimers(), before)
    })

    it(`ends if the caller stops while it ${about}`, async () => {
      const before = countTimers()
      const { body, requests } = await call(answers, { reconnect: { delay: 60_000 } })
      const iterator = body[Symbol.asyncIterator]()
      assert.equal((await iterator.next()).done, false)
      const next = iterator.next()
      await new Promise((resolve) => setTimeout(resolve, 30))
      const ended = { done: true, value: undefined }
      assert.deepEqual(await iterator.return?.(), ended)
      assert.deepEqual(await next, ended)
      assert.ok(requests.at(-1)?.signal.aborted)
      assert.equal(countTimers(), before)
    })
  }

  it('cancels the stream of the server if the caller leaves the loop', async () => {
    const { opened: ended, open: end } = createGate()
    class Open extends Route {
      static readonly get = this.contract({ returns: events(z.number()) })
      async *get({ signal }: Input<typeof Open.get>) {
        yield { data: 1 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        end()
      }
    }
    await using own = createApp({ routes: { Open }, logger: false, signals: false })
    const { url } = await own.listen()
    const answer = await createClient<typeof own>(url)('/open').get({ reconnect: true })
    assert.ok(answer.ok)
    for await (const _ of answer.body) break
    await ended
  })
})
