import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGate } from '#test/apps.js'
import {
  parseResponse,
  askBytes,
  Client,
  exchangeBytes,
  parseHeaders,
  readAnswers,
  formatRequest,
  textAnswer,
  withServer,
} from '#test/wire.js'
import { openChunks, type Chunks } from '#src/http/chunks.js'
import type { ResponseMessage } from '#src/http/exchange.js'
import { NO_PAYLOAD, type Payload } from '#src/http/payload.js'

/** Returns the parsed bytes of a response without `Date`, which is checked separately. */
async function sent(
  make: () => ResponseMessage,
  line = 'GET /',
): Promise<{ status: number; headers: object; body: string }> {
  return withServer(
    (exchange) => exchange.send(make(), null),
    async ({ port }) => {
      const answer = await askBytes(port, formatRequest(line))
      const { date, ...headers } = parseHeaders(answer)
      assert.match(date ?? '', /GMT$/)
      return { status: answer.status, headers, body: answer.body }
    },
  )
}

const NOSNIFF = { 'x-content-type-options': 'nosniff' }
const CLOSE = { connection: 'close' }

describe('sendReply()', () => {
  it('sends the length of strings and bytes in bytes', async () => {
    assert.deepEqual(await sent(() => textAnswer('ä😀')), {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '6', ...NOSNIFF, ...CLOSE },
      body: Buffer.from('ä😀').toString('latin1'),
    })
    assert.deepEqual(await sent(() => parseResponse({ type: 'a/b', data: new Uint8Array([0, 255]) }, 201)), {
      status: 201,
      headers: { 'content-type': 'a/b', 'content-length': '2', ...NOSNIFF, ...CLOSE },
      body: '\u0000\u00ff',
    })
    assert.deepEqual((await sent(() => textAnswer(''))).headers, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '0',
      ...NOSNIFF,
      ...CLOSE,
    })
  })

  it('sends Content-Length 0 without content, but omits it for 204 and 304 (RFC 9110 section 8.6)', async () => {
    for (const [status, headers] of [
      [200, { 'content-length': '0', ...CLOSE }],
      [205, { 'content-length': '0', ...CLOSE }],
      [404, { 'content-length': '0', ...CLOSE }],
      [204, CLOSE],
      [304, CLOSE],
    ] as const) {
      assert.deepEqual(await sent(() => parseResponse(NO_PAYLOAD, status)), { status, headers, body: '' })
    }
  })

  it('sends the reason phrases of RFC 9110', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer('a', Number(exchange.url.slice(1))), null),
      async ({ port }) => {
        for (const [status, reason] of [
          [200, 'OK'],
          [304, 'Not Modified'],
          [413, 'Content Too Large'],
          [422, 'Unprocessable Content'],
          [499, 'Client Error'],
        ] as const) {
          assert.equal((await askBytes(port, formatRequest(`HEAD /${status}`))).reason, reason)
        }
      },
    )
  })

  it('omits the content for HEAD, but sends its length', async () => {
    const { headers, body } = await sent(() => textAnswer('four'), 'HEAD /')
    assert.deepEqual(headers, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '4',
      ...NOSNIFF,
      ...CLOSE,
    })
    assert.equal(body, '')
  })

  it('ends a stream that is not sent for HEAD', async () => {
    const stream = Readable.from(['a'])
    const answer = await sent(() => parseResponse({ type: 'a/b', data: openChunks(stream) }), 'HEAD /')
    assert.deepEqual(answer.headers, { 'content-type': 'a/b', ...NOSNIFF, ...CLOSE })
    assert.equal(stream.destroyed, true)
  })

  it('prefers a Content-Type header of the response, and writes a header for each cookie', async () => {
    const headers = { 'content-type': 'c/d', 'set-cookie': 'a=1\nb=2', vary: 'Accept' }
    assert.deepEqual((await sent(() => parseResponse({ type: 'a/b', data: 'x' }, 200, headers))).headers, {
      'content-length': '1',
      ...NOSNIFF,
      'content-type': 'c/d',
      'set-cookie': 'a=1 & b=2',
      vary: 'Accept',
      ...CLOSE,
    })
  })

  it('writes headers as Latin-1 with any content (RFC 9110 section 5.5)', async () => {
    const held = { 'Transfer-Encoding': 'chunked' }
    const stream = (): Chunks => openChunks(Readable.from(['x', 'ä']))
    const cases: readonly (readonly [
      what: string,
      make: () => Payload,
      status: number,
      line: string,
      sent: Record<string, string>,
    ])[] = [
      ['a text', () => ({ type: 'a/b', data: 'xä' }), 200, 'GET /', {}],
      ['an error', () => ({ type: 'a/b', data: 'xä' }), 500, 'GET /', {}],
      ['bytes', () => ({ type: 'a/b', data: Buffer.from('xä') }), 200, 'GET /', {}],
      ['a stream', () => ({ type: 'a/b', data: stream() }), 200, 'GET /', {}],
      ['a stream to HTTP/1.0', () => ({ type: 'a/b', data: stream() }), 200, 'GET / HTTP/1.0', {}],
      ['nothing', () => NO_PAYLOAD, 200, 'GET /', {}],
      ['a 204', () => NO_PAYLOAD, 204, 'GET /', {}],
      ['HEAD', () => ({ type: 'a/b', data: 'xä' }), 200, 'HEAD /', {}],
      ['a text behind a body that nobody reads', () => ({ type: 'a/b', data: 'xä' }), 200, 'POST /', held],
      ['nothing behind such a body', () => NO_PAYLOAD, 200, 'POST /', held],
      ['a 204 behind such a body', () => NO_PAYLOAD, 204, 'POST /', held],
      ['HEAD with such a body', () => ({ type: 'a/b', data: 'xä' }), 200, 'HEAD /', held],
      ['a stream behind such a body', () => ({ type: 'a/b', data: stream() }), 200, 'POST /', held],
    ]
    for (const [what, make, status, line, fields] of cases) {
      const answer = await withServer(
        (exchange) => exchange.send(parseResponse(make(), status, { 'x-name': 'Æ\xff', 'x-plain': 'a' }), null),
        ({ port }) => askBytes(port, formatRequest(line, fields)),
      )
      assert.equal(answer.status, status, what)
      assert.deepEqual(answer.headers.get('x-name'), ['Æ\xff'], what)
      const hasContent = status !== 204 && !line.startsWith('HEAD') && make().data !== null
      assert.equal(answer.body, hasContent ? Buffer.from('xä').toString('latin1') : '', what)
    }
  })

  it('ignores Content-Length and Transfer-Encoding of the response', async () => {
    for (const headers of [{ 'content-length': '5' }, { 'transfer-encoding': 'chunked' }]) {
      const text = await sent(() => parseResponse({ type: 'a/b', data: 'abc' }, 200, headers))
      assert.deepEqual(text, {
        status: 200,
        headers: { 'content-type': 'a/b', 'content-length': '3', ...NOSNIFF, ...CLOSE },
        body: 'abc',
      })
      const empty = await sent(() => parseResponse(NO_PAYLOAD, 200, headers))
      assert.deepEqual(empty, { status: 200, headers: { 'content-length': '0', ...CLOSE }, body: '' })
      assert.deepEqual((await sent(() => parseResponse(NO_PAYLOAD, 204, headers))).headers, CLOSE)
    }
  })

  it('sends the Content-Length of a stream, and aborts a stream of another length', async () => {
    const streamed = (parts: readonly string[], length: string): Promise<string> =>
      withServer(
        (exchange) =>
          exchange.send(
            parseResponse({ type: 'a/b', data: openChunks(Readable.from(parts)) }, 200, { 'content-length': length }),
            null,
          ),
        ({ port }) => exchangeBytes(port, formatRequest('GET /')),
      )
    const [whole] = readAnswers(await streamed(['ab', 'c'], '3'), ['GET'])
    assert.deepEqual([whole?.headers.get('content-length'), whole?.body], [['3'], 'abc'])
    assert.match(await streamed(['ab'], '3'), /content-length: 3\r\n[^]*\r\n\r\n(?:ab)?$/)
    assert.match(await streamed(['abcd'], '3'), /content-length: 3\r\n[^]*\r\n\r\n$/)
    const encoded = await withServer(
      (exchange) =>
        exchange.send(
          parseResponse({ type: 'a/b', data: openChunks(Readable.from(['abc'])) }, 200, {
            'transfer-encoding': 'gzip',
          }),
          null,
        ),
      ({ port }) => askBytes(port, formatRequest('GET /')),
    )
    assert.deepEqual([encoded.headers.get('transfer-encoding'), encoded.body], [['chunked'], 'abc'])
    const [odd] = readAnswers(await streamed(['abc'], 'many'), ['GET'])
    assert.deepEqual([odd?.headers.get('transfer-encoding'), odd?.body], [['chunked'], 'abc'])
  })

  it('keeps the connection open for the next request', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer(exchange.url), null),
      async ({ port }) => {
        const keep = { Connection: 'keep-alive' }
        const bytes =
          formatRequest('GET /1', keep) +
          formatRequest('HEAD /2', keep) +
          formatRequest('POST /3', { ...keep, 'Content-Length': '5' }, 'abcde') +
          formatRequest('GET /4')
        const answers = readAnswers(await exchangeBytes(port, bytes), ['GET', 'HEAD', 'POST', 'GET'])
        assert.deepEqual(
          answers.map(({ body, headers }) => [body, headers.get('connection')]),
          [
            ['/1', ['keep-alive']],
            ['', ['keep-alive']],
            ['/3', ['keep-alive']],
            ['/4', ['close']],
          ],
        )
      },
    )
  })

  it('closes the connection after a response to an unread large or chunked body', async () => {
    const bodies = [
      formatRequest('POST /', { Connection: 'keep-alive', 'Content-Length': '70000' }, 'x'.repeat(70_000)),
      formatRequest('POST /', { Connection: 'keep-alive', 'Transfer-Encoding': 'chunked' }, '1\r\na\r\n0\r\n\r\n'),
      formatRequest('HEAD /', { Connection: 'keep-alive', 'Content-Length': '70000' }, 'x'.repeat(70_000)),
    ]
    for (const bytes of bodies) {
      await withServer(
        (exchange) => exchange.send(textAnswer('early'), null),
        async ({ port }) => assert.deepEqual((await askBytes(port, bytes)).headers.get('connection'), ['close']),
      )
    }
  })

  it('does not wait for an unread body', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer('early'), null),
      async ({ port }) => {
        const text = await exchangeBytes(port, formatRequest('POST /', { 'Content-Length': '70000' }, 'x'))
        assert.equal(readAnswers(text, ['POST'])[0]?.body, 'early')
      },
    )
  })

  it('closes the connection if the rest of a small unread body takes longer than the body timeout', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer(exchange.url), null),
      async ({ port }) => {
        const keep = { Connection: 'keep-alive', 'Content-Length': '60000' }
        const slow = new Client(port).write(formatRequest('POST /slow', keep))
        const drip = setInterval(() => slow.write('x'), 20)
        const ended = await Promise.race([slow.closed.then(() => true), sleep(3_000, false)])
        clearInterval(drip)
        slow.socket.destroy()
        assert.equal(ended, true, 'The connection is kept')
        assert.equal(readAnswers(slow.text, ['POST'])[0]?.body, '/slow')
      },
      { bodyTimeout: 200 },
    )
  })

  it('keeps a connection open if a small unread body arrives in time', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer(exchange.url), null),
      async ({ port }) => {
        const keep = { Connection: 'keep-alive', 'Content-Length': '4' }
        const client = await new Client(port).write(formatRequest('POST /a', keep, 'ab')).until('/a')
        client.write('cd')
        await sleep(600)
        const answers = readAnswers(await client.write(formatRequest('GET /b')).all(), ['POST', 'GET'])
        assert.deepEqual(
          answers.map(({ body }) => body),
          ['/a', '/b'],
        )
      },
      { bodyTimeout: 200 },
    )
  })

  it('calls the listener after the response is sent', async () => {
    const { opened, open } = createGate<unknown>()
    await withServer(
      (exchange) => exchange.send(textAnswer('a'), { sent: open }),
      async ({ port }) => {
        await exchangeBytes(port, formatRequest('GET /'))
        assert.equal(await opened, undefined)
      },
    )
  })

  it('calls the listener immediately and ends the stream if the client has disconnected', async () => {
    const { opened, open } = createGate<unknown>()
    const { opened: begun, open: begin } = createGate()
    const stream = Readable.from(['a'])
    await withServer(
      (exchange) => {
        exchange.onAbort(() => exchange.send(parseResponse({ type: 'a/b', data: openChunks(stream) }), { sent: open }))
        exchange.onAbort(() => exchange.send(textAnswer('nobody'), null))
        begin()
      },
      async ({ port }) => {
        const client = new Client(port).write(formatRequest('GET /'))
        await begun
        client.socket.destroy()
        assert.equal(await opened, undefined)
        assert.equal(stream.destroyed, true)
      },
    )
  })
})
