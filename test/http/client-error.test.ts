import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGate } from '#test/apps.js'
import {
  parseResponse,
  Client,
  exchangeBytes,
  formatPost,
  readAnswers,
  formatRequest,
  textAnswer,
  withServer,
  type WireAnswer,
} from '#test/wire.js'
import { parserErrorStatus, type ParserError } from '#src/http/client-error.js'
import type { Exchange } from '#src/http/exchange.js'

const echo = (exchange: Exchange): void => exchange.send(textAnswer(exchange.url), null)

/** Bodies of the responses, by method. */
const CONTENT: ReadonlyMap<string, string> = new Map([
  ['GET', 'GET '],
  ['POST', 'POST body'],
  ['HEAD', ''],
])

function assertProblem(answer: WireAnswer | undefined, status: number, rule: string): void {
  assert.ok(answer, rule)
  assert.equal(answer.status, status, rule)
  assert.deepEqual(answer.headers.get('connection'), ['close'], rule)
  assert.deepEqual(answer.headers.get('content-type'), ['application/problem+json'], rule)
  assert.deepEqual(answer.headers.get('x-content-type-options'), ['nosniff'], rule)
  assert.deepEqual(JSON.parse(answer.body), { type: 'about:blank', title: answer.reason, status }, rule)
}

