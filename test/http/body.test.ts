import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGate } from '#test/apps.js'
import {
  parseResponse,
  askBytes,
  Client,
  exchangeBytes,
  formatPost,
  readAnswers,
  formatRequest,
  textAnswer,
  withServer,
} from '#test/wire.js'
import { HttpError } from '#src/errors/http-error.js'
import type { BodyListener, Exchange } from '#src/http/exchange.js'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { ChunkBuffer, joinChunks } from '#src/http/body.js'
import { programArguments } from '#test/repository.js'

const LIMIT = 1_000
type Serve = (exchange: Exchange) => void
type Read = (exchange: Exchange, done: BodyListener) => void

/** Responds with the body, or with its error. */
function answering(read: Read): Serve {
  return (exchange) =>
    read(exchange, (error, bytes) => {
      if (error instanceof HttpError) exchange.send(textAnswer(error.message, error.status), null)
      else exchange.send(parseResponse({ type: 'a/b', data: bytes ?? String(error) }), null)
    })
}

const collecting: Read = (exchange, done) => exchange.collect(LIMIT, done)

async function gather(exchange: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of exchange.stream(LIMIT)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const streaming: Read = (exchange, done) =>
  void gather(exchange).then(
    (bytes) => done(undefined, bytes),
    (error: unknown) => done(error, undefined),
  )

function assertEndedEarly(error: unknown): void {
  assert.ok(error instanceof HttpError, String(error))
  assert.equal(error.status, 400)
  assert.match(error.message, /^The body (?:ended before it was complete|is malformed)$/)
}

function chunked(sizes: readonly number[]): string {
  const chunks = sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('')
  return formatRequest('POST /', { 'Transfer-Encoding': 'chunked' }, `${chunks}0\r\n\r\n`)
}

for (const [name, read] of [
  ['collectBody()', collecting],
  ['streamBody()', streaming],
] as const) {
  const serve = answering(read)
  describe(name, () => {
    it('returns the bytes as they were sent', async () => {
      const every = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))
      await withServer(serve, async ({ port }) => {
        for (const body of ['a', every, 'x'.repeat(LIMIT)])
          assert.equal((await askBytes(port, formatPost(body))).body, body)
        assert.equal((await askBytes(port, formatPost(''))).body, '')
        assert.equal((await askBytes(port, chunked([1, 2, 997]))).body, 'x'.repeat(LIMIT))
        assert.equal((await askBytes(port, chunked([]))).body, '')
        const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '6' }, 'abc'))
        await sleep(20)
        assert.match(await client.write('def').all(), /abcdef$/)
      })
    })

    it('rejects one byte above the limit, with and without Content-Length', async () => {
      await withServer(serve, async ({ port }) => {
        for (const bytes of [
          formatPost('x'.repeat(LIMIT + 1)),
          chunked([LIMIT + 1]),
          chunked(Array<number>(LIMIT + 1).fill(1)),
        ]) {
          const { status, body } = await askBytes(port, bytes)
          assert.deepEqual([status, body], [413, 'The body is larger than 1000 bytes'])
        }
      })
    })

    it('rejects a declared length of 10 GB before any byte is sent', async () => {
      await withServer(serve, async ({ port }) => {
        const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': String(10 * 2 ** 30) }))
        await client.until('larger than 1000 bytes')
        const [refused] = readAnswers(client.text, ['POST'])
        assert.deepEqual([refused?.status, refused?.headers.get('connection')], [413, ['close']])
        client.socket.destroy()
      })
    })

    it('sends the 413 to a client that is still sending 10 MB', async () => {
      await withServer(serve, async ({ port }) => {
        const payload = 'x'.repeat(10 * 1024 * 1024)
        for (let times = 0; times < 15; times++) {
          assert.equal((await askBytes(port, formatPost(payload))).status, 413)
          assert.equal((await askBytes(port, chunked([payload.length]))).status, 413)
        }
      })
    })

    it('fails with 400 if the body ends early', async () => {
      const { opened, open } = createGate<unknown>()
      const { opened: begun, open: begin } = createGate()
      const serveOne: Serve = (exchange) => {
        read(exchange, open)
        begin()
      }
      await withServer(serveOne, async ({ port }) => {
        const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '10' }, 'abc'))
        await begun
        client.socket.destroy()
        assertEndedEarly(await opened)
      })
    })

    it('fails with 400 if the client disconnects before the body is read', async () => {
      const { opened, open } = createGate<unknown>()
      const { opened: begun, open: begin } = createGate()
      const late: Serve = (exchange) => {
        setTimeout(() => read(exchange, open), 100)
        begin()
      }
      await withServer(late, async ({ port }) => {
        const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '10' }, 'abc'))
        await begun
        client.socket.destroy()
        assertEndedEarly(await Promise.race([opened, sleep(5_000, 'never told')]))
      })
    })

    it('fails with 400 if the client disconnects, even if the previous body arrived after its response', async () => {
      const { opened, open } = createGate<unknown>()
      const { opened: begun, open: begin } = createGate()
      let served = 0
      const early: Serve = (exchange) => {
        served++
        read(exchange, served === 1 ? () => {} : open)
        if (served === 1) exchange.send(textAnswer('early'), null)
        else begin()
      }
      await withServer(early, async ({ port }) => {
        const head = { 'Content-Length': '6', Connection: null }
        const client = new Client(port).write(formatRequest('POST /', head, 'abc'))
        await client.until('early')
        client.write(`def${formatRequest('POST /', head, 'abc')}`)
        await begun
        await sleep(20)
        client.socket.destroy()
        assertEndedEarly(await Promise.race([opened, sleep(5_000, 'never told')]))
      })
    })

    it('fails with 400 if the chunks are malformed', async () => {
      await withServer(serve, async ({ port }) => {
        const bytes = formatRequest('POST /', { 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n')
        const client = new Client(port).write(bytes)
        await sleep(20)
        const { status, body } = await client
          .write('zz\r\n')
          .all()
          .then((text) => readAnswers(text, ['POST'])[0] ?? assert.fail())
        assert.deepEqual([status, body], [400, 'The body is malformed'])
      })
    })

    it('fails with 408 if no data arrives', async () => {
      await withServer(
        serve,
        async ({ port }) => {
          for (const start of ['', 'abc']) {
            const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '10' }, start))
            const [late] = readAnswers(await client.all(), ['POST'])
            assert.deepEqual([late?.status, late?.body], [408, 'The body arrived too slowly'])
          }
        },
        { bodyTimeout: 100 },
      )
    })

    it('fails with 408 if a body arrives slower than 1 kB a second', async () => {
      await withServer(
        serve,
        async ({ port }) => {
          const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '900' }))
          const drip = setInterval(() => client.write('x'), 50)
          const [late] = readAnswers(await client.all(), ['POST'])
          clearInterval(drip)
          assert.deepEqual([late?.status, late?.body], [408, 'The body arrived too slowly'])
        },
        { bodyTimeout: 200 },
      )
    })

    it('waits without limit if the timeout is 0', async () => {
      await withServer(
        serve,
        async ({ port }) => {
          const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': '2' }, 'a'))
          await sleep(50)
          assert.match(await client.write('b').all(), /ab$/)
        },
        { bodyTimeout: 0 },
      )
    })
  })
}

