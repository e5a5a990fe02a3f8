import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseResponse, textAnswer } from '#test/wire.js'
import { HttpError } from '#src/errors/http-error.js'
import { openChunks } from '#src/http/chunks.js'
import type { ResponseMessage } from '#src/http/exchange.js'
import { NO_PAYLOAD } from '#src/http/payload.js'
import { WebExchange } from '#src/http/web-exchange.js'

const LIMIT = 10

function exchangeOf(init: RequestInit = {}, url = 'http://localhost/a'): WebExchange {
  return new WebExchange(new Request(url, init), () => {})
}

/** Sends a message. Returns the web response and the calls of the listener. */
async function respond(
  answer: ResponseMessage,
  init: RequestInit = {},
): Promise<{ response: Response; told: unknown[] }> {
  const told: unknown[] = []
  const response = await new Promise<Response>((resolve) =>
    new WebExchange(new Request('http://localhost/', init), resolve).send(answer, {
      sent: (error) => told.push(error),
    }),
  )
  return { response, told }
}

const streamOf = (source: AsyncIterable<unknown>): ResponseMessage =>
  parseResponse({ type: 'a/b', data: openChunks(source) })

function uploading(...chunks: readonly Uint8Array[]): RequestInit {
  return { method: 'POST', body: ReadableStream.from(chunks), duplex: 'half' }
}

function collect(exchange: WebExchange): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    exchange.collect(LIMIT, (error, bytes) => (bytes === undefined ? reject(error) : resolve(bytes))),
  )
}

