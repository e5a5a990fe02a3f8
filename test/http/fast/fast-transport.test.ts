import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChunks } from '#src/http/chunks.js'
import type { Exchange, ResponseMessage } from '#src/http/exchange.js'
import type { NodeExchange } from '#src/http/node-exchange.js'
import { Client, exchangeBytes, formatRequest, withServer, formatPost, readAnswers } from '#test/wire.js'
import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'
import { LeanRequest } from '#src/http/fast/fast-transport.js'

const textPayload = (data: string) => ({ type: 'text/plain; charset=utf-8', data })
const NONE: ResponseMessage['headers'] = new Map()

const ANSWERS: readonly (readonly [title: string, answer: ResponseMessage])[] = [
  ['lines of Verbena', { status: 200, headers: NONE, payload: textPayload('a'), lines: ['x-a', '1', 'x-b', '2'] }],
  ['lines, and a non-ASCII string', { status: 200, headers: NONE, payload: textPayload('ä'), lines: ['x-a', '1'] }],
  ['a header and a non-ASCII string', { status: 200, headers: new Map([['x-a', 'é']]), payload: textPayload('ä') }],
  [
    'headers and lines',
    { status: 404, headers: new Map([['x-a', '1']]), payload: textPayload('ä'), lines: ['x-b', '2'] },
  ],
  ['cookies', { status: 200, headers: new Map([['set-cookie', 'a=1\nb=2']]), payload: textPayload('a') }],
  ['a custom type', { status: 200, headers: new Map([['content-type', 'a/b']]), payload: textPayload('a') }],
  ['a custom length', { status: 200, headers: new Map([['content-length', '7']]), payload: textPayload('a') }],
  [
    'a custom X-Content-Type-Options',
    { status: 200, headers: new Map([['x-content-type-options', 'a']]), payload: textPayload('a') },
  ],
  ['no type', { status: 200, headers: NONE, payload: { type: undefined, data: 'a' } }],
  ['an empty string', { status: 200, headers: NONE, payload: textPayload('') }],
  ['a large string', { status: 200, headers: NONE, payload: textPayload('ä'.repeat(300_000)) }],
]

/** Returns the sent bytes of a response without the date. */
async function sent(answer: ResponseMessage, fastPath: boolean): Promise<string> {
  const bytes = await withServer(
    (exchange) => exchange.send(answer, null),
    ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /', { Connection: 'keep-alive' }))
      // The server rejects this byte with a last response, and closes the connection.
      return client.write('\0').all()
    },
    { fastPath },
  )
  return bytes.replaceAll(/Date: [^\r]*/g, '')
}

describe('fastTransport()', () => {
  for (const [title, answer] of ANSWERS) {
    it(`sends the same bytes as Node for ${title}`, async () => {
      const documented = await sent(answer, false)
      assert.equal(await sent(answer, true), documented)
      assert.match(documented, /^HTTP\/1\.1 (?:200|404) [^]*HTTP\/1\.1 400 /)
    })
  }

  it('throws like Node for an invalid header', async () => {
    for (const headers of [new Map([['x a', '1']]), new Map([['x-a', 'a\r\nb: c']])]) {
      for (const fastPath of [true, false]) {
        let thrown: unknown
        const serve = withServer(
          (exchange) => {
            try {
              exchange.send({ status: 200, headers, payload: textPayload('a') }, null)
            } catch (error) {
              thrown = error
              exchange.send({ status: 500, headers: NONE, payload: textPayload('failed') }, null)
            }
          },
          ({ port }) => new Client(port).write(formatRequest('GET /')).all(),
          { fastPath },
        )
        assert.match(await serve, /^HTTP\/1\.1 500 [^]*failed$/)
        assert.match(String(thrown), /^TypeError/)
      }
    }
  })
})

/** The parts of an exchange over a socket. */
function nodeParts(exchange: Exchange): NodeExchange {
  // Proof: the server creates exchanges over sockets.
  return exchange as NodeExchange
}

