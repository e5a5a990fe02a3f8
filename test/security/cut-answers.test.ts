/** Responses in progress when a connection or a server closes: each arrives completely, or is cut so that the client can detect it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { Route, type App, type Context, type ListenOptions } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { startChild } from '#test/probe-child.js'
import { PROBE_ROUTES } from '#test/probe.js'
import { formatTitle } from '#test/attack-rows.js'
import { formatGet, serving } from '#test/serving.js'

const MB = 1024 * 1024
const FOLDER = 'test/fixtures/tls'
const CERTIFICATE = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }
const KINDS = ['TCP', 'TLS', 'a Unix socket'] as const

/** A response larger than all buffers. */
class Large extends Route {
  get({ request }: Context) {
    return Buffer.alloc(Number(request.headers['x-mb'] ?? 1) * MB, 'x')
  }
}

class Streamed extends Route {
  async *get({ request }: Context) {
    for (let n = 0; n < Number(request.headers['x-mb'] ?? 1); n++) yield Buffer.alloc(MB, 'x')
  }
}

/** Sends a large response after 100 ms, and closes the connection. */
class Hold extends Route {
  async get() {
    await wait(100)
    return new Response(Buffer.alloc(16 * MB, 'x'), { headers: { connection: 'close' } })
  }
}

const makeApp = (options: object = {}): App =>
  createUntypedApp({ routes: { ...PROBE_ROUTES, Large, Streamed, Hold }, signals: false, logger: false, ...options })

interface Place {
  readonly options: ListenOptions
  readonly open: (port: number) => Socket
}

function placeOf(kind: (typeof KINDS)[number], folder: string): Place {
  const path = join(folder, 'socket')
  if (kind === 'a Unix socket') return { options: { path }, open: () => connect(path) }
  if (kind === 'TCP') return { options: {}, open: (port) => connect(port, '127.0.0.1') }
  return {
    options: { tls: CERTIFICATE },
    open: (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
  }
}

/** Received bytes of a response. */
interface Got {
  readonly bytes: number
  readonly end: Buffer
  readonly error: string | undefined
}

/** Sends a request, reads the start of the response, waits for `isFree`, and reads the rest in steps. */
async function readSlowly(socket: Socket, request: string, isFree: Promise<unknown>, size: number = MB): Promise<Got> {
  let bytes = 0
  let end = Buffer.alloc(0)
  let error: string | undefined
  let step = 0
  socket.on('error', (failure: NodeJS.ErrnoException) => (error = failure.code))
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    end = Buffer.concat([end, chunk]).subarray(-16)
    if (bytes < step) return
    step = bytes + size
    socket.pause()
    void isFree.then(() => setTimeout(() => socket.resume(), 10))
  })
  socket.write(request)
  await new Promise((resolve) => socket.on('close', resolve))
  return { bytes, end, error }
}

/** Closes an app while a client reads a large response in steps of `size` bytes; returns the received bytes. */
async function closing(kind: (typeof KINDS)[number], request: string, ms: number, size: number): Promise<Got> {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-'))
  const { options, open } = placeOf(kind, folder)
  const app = makeApp({ timeouts: { close: ms } })
  const { port } = await app.listen(options)
  const socket = open(port)
  const first = once(socket, 'data')
  const got = readSlowly(socket, request, first, size)
  await first
  await app.close()
  const all = await got
  rmSync(folder, { recursive: true })
  return all
}

