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
  readAnswers,
  formatRequest,
  withServer,
  type WireServer,
} from '#test/wire.js'
import { openChunks } from '#src/http/chunks.js'
import type { ServerSettings } from '#src/http/connection.js'
import type { NodeExchange } from '#src/http/node-exchange.js'

interface Outcome {
  /** Arguments of the calls of the listener; `undefined` for a sent response. */
  readonly told: unknown[]
}

/** Runs a task against a server that responds with a source. Returns the calls of the listener. */
async function streaming(
  open: () => AsyncIterable<unknown>,
  task: (server: WireServer) => Promise<unknown>,
  settings: Partial<ServerSettings> = {},
): Promise<Outcome> {
  const told: unknown[] = []
  const { opened: left, open: leave } = createGate()
  await withServer(
    (exchange) =>
      exchange.send(parseResponse({ type: 'a/b', data: openChunks(open()) }), {
        sent: (error) => {
          told.push(error)
          leave()
        },
      }),
    async (server) => {
      await task(server)
      await left
    },
    settings,
  )
  await sleep(20)
  return { told }
}

/** Sources that yield some chunks and then wait forever, each with a function that returns whether the source has ended. */
function endless(): readonly {
  readonly name: string
  readonly source: AsyncIterable<unknown>
  readonly isEnded: () => boolean
}[] {
  const node = new Readable({ read: () => {} })
  node.push('first')
  const ended = { web: false, generator: false }
  const web = new ReadableStream({
    start: (controller) => controller.enqueue('first'),
    cancel: () => void (ended.web = true),
  })
  const generator = (async function* () {
    try {
      for (;;) {
        yield 'first'
        await sleep(10)
      }
    } finally {
      ended.generator = true
    }
  })()
  return [
    { name: 'Node stream', source: node, isEnded: () => node.destroyed },
    { name: 'web stream', source: web, isEnded: () => ended.web },
    { name: 'generator', source: generator, isEnded: () => ended.generator },
  ]
}

async function* failing(): AsyncGenerator<unknown> {
  yield 'first'
  await sleep(10)
  throw new Error('broken')
}

