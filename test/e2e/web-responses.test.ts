/** Web responses of other classes, their lengths, and the end of their streams. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as openRequest } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { reply, Route, stream, type App, type Context, type Middleware } from 'verbena'
import { captureLog, createGate, createUntypedApp, looseContract, sendRequest } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { exchangeBytes, formatRequest } from '#test/wire.js'
import * as z from 'zod'

type Method = (input: Context) => unknown

function answering(get: Method, { contract = {}, ...options }: { contract?: object; [option: string]: unknown } = {}) {
  class Probe extends Route {
    get(input: Context) {
      return get(input)
    }
  }
  Object.defineProperty(Probe, 'get', { value: looseContract(Probe, contract) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

/** Listens, sends a request, and returns its response as text. */
async function askSocket(app: App, method = 'GET'): Promise<string> {
  await using own = app
  const { port } = await own.listen()
  return await exchangeBytes(port, formatRequest(`${method} /probe`))
}

/** The response class of another library: like Node's, but not an instance of it. */
class OwnResponse {
  readonly [Symbol.toStringTag] = 'Response'
  readonly body: object | null
  readonly status: number
  readonly headers: Headers

  constructor(body: object | null, status: number, headers: ConstructorParameters<typeof Headers>[0] = {}) {
    this.body = body
    this.status = status
    this.headers = new Headers(headers)
  }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

describe('a web response of another class', () => {
  it('is sent with its status, headers, cookies and content', async () => {
    const headers = new Headers({ 'content-type': 'text/html', vary: 'accept' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const answer = await sendRequest(
      answering(() => new OwnResponse(bytesOf('<p>no</p>'), 405, headers)),
      '/probe',
    )
    assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [405, '<p>no</p>', 'text/html'])
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
  })

  it('may have chunks of another realm', async () => {
    const chunk: unknown = runInNewContext('new Uint8Array([97, 98, 99]).subarray(1)')
    async function* foreign() {
      yield chunk
    }
    assert.equal((await sendRequest(answering(foreign), '/probe')).text, 'bc')
    assert.equal(
      (
        await sendRequest(
          answering(() => new OwnResponse(foreign(), 200)),
          '/probe',
        )
      ).text,
      'bc',
    )
  })

  it('may be of a fetch of another library, with another kind of stream', async () => {
    const made = Object.assign(new OwnResponse(bytesOf('abc'), 200, { connection: 'close' }), { type: 'basic' })
    const { text, headers } = await sendRequest(
      answering(() => made),
      '/probe',
    )
    assert.deepEqual([text, headers.get('connection')], ['abc', null])
  })

  it('loses the headers that Connection of a fetch lists', async () => {
    const fields = { connection: 'X-Hop , close', 'x-hop': '1', 'keep-alive': 'timeout=5', 'x-end': '2' }
    for (const type of ['basic', 'default']) {
      const made = Object.assign(new OwnResponse(bytesOf('abc'), 200, fields), { type })
      const { headers } = await sendRequest(
        answering(() => made),
        '/probe',
      )
      assert.deepEqual([headers.get('x-hop'), headers.get('x-end')], [type === 'basic' ? null : '1', '2'])
    }
  })

  it('is a 500 if its status is not final', async () => {
    for (const status of [0, 101, Number.NaN]) {
      const { logger, lines } = captureLog()
      const app = answering(() => new OwnResponse(null, status), { logger })
      assert.equal((await sendRequest(app, '/probe')).status, 500)
      assert.match(String(lines[0]?.fields['err']), /Cannot respond with a web response: its status is (?:0|101|NaN)$/)
    }
  })

  it('violates a schema, and never leaves as JSON of its internals', async () => {
    const { logger, lines } = captureLog()
    const contract = { returns: z.looseObject({}) }
    const answer = await sendRequest(
      answering(() => new OwnResponse(null, 200), { contract, logger }),
      '/probe',
    )
    assert.equal(answer.status, 500)
    assert.match(String(lines[0]?.fields['err']), /a web Response was returned, but "returns" is a schema/)
  })

  it('requires more than the tag', async () => {
    const tagged = (rest: object) => ({ [Symbol.toStringTag]: 'Response', ...rest })
    for (const value of [
      tagged({ status: 201, headers: [] }),
      tagged({ status: 201, body: null }),
      tagged({ body: 1 }),
    ]) {
      const answer = await sendRequest(
        answering(() => value),
        '/probe',
      )
      assert.deepEqual([answer.status, answer.body], [200, JSON.parse(JSON.stringify(value))])
    }
  })
})

describe('the length of a web response (RFC 9110 section 8.6)', () => {
  const lengthOf = (answer: string): string | undefined => /^content-length: (.*)$/im.exec(answer)?.[1]

  it('is unknown to HEAD without a body, unless the response has a valid one', async () => {
    for (const [headers, expected] of [
      [{}, undefined],
      [{ 'content-length': '218204' }, '218204'],
      [{ 'content-length': '0' }, '0'],
      [{ 'content-length': '1e3' }, undefined],
    ] as const) {
      const answer = await askSocket(
        answering(() => new Response(null, { headers })),
        'HEAD',
      )
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.equal(lengthOf(answer), expected)
      assert.match(answer, /\r\n\r\n$/)
      assert.doesNotMatch(answer, /transfer-encoding/i)
    }
  })

  it('is 0 for GET without a body, with any header', async () => {
    const app = answering(() => new Response(null, { headers: { 'content-length': '7' } }))
    assert.equal(lengthOf(await askSocket(app)), '0')
  })

  it('stays in a fetched response if the content was not encoded', async () => {
    const upstream = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '5', 'content-type': 'text/plain' }).end('a fil')
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    // Proof: it listens on a port.
    const { port } = upstream.address() as AddressInfo
    const proxy = (): App => answering(({ request: { method } }) => fetch(`http://127.0.0.1:${port}/`, { method }))
    const got = await askSocket(proxy())
    assert.deepEqual([lengthOf(got), got.endsWith('\r\n\r\na fil')], ['5', true])
    assert.equal(lengthOf(await askSocket(proxy(), 'HEAD')), '5')
    upstream.closeAllConnections()
    upstream.close()
  })
})