describe('streamBody()', () => {
  it('reads no faster than its consumer', async () => {
    const total = 50 * 1024 * 1024
    const { opened: first, open: tellFirst } = createGate()
    const { opened: released, open: release } = createGate()
    const slow: Serve = (exchange) =>
      void (async () => {
        let size = 0
        for await (const chunk of exchange.stream(total)) {
          if (size === 0) {
            tellFirst()
            await released
          }
          size += chunk.length
        }
        exchange.send(textAnswer(String(size)), null)
      })()
    await withServer(slow, async ({ port }) => {
      const client = new Client(port).write(formatRequest('POST /', { 'Content-Length': String(total) }))
      client.write('x'.repeat(total))
      await first
      await sleep(200)
      assert.ok(client.socket.writableLength > total / 2, 'The server took more than half without being asked')
      release()
      assert.match(await client.all(), new RegExp(`${total}$`))
    })
  })

  it('does not count the time of a slow consumer as time of the client', async () => {
    const slow: Serve = (exchange) =>
      void (async () => {
        const sizes: number[] = []
        for await (const chunk of exchange.stream(LIMIT)) {
          await sleep(300)
          sizes.push(chunk.length)
        }
        exchange.send(textAnswer(String(sizes)), null)
      })()
    await withServer(
      slow,
      async ({ port }) => {
        assert.equal((await askBytes(port, formatPost('x'.repeat(LIMIT)))).body, '1000')
      },
      { bodyTimeout: 150 },
    )
  })

  it('keeps the connection usable if the consumer stops early', async () => {
    const picky: Serve = (exchange) =>
      void (async () => {
        for await (const chunk of exchange.stream(LIMIT)) {
          exchange.send(textAnswer(chunk.toString('latin1', 0, 1)), null)
          return
        }
      })()
    await withServer(picky, async ({ port }) => {
      assert.equal((await askBytes(port, formatPost('abc'))).body, 'a')
      const twice = `${formatPost('x'.repeat(900), { Connection: 'keep-alive' })}${formatPost('y')}`
      const answers = readAnswers(await exchangeBytes(port, twice), ['POST', 'POST'])
      assert.deepEqual(
        answers.map(({ body }) => body),
        ['x', 'y'],
      )
    })
  })
})