describe('sendReply() with a stream', () => {
  it('writes the chunks of every kind of source, including empty ones', async () => {
    const parts = ['a', '', Buffer.from('b'), new Uint8Array(0), 'ä']
    const sources = [
      () => Readable.from(parts, { objectMode: true }),
      () => ReadableStream.from(parts),
      () =>
        (async function* () {
          yield* parts
        })(),
    ]
    for (const open of sources) {
      const { told } = await streaming(open, async ({ port }) => {
        const answer = await askBytes(port, formatRequest('GET /'))
        assert.equal(answer.body, 'ab\u00c3\u00a4')
        assert.deepEqual(answer.headers.get('transfer-encoding'), ['chunked'])
        assert.deepEqual(answer.headers.get('x-content-type-options'), ['nosniff'])
      })
      assert.deepEqual(told, [undefined])
    }
  })

  it('joins the strings of one turn, and writes bytes between them in order', async () => {
    const source = async function* (): AsyncGenerator<unknown> {
      yield* ['a', 'ä', Buffer.from('-'), 'c', '', 'd']
    }
    await streaming(source, async ({ port }) => {
      const text = await exchangeBytes(port, formatRequest('GET /'))
      // Node 26 joins chunks as well.
      assert.match(text, /\r\n\r\n3\r\na\u00c3\u00a4\r\n(?:1\r\n-\r\n2\r\ncd|3\r\n-cd)\r\n0\r\n\r\n$/)
    })
  })

  it('writes a string at the end of its turn, even if the next chunk is pending', async () => {
    const source = async function* (): AsyncGenerator<string> {
      yield 'first'
      await new Promise(() => {})
    }
    await streaming(source, async ({ port }) => {
      const client = await new Client(port).write(formatRequest('GET /')).until('first')
      client.socket.destroy()
    })
  })

  it('reads no more small strings than a slow client accepts', async () => {
    let given = 0
    const source = async function* (): AsyncGenerator<string> {
      for (; given < 1_000_000; given++) yield 'x'.repeat(1_000)
    }
    await streaming(source, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      client.socket.pause()
      for (let last = -1; last !== given; await sleep(300)) last = given
      assert.ok(given < 25_000, `${given} kB`)
      client.socket.destroy()
    })
  })

  it('ends a generator of strings if the response cannot be written at the end of a turn', async () => {
    let isEnded = false
    const source = async function* (): AsyncGenerator<string> {
      try {
        yield 'first'
        await sleep(50)
        yield 'second'
      } finally {
        isEnded = true
      }
    }
    const told: unknown[] = []
    await withServer(
      (exchange) => {
        // Proof: the server creates exchanges over sockets.
        const { response } = exchange as NodeExchange
        response.write = () => {
          throw new Error('patched')
        }
        exchange.send(parseResponse({ type: 'a/b', data: openChunks(source()) }), { sent: (error) => told.push(error) })
      },
      async ({ port }) => {
        const text = await exchangeBytes(port, formatRequest('GET /'))
        assert.throws(() => readAnswers(text, ['GET']))
      },
    )
    await sleep(100)
    assert.match(String(told[0]), /patched/)
    assert.equal(isEnded, true)
  })

  it('ends a stream to HTTP/1.0 by closing the connection', async () => {
    await streaming(
      () => Readable.from(['a', 'b']),
      async ({ port }) => {
        const text = await exchangeBytes(port, formatRequest('GET / HTTP/1.0'))
        assert.doesNotMatch(text, /transfer-encoding/i)
        assert.match(text, /\r\n\r\nab$/)
      },
    )
  })

  it('yields to the event loop after 64 kB of chunks from microtasks', async () => {
    const sizes = new Map<number, number>()
    let turn = 0
    let isOver = false
    const countTurn = (): void => {
      turn++
      if (!isOver) setImmediate(countTurn)
    }
    async function* quick() {
      const chunk = Buffer.alloc(1_000)
      for (let count = 0; count < 2_000; count++) {
        sizes.set(turn, (sizes.get(turn) ?? 0) + chunk.length)
        yield chunk
      }
    }
    countTurn()
    await streaming(quick, async ({ port }) => {
      assert.ok((await exchangeBytes(port, formatRequest('GET /'))).length > 2_000_000)
    })
    isOver = true
    assert.ok(Math.max(...sizes.values()) < 80_000, `${Math.max(...sizes.values())} bytes`)
  })

  it('sends the headers before the first chunk is available', async () => {
    const { opened: released, open: release } = createGate()
    const source = (async function* () {
      await released
      yield 'late'
    })()
    await streaming(
      () => source,
      async ({ port }) => {
        const client = await new Client(port).write(formatRequest('GET /')).until('\r\n\r\n')
        release()
        assert.match(await client.all(), /late/)
      },
    )
  })

  it('ends each kind of source if the client disconnects', async () => {
    for (const { name, source, isEnded } of endless()) {
      const { told } = await streaming(
        () => source,
        async ({ port }) => {
          const client = await new Client(port).write(formatRequest('GET /')).until('first')
          client.socket.destroy()
          for (let waited = 0; waited < 100 && !isEnded(); waited++) await sleep(20)
          assert.equal(isEnded(), true, name)
        },
      )
      assert.deepEqual(told, [undefined], name)
    }
  })

  it('aborts the connection if a source fails, so that the client detects an incomplete response', async () => {
    const sources: readonly (() => AsyncIterable<unknown>)[] = [
      failing,
      () => Readable.from(failing()),
      () => ReadableStream.from(failing()),
    ]
    for (const open of sources) {
      const { told } = await streaming(open, async ({ port }) => {
        const text = await exchangeBytes(port, formatRequest('GET /'))
        assert.match(text, /first/)
        assert.throws(() => readAnswers(text, ['GET']))
      })
      assert.equal(told.length, 1)
      assert.match(String(told[0]), /broken/)
    }
  })

  it('sends all chunks before a failure to a slow client', async () => {
    const piece = 'y'.repeat(8 * 1024 * 1024)
    const source = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < 3; count++) yield piece
      throw new Error('broken')
    }
    const { told } = await streaming(source, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      client.socket.pause()
      await sleep(50)
      client.socket.resume()
      const text = await client.all()
      assert.equal(text.slice(text.indexOf('\r\n\r\n')).replaceAll(/[^y]/g, '').length, 3 * piece.length)
      assert.throws(() => readAnswers(text, ['GET']))
    })
    assert.match(String(told[0]), /broken/)
  })

  it('resets the connection of an HTTP/1.0 client if the source fails', async () => {
    await streaming(failing, async ({ port }) => {
      const { opened: failed, open: fail } = createGate<unknown>()
      const client = new Client(port)
      client.socket.on('error', fail)
      await client.write('GET / HTTP/1.0\r\n\r\n').closed
      assert.match(String(await failed), /ECONNRESET/)
    })
  })

  it('disconnects a client that does not read the chunks before a failure', async () => {
    const source = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.alloc(16 * 1024 * 1024, 'x')
      throw new Error('broken')
    }
    const { told } = await streaming(
      source,
      async ({ port }) => {
        const client = new Client(port).write(formatRequest('GET /'))
        client.socket.pause()
        await sleep(500)
        client.socket.destroy()
      },
      { writeTimeout: 100 },
    )
    assert.equal(told.length, 1)
  })

  it('aborts the connection at a chunk that is neither a string nor bytes', async () => {
    for (const chunk of [1, { a: 1 }, null]) {
      let isEnded = false
      const source = async function* (): AsyncGenerator<unknown> {
        try {
          yield 'first'
          yield chunk
        } finally {
          isEnded = true
        }
      }
      const { told } = await streaming(source, async ({ port }) => {
        const text = await exchangeBytes(port, formatRequest('GET /'))
        assert.throws(() => readAnswers(text, ['GET']))
      })
      assert.match(String(told[0]), /a chunk must be a string or bytes/)
      assert.equal(isEnded, true)
    }
  })

  it('reads no more from the source than a slow client accepts', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    let given = 0
    const source = async function* (): AsyncGenerator<unknown> {
      for (; given < 50; given++) yield chunk
    }
    const { told } = await streaming(source, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      client.socket.pause()
      await sleep(300)
      const paused = given
      assert.ok(paused < 25, `${paused} MB were taken from the source though nobody read`)
      await sleep(100)
      assert.equal(given, paused)
      client.socket.resume()
      assert.equal(readAnswers(await client.all(), ['GET'])[0]?.body.length, 50 * chunk.length)
    })
    assert.deepEqual(told, [undefined])
  })

  it('disconnects a client that stops reading', async () => {
    const state = { isEnded: false }
    const source = async function* (): AsyncGenerator<unknown> {
      try {
        for (;;) yield Buffer.alloc(1024 * 1024)
      } finally {
        state.isEnded = true
      }
    }
    const { told } = await streaming(
      source,
      async ({ port }) => {
        const client = new Client(port).write(formatRequest('GET /'))
        client.socket.pause()
        for (let waited = 0; waited < 200 && !state.isEnded; waited++) await sleep(20)
        assert.equal(state.isEnded, true)
        client.socket.destroy()
      },
      { writeTimeout: 200 },
    )
    assert.deepEqual(told, [undefined])
  })
})