/** Runs a task for each transport, with a server that responds with a stream. Returns the errors that the listeners received. */
async function streamBoth(
  open: (exchange: NodeExchange) => AsyncIterable<unknown>,
  task: (port: number) => Promise<void>,
): Promise<unknown[]> {
  const errors: unknown[] = []
  for (const fastPath of [false, true]) {
    await withServer(
      (exchange) => {
        const data = openChunks(open(nodeParts(exchange)))
        const payload = { type: 'text/plain', data }
        exchange.send({ status: 200, headers: NONE, payload }, { sent: (error) => errors.push(error) })
      },
      async ({ port }) => {
        await task(port)
        await sleep(20)
      },
      { fastPath },
    )
  }
  return errors
}

/** Returns the headers and the decoded body of a chunked response as one string. */
function withoutChunks(bytes: string): string {
  const end = bytes.indexOf('\r\n\r\n') + 4
  let text = bytes.slice(0, end)
  for (let at = end, size = 1; size > 0;) {
    const line = bytes.indexOf('\r\n', at)
    size = Number.parseInt(bytes.slice(at, line), 16)
    text += bytes.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
  }
  return text
}

describe('fastTransport() with a stream', () => {
  it('sends the same head and body as Node, in chunks with the sizes of their bytes', async () => {
    const texts: string[] = []
    const source = async function* (): AsyncGenerator<unknown> {
      yield* ['a', 'b', Buffer.from('-'), 'täxt']
      await sleep(5)
      yield '\u20ac'.repeat(50_000)
    }
    await streamBoth(source, async (port) => void texts.push(await exchangeBytes(port, formatRequest('GET /'))))
    const [documented, fast] = texts.map((text) => text.replaceAll(/Date: [^\r]*/g, ''))
    // Node 26 joins the chunks of a turn.
    const [expected, found] = [documented, fast].map((text = '') => withoutChunks(text))
    assert.ok(found === expected, `${found?.length} instead of ${expected?.length} characters`)
    assert.match(
      String(fast),
      /\r\n\r\n2\r\nab\r\n(?:1\r\n-\r\n5\r\nt\u00c3\u00a4xt|6\r\n-t\u00c3\u00a4xt)\r\n249f0\r\n[^\r]*\r\n0\r\n\r\n$/,
    )
  })

  it('sends the joined strings before an error, and no last chunk', async () => {
    const source = async function* (): AsyncGenerator<string> {
      yield 'a'
      yield 'b'
      throw new Error('broken')
    }
    const errors = await streamBoth(source, async (port) => {
      assert.match(await exchangeBytes(port, formatRequest('GET /')), /\r\n\r\n2\r\nab\r\n$/)
    })
    assert.deepEqual(errors.map(String), ['Error: broken', 'Error: broken'])
  })

  it('sends the strings that a corked response holds before an error', async () => {
    await streamBoth(
      async function* ({ response }) {
        yield 'a'
        response.cork()
        yield 'b'
        throw new Error('broken')
      },
      async (port) => assert.match(await exchangeBytes(port, formatRequest('GET /')), /\r\n\r\n2\r\nab\r\n$/),
    )
  })

  it('calls return() of a source once if the client disconnects during a joined write', async () => {
    let returns = 0
    const errors = await streamBoth(
      ({ request }) => {
        let reads = 0
        const next = async (): Promise<IteratorResult<string>> => {
          // The first string waits for the end of this turn.
          if (++reads === 2) request.socket.destroy()
          return reads > 2 ? new Promise(() => {}) : { done: false, value: 'a' }
        }
        const end = async (): Promise<IteratorResult<string>> => {
          returns++
          return { done: true, value: undefined }
        }
        return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
      },
      (port) => new Client(port).write(formatRequest('GET /')).closed,
    )
    assert.equal(returns, 2)
    assert.deepEqual(errors, [undefined, undefined])
  })

  it('aborts the connection and ends the source once if the headers cannot be written', async () => {
    let returns = 0
    const errors = await streamBoth(
      ({ response }) => {
        response.flushHeaders = () => {
          throw new Error('patched')
        }
        const end = async (): Promise<IteratorResult<string>> => {
          returns++
          return { done: true, value: undefined }
        }
        return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: end }) }
      },
      async (port) => assert.equal(await exchangeBytes(port, formatRequest('GET /')), ''),
    )
    assert.match(String(errors), /patched.*patched/)
    assert.equal(returns, 2)
  })
})

const KEEP = { Connection: 'keep-alive' }
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