async function stream(exchange: WebExchange): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of exchange.stream(LIMIT)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('WebExchange', () => {
  it('reads method, URL and headers of a request', () => {
    const exchange = exchangeOf({ method: 'PUT', headers: { 'X-A': '1', Cookie: 'a=1' } }, 'http://host:81/a%2fb?c=d#e')
    assert.deepEqual([exchange.method, exchange.url, exchange.ip, exchange.fault], ['PUT', '/a%2fb?c=d', '', undefined])
    assert.equal(exchange.header('x-a'), '1')
    assert.equal(exchange.header('constructor'), undefined)
    const headers = exchange.headers()
    assert.deepEqual(Object.entries(headers), [
      ['cookie', 'a=1'],
      ['x-a', '1'],
    ])
    assert.equal('toString' in headers, false)
  })

  it('reports whether the request has a body, and counts Content-Type', () => {
    assert.deepEqual([exchangeOf().hasBody, exchangeOf().contentTypes], [false, 0])
    const posted = exchangeOf({ method: 'POST', body: 'a' })
    assert.deepEqual([posted.hasBody, posted.contentTypes], [true, 1])
    assert.equal(exchangeOf({ method: 'POST', body: '', headers: { 'content-length': '0' } }).hasBody, false)
  })

  for (const [name, read] of [
    ['collect()', collect],
    ['stream()', stream],
  ] as const) {
    it(`returns a body up to the limit with ${name}`, async () => {
      assert.equal(String(await read(exchangeOf({ method: 'POST', body: 'x'.repeat(LIMIT) }))), 'x'.repeat(LIMIT))
      assert.equal(String(await read(exchangeOf(uploading(Buffer.from('ab'), Buffer.from('ä'))))), 'abä')
      assert.equal(String(await read(exchangeOf())), '')
    })

    it(`rejects a body above the limit with ${name}, and stops reading`, async () => {
      const refused = { name: 'HttpError', status: 413, message: 'The body is larger than 10 bytes' }
      await assert.rejects(async () => read(exchangeOf({ method: 'POST', body: 'x'.repeat(LIMIT + 1) })), refused)
      let given = 0
      const source = (function* () {
        for (; given < 1_000; given++) yield Buffer.alloc(4)
      })()
      await assert.rejects(
        async () => read(exchangeOf({ method: 'POST', body: ReadableStream.from(source), duplex: 'half' })),
        refused,
      )
      assert.ok(given < 20)
    })

    it(`rejects a declared length above the limit with ${name} without reading`, async () => {
      let isRead = false
      const body = new ReadableStream({ pull: () => void (isRead = true) }, { highWaterMark: 0 })
      const headers = { 'content-length': '11' }
      await assert.rejects(async () => read(exchangeOf({ method: 'POST', body, headers, duplex: 'half' })), {
        status: 413,
      })
      assert.equal(isRead, false)
    })

    it(`fails with 400 if the body ends early with ${name}`, async () => {
      const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) })
      await assert.rejects(
        async () => read(exchangeOf({ method: 'POST', body, duplex: 'half' })),
        (error) => error instanceof HttpError && error.status === 400 && /ended before/.test(error.message),
      )
    })
  }

  it('calls onAbort if the client disconnects', () => {
    const controller = new AbortController()
    const exchange = exchangeOf({ signal: controller.signal })
    let told = 0
    exchange.onAbort(() => told++)
    assert.equal(exchange.aborted, false)
    controller.abort()
    assert.equal(exchange.aborted, true)
    assert.equal(told, 1)
  })

  it('sends strings and bytes', async () => {
    const { response, told } = await respond(textAnswer('ä', 201))
    assert.deepEqual(Object.fromEntries(response.headers), {
      'content-length': '2',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    assert.deepEqual([response.status, await response.text(), told], [201, 'ä', [undefined]])
    const bytes = await respond(parseResponse({ type: 'a/b', data: Buffer.from([0, 255]) }))
    assert.deepEqual([...new Uint8Array(await bytes.response.arrayBuffer())], [0, 255])
    assert.equal(bytes.response.headers.get('content-length'), '2')
  })

  it('sends responses without content', async () => {
    for (const [status, length] of [
      [200, '0'],
      [205, '0'],
      [204, null],
      [304, null],
    ] as const) {
      const { response, told } = await respond(parseResponse(NO_PAYLOAD, status))
      assert.deepEqual([response.status, response.body, response.headers.get('content-length')], [status, null, length])
      assert.deepEqual(told, [undefined])
    }
  })

  it('omits the content for HEAD, and ends its stream', async () => {
    const text = await respond(textAnswer('four'), { method: 'HEAD' })
    assert.deepEqual([await text.response.text(), text.response.headers.get('content-length')], ['', '4'])
    const source = Readable.from(['a'])
    const streamed = await respond(streamOf(source), { method: 'HEAD' })
    assert.deepEqual([await streamed.response.text(), source.destroyed, streamed.told], ['', true, [undefined]])
  })

  it('prefers a Content-Type header of the response, and separates cookies', async () => {
    const headers = { 'content-type': 'c/d', 'set-cookie': 'a=1\nb=2' }
    const { response } = await respond(parseResponse({ type: 'a/b', data: 'x' }, 200, headers))
    assert.equal(response.headers.get('content-type'), 'c/d')
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
  })

  it('omits connection headers, and sends only the correct length', async () => {
    const FRAMING = [{ 'content-length': '5' }, { 'transfer-encoding': 'chunked' }, { connection: 'close' }]
    const fieldsOf = async (...[payload, status, headers]: Parameters<typeof parseResponse>) =>
      Object.fromEntries((await respond(parseResponse(payload, status, headers))).response.headers)
    for (const headers of FRAMING) {
      const content = { 'content-type': 'a/b', 'content-length': '3', 'x-content-type-options': 'nosniff' }
      assert.deepEqual(await fieldsOf({ type: 'a/b', data: 'abc' }, 200, headers), content)
      assert.deepEqual(await fieldsOf(NO_PAYLOAD, 200, headers), { 'content-length': '0' })
      assert.deepEqual(await fieldsOf(NO_PAYLOAD, 204, headers), {})
    }
    const lengthOf = async (length: string) => {
      const headers = { 'content-length': length, 'transfer-encoding': 'gzip' }
      const fields = await fieldsOf({ type: 'a/b', data: openChunks(Readable.from(['abc'])) }, 200, headers)
      return [fields['content-length'], fields['transfer-encoding']]
    }
    assert.deepEqual(
      [await lengthOf('3'), await lengthOf('many')],
      [
        ['3', undefined],
        [undefined, undefined],
      ],
    )
  })

  it('streams strings and bytes, and calls the listener at the end', async () => {
    const { response, told } = await respond(
      streamOf(Readable.from(['a', Buffer.from('b'), 'ä'], { objectMode: true })),
    )
    assert.deepEqual(told, [])
    assert.equal(response.headers.get('content-length'), null)
    assert.equal(await response.text(), 'abä')
    assert.deepEqual(told, [undefined])
  })

  it('fails the reader if the source fails or returns an invalid chunk', async () => {
    for (const [source, message] of [
      [
        ReadableStream.from(
          (function* () {
            yield 'a'
            throw new Error('broken')
          })(),
        ),
        /broken/,
      ],
      [Readable.from([1], { objectMode: true }), /a chunk must be a string or bytes/],
    ] as const) {
      const { response, told } = await respond(streamOf(source))
      await assert.rejects(response.text(), message)
      assert.equal(told.length, 1)
      assert.match(String(told[0]), message)
    }
  })

  it('reads chunks only as fast as the client', async () => {
    let given = 0
    const source = (async function* () {
      for (; given < 100; given++) yield 'x'
    })()
    const { response } = await respond(streamOf(source))
    await sleep(20)
    assert.ok(given <= 2, `${given} chunks were taken though nobody read`)
    await response.body?.cancel()
  })

  it('ends the source and calls the listener once if the reader stops while a chunk is pending', async () => {
    const node = new Readable({ read: () => {} })
    const web = new ReadableStream()
    for (const source of [node, web]) {
      const { response, told } = await respond(streamOf(source))
      const reader = response.body?.getReader()
      const pending = reader?.read()
      await sleep(5)
      await reader?.cancel()
      assert.equal((await pending)?.done, true)
      await sleep(5)
      assert.deepEqual(told, [undefined])
    }
    assert.equal(node.destroyed, true)
  })

  it('sends without a listener', async () => {
    const response = await new Promise<Response>((resolve) =>
      new WebExchange(new Request('http://localhost/'), resolve).send(streamOf(Readable.from(['a'])), null),
    )
    assert.equal(await response.text(), 'a')
    for (const source of [Readable.from(failing()), new Readable({ read: () => {} })]) {
      const answer = await new Promise<Response>((resolve) =>
        new WebExchange(new Request('http://localhost/'), resolve).send(streamOf(source), null),
      )
      if (source.readableObjectMode) await assert.rejects(answer.text())
      else await answer.body?.cancel()
    }
  })
})

async function* failing(): AsyncGenerator<string> {
  yield 'a'
  throw new Error('broken')
}