function gathered(chunks: readonly Uint8Array[]): ChunkBuffer {
  const all = new ChunkBuffer()
  for (const chunk of chunks) all.add(Buffer.from(chunk))
  return all
}

describe('ChunkBuffer', () => {
  it('returns the bytes in order for any chunk sizes', () => {
    const small = fc.uint8Array({ minLength: 1, maxLength: 40 })
    const sizes = fc.constantFrom(1, 2, 700, 1023, 1024, 1025, 5000, 70_000)
    const large = fc.tuple(sizes, fc.nat(255)).map(([size, byte]) => new Uint8Array(size).fill(byte))
    fc.assert(
      fc.property(fc.array(fc.oneof(small, large)), (chunks) => {
        assert.ok(gathered(chunks).join().equals(Buffer.concat(chunks)))
      }),
    )
  })

  it('returns no bytes without chunks', () => {
    assert.equal(gathered([]).join().length, 0)
    assert.equal(gathered([new Uint8Array(0)]).join().length, 0)
  })

  it('does not copy a single chunk', () => {
    const chunk = Buffer.from('body')
    const all = new ChunkBuffer()
    all.add(chunk)
    assert.equal(all.join(), chunk)
  })

  it('uses at most twice the bytes plus 64 kB of memory, for any chunk sizes', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--expose-gc', ...programArguments('test/http/body-child.ts')])
    const rows: unknown = JSON.parse(stdout)
    assert.ok(Array.isArray(rows) && rows.length === 12)
    for (const { sizes, bytes, held } of rows) {
      assert.ok(held <= 2 * bytes + 64 * 1024, `${held} bytes for ${bytes} in chunks of ${sizes}`)
    }
  })
})

function joining(): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  joinChunks(request)
  return request
}

const one = (text: string): Buffer => Buffer.from(text)

describe('joinChunks()', () => {
  it('joins the chunks of one turn of the event loop', async () => {
    const request = joining()
    const chunks: string[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    for (const text of ['a', 'b', 'c']) request.push(one(text))
    assert.deepEqual(chunks, [])
    await new Promise(setImmediate)
    request.push(one('d'))
    await new Promise(setImmediate)
    assert.deepEqual(chunks, ['abc', 'd'])
  })

  it('passes on pending chunks before the end', async () => {
    const request = joining()
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.push(one('a'))
    request.push(one('b'))
    request.push(null)
    await once(request, 'end')
    assert.equal(text, 'ab')
  })

  it('ends a body without chunks', async () => {
    const request = joining().resume()
    request.push(null)
    await once(request, 'end')
  })

  it('counts pending chunks toward the high-water mark', () => {
    const request = joining()
    const half = Buffer.alloc(request.readableHighWaterMark / 2)
    assert.equal(request.push(half), true)
    assert.equal(request.push(half), false)
  })

  it('drops pending chunks if the request is destroyed', async () => {
    const request = joining()
    request.push(one('a'))
    request.destroy()
    await once(request, 'close')
    assert.equal(request.readableLength, 0)
  })
})
