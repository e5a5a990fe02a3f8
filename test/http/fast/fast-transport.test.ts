import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChunks } from '#src/http/chunks.js'
import type { Exchange, ResponseMessage } from '#src/http/exchange.js'
import type { NodeExchange } from '#src/http/node-exchange.js'
import { Client, exchangeBytes, formatRequest, withServer } from '#test/wire.js'

const text = (data: string) => ({ type: 'text/plain; charset=utf-8', data })
const NONE: ResponseMessage['headers'] = new Map()

const ANSWERS: readonly (readonly [title: string, answer: ResponseMessage])[] = [
  ['lines of Verbena', { status: 200, headers: NONE, payload: text('a'), lines: ['x-a', '1', 'x-b', '2'] }],
  ['lines, and a non-ASCII string', { status: 200, headers: NONE, payload: text('ä'), lines: ['x-a', '1'] }],
  ['a header and a non-ASCII string', { status: 200, headers: new Map([['x-a', 'é']]), payload: text('ä') }],
  ['headers and lines', { status: 404, headers: new Map([['x-a', '1']]), payload: text('ä'), lines: ['x-b', '2'] }],
  ['cookies', { status: 200, headers: new Map([['set-cookie', 'a=1\nb=2']]), payload: text('a') }],
  ['a custom type', { status: 200, headers: new Map([['content-type', 'a/b']]), payload: text('a') }],
  ['a custom length', { status: 200, headers: new Map([['content-length', '7']]), payload: text('a') }],
  [
    'a custom X-Content-Type-Options',
    { status: 200, headers: new Map([['x-content-type-options', 'a']]), payload: text('a') },
  ],
  ['no type', { status: 200, headers: NONE, payload: { type: undefined, data: 'a' } }],
  ['an empty string', { status: 200, headers: NONE, payload: text('') }],
  ['a large string', { status: 200, headers: NONE, payload: text('ä'.repeat(300_000)) }],
]

/** What a server sends for an answer: all bytes but the date. */
async function sent(answer: ResponseMessage, fastPath: boolean): Promise<string> {
  const bytes = await withServer(
    (exchange) => exchange.send(answer, null),
    ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /', { Connection: 'keep-alive' }))
      // It is refused by a last answer.
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
              exchange.send({ status: 200, headers, payload: text('a') }, null)
            } catch (error) {
              thrown = error
              exchange.send({ status: 500, headers: NONE, payload: text('failed') }, null)
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

describe('fastTransport() with a stream', () => {
  it('sends the same chunks as Node, with the sizes of their bytes', async () => {
    const texts: string[] = []
    const source = async function* (): AsyncGenerator<unknown> {
      yield* ['a', 'b', Buffer.from('-'), 'täxt']
      await sleep(5)
      yield '\u20ac'.repeat(50_000)
    }
    await streamBoth(source, async (port) => void texts.push(await exchangeBytes(port, formatRequest('GET /'))))
    const [documented, fast] = texts.map((text) => text.replaceAll(/Date: [^\r]*/g, ''))
    assert.equal(fast, documented)
    assert.match(String(fast), /\r\n\r\n2\r\nab\r\n1\r\n-\r\n5\r\nt\u00c3\u00a4xt\r\n249f0\r\n[^\r]*\r\n0\r\n\r\n$/)
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