const EVENTS = { 'content-type': 'text/event-stream' }

interface Stage {
  readonly begun: () => void
  readonly signal: AbortSignal
  readonly cancelled: () => void
}

async function* oneEvent({ begun, cancelled }: Stage) {
  try {
    yield 'data: 1\n\n'
    begun()
    await new Promise(() => {})
  } finally {
    cancelled()
  }
}

function webStream({ begun, cancelled }: Stage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')),
    pull: () => void setImmediate(begun),
    cancel: cancelled,
  })
}

const middleware: Middleware = async (_context, next) => {
  const inner = await next()
  return reply(200, inner.body, EVENTS)
}

/** Event streams by who has made them. */
const STREAMS: readonly (readonly [
  about: string,
  make: (stage: Stage, input: Context) => unknown,
  options?: object,
])[] = [
  ['a web response with a stream', (stage) => new Response(webStream(stage), { headers: EVENTS })],
  ['a web response with a generator', (stage) => new OwnResponse(oneEvent(stage), 200, EVENTS)],
  ['a reply', (stage) => reply(200, oneEvent(stage), EVENTS)],
  [
    'stream() in a contract',
    (stage) => reply(200, oneEvent(stage), EVENTS),
    { contract: { returns: stream({ types: ['text/event-stream'] }) } },
  ],
  [
    'a header that was set before',
    (stage, { response }) => {
      response.header('content-type', 'text/event-stream; charset=utf-8')
      return oneEvent(stage)
    },
  ],
  ['middleware', (stage) => oneEvent(stage), { middleware: [middleware] }],
  ['a compressed response', (stage) => reply(200, oneEvent(stage), EVENTS), { compression: {} }],
]