describe('a response in progress when the app closes', () => {
  for (const kind of KINDS) {
    for (const size of [12, 64]) {
      it(
        formatTitle({ rule: `arrives completely over ${kind}: ${size} MB, read slowly`, source: 'RFC 9112 §8' }),
        async () => {
          const { bytes, error } = await closing(kind, formatGet('/large', `X-Mb: ${size}\r\n`), 60_000, MB)
          assert.equal(error, undefined)
          assert.ok(bytes > size * MB, `${bytes} bytes came`)
        },
      )
    }

    it(
      formatTitle({ rule: `arrives completely over ${kind}: a stream, read slowly`, source: 'RFC 9112 §8' }),
      async () => {
        const { bytes, end } = await closing(kind, formatGet('/streamed', 'X-Mb: 12\r\n'), 60_000, MB)
        assert.ok(bytes > 12 * MB, `${bytes} bytes came`)
        assert.match(end.toString('latin1'), /\r\n0\r\n\r\n$/)
      },
    )

    it(formatTitle({ rule: `is cut detectably at the deadline over ${kind}`, source: 'RFC 9112 §8' }), async (test) => {
      const resets = test.mock.method(Socket.prototype, 'resetAndDestroy').mock
      const large = await closing(kind, formatGet('/large', 'X-Mb: 64\r\n'), 200, MB / 16)
      assert.ok(large.bytes < 64 * MB, `${large.bytes} bytes came`)
      const streamed = await closing(kind, formatGet('/streamed', 'X-Mb: 64\r\n'), 200, MB / 16)
      assert.doesNotMatch(streamed.end.toString('latin1'), /\r\n0\r\n\r\n$/)
      // Counts resets on the server, because Node's client misses a reset that it reads late.
      assert.equal(resets.callCount(), kind === 'TCP' ? 2 : 0)
    })
  }

  it(formatTitle({ rule: 'arrives completely when SIGTERM ends the process', source: 'RFC 9112 §8' }), async () => {
    const server = await startChild({ timeouts: { close: 60_000 } })
    const socket = connect(server.port, '127.0.0.1')
    const first = once(socket, 'data')
    const got = readSlowly(socket, formatGet('/megabytes?mb=64'), wait(1500))
    await first
    server.child.kill('SIGTERM')
    assert.equal(await server.ended, 0)
    const { bytes, error } = await got
    assert.equal(error, undefined)
    assert.ok(bytes > 64 * MB, `${bytes} bytes came`)
  })
})

describe('the last response of a connection', () => {
  it(formatTitle({ rule: 'arrives completely despite unread requests after it', source: 'RFC 9112 §9.6' }), () =>
    serving(makeApp(), async (port) => {
      for (let run = 0; run < 8; run++) {
        const socket = connect(port, '127.0.0.1')
        const got = readSlowly(socket, formatGet('/hold'), Promise.resolve())
        // The server queues the first request, and leaves two unread in the socket.
        for (let more = 0; more < 3; more++) {
          await wait(20)
          socket.write(formatGet('/alive'))
        }
        const { bytes, error } = await got
        assert.equal(error, undefined)
        assert.ok(bytes > 16 * MB, `${bytes} bytes came`)
      }
    }),
  )

  it(
    formatTitle({ rule: 'arrives completely despite requests that arrive while it is sent', source: 'RFC 9112 §9.6' }),
    () =>
      serving(makeApp(), async (port) => {
        const socket = connect(port, '127.0.0.1')
        const first = once(socket, 'data')
        const got = readSlowly(socket, formatGet('/hold'), wait(300))
        await first
        for (let more = 0; more < 100; more++) {
          socket.write(formatGet('/alive'))
          await wait(2)
        }
        const { bytes, error } = await got
        assert.equal(error, undefined)
        assert.ok(bytes > 16 * MB, `${bytes} bytes came`)
      }),
  )

  it(
    formatTitle({
      rule: 'arrives completely despite an unread body that is still arriving',
      source: 'RFC 9112 §9.6',
    }),
    () =>
      serving(makeApp(), async (port) => {
        const fields = 'Host: a\r\nX-Mb: 4\r\nConnection: close\r\nContent-Length: 60000\r\n\r\n'
        for (const version of ['1.1', '1.0']) {
          const socket = connect(port, '127.0.0.1')
          const first = once(socket, 'data')
          const got = readSlowly(socket, `GET /large HTTP/${version}\r\n${fields}`, wait(300))
          await first
          for (let more = 0; more < 100; more++) {
            socket.write('a part of the body')
            await wait(2)
          }
          const { bytes, error } = await got
          assert.equal(error, undefined)
          assert.ok(bytes > 4 * MB, `${bytes} bytes came`)
        }
      }),
  )

  it(
    formatTitle({
      rule: 'is followed by the end of the connection, even if the client keeps sending',
      source: 'CWE-400',
    }),
    () =>
      serving(makeApp(), async (port) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
        socket.write(formatGet('/alive', 'Connection: close\r\n') + formatGet('/alive').repeat(3))
        const part = Buffer.from(formatGet('/alive').repeat(3000))
        socket.resume()
        const begin = performance.now()
        while (!socket.destroyed && performance.now() - begin < 6000) {
          socket.write(part)
          await wait(50)
        }
        assert.ok(socket.destroyed, 'The server still reads')
      }),
  )
})