describe('parserErrorStatus()', () => {
  it('returns a status for each parser error', () => {
    const unspoken = { code: 'HPE_INVALID_VERSION', reason: 'Invalid HTTP version' }
    const malformed = { code: 'HPE_INVALID_VERSION', reason: 'Expected dot' }
    const method = { code: 'HPE_INVALID_METHOD' }
    const cases: readonly (readonly [given: Partial<ParserError>, packet: string | undefined, status: number])[] = [
      [{}, undefined, 400],
      [{ code: 'HPE_INVALID_CONSTANT' }, undefined, 400],
      [{ code: 'HPE_HEADER_OVERFLOW' }, undefined, 431],
      [{ code: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' }, undefined, 413],
      [{ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, undefined, 408],
      [{ code: 'HPE_INVALID_TRANSFER_ENCODING' }, undefined, 400],
      [{ code: 'HPE_PAUSED_H2_UPGRADE' }, 'PRI * HTTP/2.0\r\n', 505],
      [malformed, undefined, 400],
      [{ ...malformed, bytesParsed: 12 }, 'GET / HTTP/1\r\n', 400],
      [unspoken, undefined, 505],
      // The next packet may complete the request line.
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2', 505],
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2\r', 505],
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2\r\nHost: a', 505],
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2\rHost: a', 400],
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2\n', 400],
      [{ ...unspoken, bytesParsed: 14 }, 'GET / HTTP/1.2x\r\n', 400],
      [method, undefined, 400],
      [method, 'FOO / HTTP/1.1', 501],
      [method, ' FOO', 400],
      [method, '\u0016\u0003\u0001 ', 400],
    ]
    for (const [given, packet, status] of cases) {
      const rawPacket = packet === undefined ? {} : { rawPacket: Buffer.from(packet, 'latin1') }
      const error = Object.assign(new Error('parse'), given, rawPacket)
      assert.equal(parserErrorStatus(error), status, `${JSON.stringify(given)} ${packet}`)
    }
  })
})

describe('respondToClientError()', () => {
  it('sends one complete response to malformed requests', async () => {
    const cases: readonly (readonly [rule: string, bytes: string, status: number])[] = [
      ['unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
      ['method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
      ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
      ['field without colon', 'GET / HTTP/1.1\r\nHost\r\n\r\n', 400],
      ['space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400],
      ['folded field', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400],
      ['NUL in a field', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
      ['raw UTF-8 in the target', 'GET /\u00c3\u00a4\u0000 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
      ['negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
      ['head too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['target too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
      ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ]
    await withServer(echo, async ({ port }) => {
      for (const [rule, bytes, status] of cases) {
        assertProblem(readAnswers(await exchangeBytes(port, bytes), ['GET'])[0], status, rule)
      }
    })
  })

  it('rejects malformed heads for every packet boundary (RFC 9112 sections 2.3, 6.1 and 6.3)', async () => {
    const post = (fields: string): string => `POST /a HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n0\r\n\r\n`
    const cases: readonly (readonly [bytes: string, status: number])[] = [
      [post('Content-Length: 3\r\nTransfer-Encoding: chunked'), 400],
      [post('Transfer-Encoding: chunked\r\nContent-Length: 3'), 400],
      [post('Transfer-Encoding: chunked, gzip'), 400],
      ['GET / HTTP/01.01\r\nHost: a\r\n\r\n', 400],
      ['GET / HTTP/1\r\nHost: a\r\n\r\n', 400],
      ['GET / HTTP/1.2\r\nHost: a\r\n\r\n', 505],
    ]
    await withServer(echo, async ({ port }) => {
      for (const [bytes, status] of cases) {
        const cuts = Array.from(bytes.slice(1), (_, index) => index + 1)
        const answers = cuts.map(async (cut) => {
          const client = new Client(port).write(bytes.slice(0, cut))
          await new Promise((resolve) => setTimeout(resolve, 20))
          return readAnswers(await client.write(bytes.slice(cut)).all(), ['POST'])[0]
        })
        for (const [index, answer] of (await Promise.all(answers)).entries()) {
          assertProblem(answer, status, `${JSON.stringify(bytes)} cut at ${cuts[index]}`)
        }
      }
    })
  })

  it('responds to requests before malformed bytes', async () => {
    await withServer(echo, async ({ port }) => {
      const client = await new Client(port).write(formatRequest('GET /a', { Connection: 'keep-alive' })).until('/a')
      const [first, second, ...more] = readAnswers(await client.write('\u0000\u0001').all(), ['GET', 'GET'])
      assert.equal(first?.body, '/a')
      assertProblem(second, 400, 'bytes behind an answer')
      assert.equal(more.length, 0)
    })
  })

  it('responds to complete requests first, and then to malformed bytes after them', async () => {
    type Behind = readonly [bytes: string, status: number]
    const behind: readonly Behind[] = [
      ['\u0000\u0001', 400],
      ['x', 400],
      ['FOO / HTTP/1.1\r\n\r\n', 501],
      ['GET / HTTP/1.2\r\n\r\n', 505],
      ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 501],
      // A request with an invalid body is rejected before its turn, so its handler does not run.
      [`${formatRequest('POST /c', { 'Transfer-Encoding': 'chunked' })}zz\r\n`, 400],
      [formatRequest('POST /c', { 'Transfer-Encoding': 'gzip' }, 'abc'), 400],
    ]
    const keep = { Connection: 'keep-alive' }
    const before = [
      formatRequest('GET /a', keep),
      formatPost('body', keep),
      formatRequest('GET /a', keep) + formatPost('body', keep) + formatRequest('HEAD /b', keep),
    ]
    const urls: string[] = []
    const slow = (exchange: Exchange): void => {
      urls.push(exchange.url)
      setTimeout(() => collect(exchange), 400)
    }
    // Like an app: Node 24 and later may have closed the stream of a request without a body.
    const collect = (exchange: Exchange): void => {
      if (!exchange.hasBody) return answer(exchange, undefined, new Uint8Array())
      return exchange.collect(100, (error, bytes) => answer(exchange, error, bytes))
    }
    const answer = (exchange: Exchange, error: unknown, bytes: Uint8Array | undefined): void =>
      exchange.send(textAnswer(`${exchange.method} ${String(error ?? bytes)}`), null)
    await withServer(slow, async ({ port }) => {
      const ask = async (requests: string, [bytes, status]: Behind, isApart: boolean): Promise<void> => {
        const client = new Client(port).write(isApart ? requests : requests + bytes)
        if (isApart) await new Promise((resolve) => setTimeout(resolve, 20))
        if (isApart) client.write(bytes).write(bytes)
        const methods = requests.match(/[A-Z]+(?= \/)/g) ?? []
        const answers = readAnswers(await client.all(), [...methods, 'GET'])
        const rule = JSON.stringify([requests, bytes, isApart])
        assertProblem(answers.pop(), status, rule)
        assert.deepEqual(
          answers.map(({ body, headers }) => [body, headers.get('connection')]),
          methods.map((method) => [CONTENT.get(method), ['keep-alive']]),
          rule,
        )
      }
      const asked = [false, true].flatMap((isApart) =>
        before.flatMap((requests) => behind.map((bytes) => ask(requests, bytes, isApart))),
      )
      await Promise.all(asked)
    })
    assert.ok(!urls.includes('/c'))
  })

  it('finishes a request whose body becomes malformed, and closes the connection', async () => {
    const { opened: begun, open: begin } = createGate<Exchange>()
    await withServer(begin, async ({ port }) => {
      const head = formatRequest('POST /a', { Connection: 'keep-alive', 'Transfer-Encoding': 'chunked' })
      const client = new Client(port).write(`${head}1\r\n`)
      const exchange = await begun
      client.write('\u0000\u0001')
      await new Promise((resolve) => setTimeout(resolve, 50))
      client.write('more')
      assert.equal(client.text, '')
      exchange.send(textAnswer('done'), null)
      const answers = readAnswers(await client.all(), ['POST', 'GET'])
      assert.deepEqual(
        answers.map(({ body, headers }) => [body, headers.get('connection')]),
        [['done', ['close']]],
      )
    })
  })

  it('ignores bytes after the last response of a connection', async () => {
    await withServer(echo, async ({ port }) => {
      for (const behind of [formatRequest('GET /b'), '\u0000\u0001', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
        const answers = readAnswers(await exchangeBytes(port, formatRequest('GET /a') + behind), ['GET', 'GET'])
        assert.deepEqual(
          answers.map(({ body }) => body),
          ['/a'],
        )
      }
    })
  })

  it('ignores bytes after a response with Connection: close', async () => {
    const closing = (exchange: Exchange): void =>
      exchange.send(parseResponse({ type: 'a/b', data: 'last' }, 200, { connection: 'Close' }), null)
    await withServer(closing, async ({ port }) => {
      for (const behind of ['', formatRequest('GET /b'), '\u0000\u0001']) {
        const text = await exchangeBytes(port, formatRequest('GET /a', { Connection: 'keep-alive' }) + behind)
        const answers = readAnswers(text, ['GET', 'GET'])
        assert.deepEqual(
          answers.map(({ body, headers }) => [body, headers.get('connection')?.[0]?.toLowerCase()]),
          [['last', 'close']],
        )
      }
    })
  })

  it('ignores a client that resets the connection', async () => {
    await withServer(echo, async ({ port }) => {
      for (const start of ['', 'GET / HT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
        const client = new Client(port).write(start)
        await new Promise((resolve) => setTimeout(resolve, 20))
        client.socket.resetAndDestroy()
      }
      assert.match(await exchangeBytes(port, formatRequest('GET /still')), /\/still$/)
    })
  })
})