/** Ways to use a request; each returns the data that it reads. */
const WAYS: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
  'reads it by an iterator': (request) => text(request),
  'reads it by events': async (request) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    await once(request, 'end')
    return [body, request.complete, request.readableEnded]
  },
  'calls read()': async (request) => {
    const chunks: string[] = []
    request.on('readable', () => {
      for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(String(chunk))
    })
    await once(request, 'end')
    return chunks.join('')
  },
  'pipes it': (request) => text(request.pipe(new PassThrough())),
  'begins late': async (request) => {
    await later()
    return [await text(request), request.complete, request.destroyed]
  },
  'pauses it first': async (request) => {
    request.pause()
    await later()
    return [request.readableFlowing, await text(request)]
  },
  'reads its state, but not its body': ({ destroyed, readableFlowing, readableEnded, aborted }) => [
    ...[destroyed, readableFlowing, readableEnded, aborted],
  ],
  'does nothing': () => 'nothing',
  'only waits for its end': async (request) => {
    request.resume()
    await once(request, 'close')
    return [request.readableEnded, request.destroyed]
  },
  'reads its headers': ({ headers, headersDistinct, trailers, method, url, httpVersion }) => [
    ...[{ ...headers }, { ...headersDistinct }, { ...trailers }],
    ...[method, url, httpVersion],
  ],
}

async function answersOf(requestClass: typeof IncomingMessage, listener: RequestListener): Promise<unknown> {
  const server = createServer({ IncomingMessage: requestClass }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Proof: it listens on a port.
  const { port } = server.address() as AddressInfo
  const packets = [
    formatPost('body', KEEP),
    formatRequest('GET /', KEEP),
    formatPost('x'.repeat(200_000), KEEP),
    formatRequest('GET /'),
  ]
  const client = new Client(port)
  for (const packet of packets) {
    client.write(packet.slice(0, -2))
    await later()
    client.write(packet.slice(-2))
    await later()
  }
  const answers = readAnswers(await client.all(), ['POST', 'GET', 'POST', 'GET'])
  server.close()
  return answers.map(({ body }) => body)
}

/** Responds with the result of `way`. */
function telling(way: (request: IncomingMessage) => unknown): RequestListener {
  const tell = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.end(JSON.stringify(await way(request)))
  }
  return (request, response) => void tell(request, response)
}

// Proof: `LeanRequest` extends Node's `IncomingMessage`.
const Lean = LeanRequest as unknown as typeof IncomingMessage

describe('LeanRequest', () => {
  for (const [name, way] of Object.entries(WAYS)) {
    it(`behaves like IncomingMessage for a listener that ${name}`, async () => {
      const [lean, usual] = await Promise.all([answersOf(Lean, telling(way)), answersOf(IncomingMessage, telling(way))])
      assert.deepEqual(lean, usual)
    })
  }

  it('fails like IncomingMessage if the client disconnects', async () => {
    const failures: unknown[] = []
    const read = async (request: IncomingMessage): Promise<void> => {
      await later()
      await text(request).catch((error: Error) => failures.push(error.message, request.aborted, request.destroyed))
    }
    for (const requestClass of [Lean, IncomingMessage]) {
      const server = createServer({ IncomingMessage: requestClass }, (request) => void read(request)).listen(
        0,
        '127.0.0.1',
      )
      await once(server, 'listening')
      // Proof: it listens on a port.
      const client = new Client((server.address() as AddressInfo).port).write(formatPost('body').slice(0, -2))
      await later()
      await later()
      client.socket.destroy()
      server.close()
      await once(server, 'close')
      await later()
    }
    assert.deepEqual(failures.slice(0, 3), ['aborted', true, true])
    assert.deepEqual(failures.slice(3), failures.slice(0, 3))
  })

  it('creates a stream only if the body is read', async () => {
    const seen: unknown[] = []
    await answersOf(Lean, (request, response) => {
      response.end('done')
      response.once('close', () => seen.push(request instanceof LeanRequest && [request.method, request.isStream]))
    })
    // Node discards bodies that the handler does not read.
    assert.deepEqual(seen, [
      ['POST', true],
      ['GET', false],
      ['POST', true],
      ['GET', false],
    ])
  })
})