describe('an event stream that the app did not make', () => {
  for (const [about, make, options = {}] of STREAMS) {
    it(`ends with the app: ${about}`, async () => {
      const begun = createGate()
      const { logger, lines } = captureLog()
      let reason: unknown
      const app = answering(
        (input) => {
          const { signal } = input
          signal.addEventListener('abort', () => (reason = signal.reason))
          return make({ begun: begun.open, signal, cancelled: () => {} }, input)
        },
        { timeouts: { close: 2_000 }, logger, ...options },
      )
      const { port } = await app.listen()
      const answer = exchangeBytes(port, formatRequest('GET /probe'))
      await begun.opened
      await app.close()
      assert.deepEqual(lines, [])
      assert.match(await answer, /\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n$/)
      assert.equal(String(reason), 'AbortError: The server is closing')
    })
  }

  it('is canceled', async () => {
    const begun = createGate()
    const cancelled = createGate()
    const app = answering(({ signal }) => {
      const stage = { begun: begun.open, signal, cancelled: cancelled.open }
      return new Response(webStream(stage), { headers: EVENTS })
    })
    const response = await app.fetch(new Request('http://localhost/probe'))
    const text = response.text()
    await begun.opened
    await app.close()
    await cancelled.opened
    assert.equal(await text, 'data: 1\n\n')
  })

  it('ends immediately if it begins while the app closes', async () => {
    const [entered, may] = [createGate(), createGate()]
    const app = answering(async () => {
      entered.open()
      await may.opened
      return reply(200, bytesOf('data: 1\n\n'), EVENTS)
    })
    const response = app.fetch(new Request('http://localhost/probe'))
    await entered.opened
    const closed = app.close()
    may.open()
    assert.equal(await (await response).text(), '')
    await closed
  })

  it('ends and fails like other streams', async () => {
    async function* failing() {
      yield 'data: 1\n\n'
      throw new Error('broken')
    }
    const whole = answering(() => reply(200, bytesOf('data: 1\n\n'), EVENTS))
    assert.match(await askSocket(whole), /\r\n0\r\n\r\n$/)
    const { logger, lines } = captureLog()
    const broken = answering(() => reply(200, failing(), EVENTS), { logger })
    assert.doesNotMatch(await askSocket(broken), /\r\n0\r\n\r\n$/)
    assert.match(String(lines[0]?.fields['err']), /broken/)
  })

  it('lets other streams finish', async () => {
    const begun = createGate()
    async function* download() {
      yield 'half'
      begun.open()
      await sleep(50)
      yield ' whole'
    }
    const app = answering(() => reply(200, download(), { 'content-type': 'text/plain' }))
    const text = app.fetch(new Request('http://localhost/probe')).then((response) => response.text())
    await begun.opened
    await app.close()
    assert.equal(await text, 'half whole')
  })
})

describe('clients that leave a web response of an iterable', () => {
  const ON_SOCKETS = 1_000
  const BATCH = 200

  /** Ends some time after its last chunk, so that many clients leave during the read that reports the end. */
  async function* chunksOf(index: number) {
    for (let count = 0; count < index % 3; count++) {
      yield Buffer.from('data: x\n\n')
      await sleep(index % 5)
    }
    yield Buffer.from('data: last\n\n')
    await sleep((index % 7) + 1)
  }

  it('end nothing after 1,000 of them on sockets and 9,000 of app.fetch', async () => {
    let [count, ended] = [0, 0]
    async function* watched(source: AsyncIterable<Uint8Array>) {
      try {
        yield* source
      } finally {
        ended++
      }
    }
    const app = answering(() => {
      // Proof: Node accepts async iterables, but its types do not.
      const body = watched(chunksOf(count++)) as unknown as ReadableStream
      return new Response(body, { headers: { 'content-type': 'text/plain' } })
    })
    const { port } = await app.listen()
    const batch = (size: number, leave: (ms: number) => Promise<void>) =>
      Promise.all(Array.from({ length: size }, (_, index) => leave(index % 11)))
    for (let first = 0; first < ON_SOCKETS; first += BATCH) await batch(BATCH, (ms) => leaveSocket(port, ms))
    for (let times = 0; times < 9; times++) await batch(1_000, (ms) => leaveFetch(app, ms))
    await until(() => ended === ON_SOCKETS + 9_000, 'all iterables have ended')
    assert.equal(count, ended)
    await app.close()
  })

  async function leaveSocket(port: number, ms: number): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(formatRequest('GET /probe')))
    // The server may end the connection first.
    const closed = once(socket, 'close')
    await once(socket, 'data')
    await sleep(ms)
    socket.resetAndDestroy()
    await closed
  }

  async function leaveFetch(app: App, ms: number): Promise<void> {
    const { body } = await app.fetch(new Request('http://localhost/probe'))
    const reader = body?.getReader()
    await reader?.read()
    // The next read is pending when the client leaves.
    reader?.read().catch(() => {})
    await sleep(ms)
    await reader?.cancel()
  }

  it('cancel a stream of fetch immediately, so that its request ends', async () => {
    const left = createGate()
    const upstream = createServer((_request, response) => {
      response.write('first')
      response.on('close', left.open)
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    // Proof: it listens on a port.
    const { port: upstreamPort } = upstream.address() as AddressInfo
    const app = answering(() => fetch(`http://127.0.0.1:${upstreamPort}/`))
    const { port } = await app.listen()
    const client = openRequest({ port, path: '/probe' }).end()
    client.on('error', () => {})
    const [response] = await once(client, 'response')
    await once(response, 'data')
    client.destroy()
    await left.opened
    await app.close()
    upstream.close()
  })
})
