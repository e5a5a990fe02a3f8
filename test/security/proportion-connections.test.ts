/** The memory of a connection is proportional to the bytes received over it, measured on a server in a separate process. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startChild, type ChildServer } from '#test/probe-child.js'
import { assertAlive, formatTitle } from '#test/attack-rows.js'

const KB = 1024
/** Allowed variation of the measured process. */
const SLACK = 2_000 * KB
const SOURCE = 'CWE-770: 6 MB used 190 MB'

async function measuring(options: object, task: (server: ChildServer) => Promise<void>): Promise<void> {
  const server = await startChild({ signals: false, ...options })
  try {
    await assertAlive(server.port)
    await task(server)
    await assertAlive(server.port)
  } finally {
    await server.stop()
  }
}

/** Opens connections that send bytes and do not read. */
function opened(port: number, count: number, bytes: string): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.pause()
      // Bytes that the server does not read stay in the kernel and in this process.
      socket.write(bytes, 'latin1')
      return socket
    }),
  )
}

/** Waits until the heap size is stable, when all sent bytes have been read; returns it in bytes. */
async function settledHeap(server: ChildServer): Promise<number> {
  let last = (await server.measure()).heap
  for (let tries = 0; tries < 40; tries++) {
    await wait(150)
    const { heap } = await server.measure()
    if (Math.abs(heap - last) < 32 * KB) return heap
    last = heap
  }
  return last
}

/** Opens and closes connections; returns the heap growth while they are open, and the heap size before, in bytes. */
async function holding(server: ChildServer, count: number, bytes: string) {
  const before = await settledHeap(server)
  const sockets = await opened(server.port, count, bytes)
  const held = (await settledHeap(server)) - before
  for (const socket of sockets) socket.destroy()
  return { held, before }
}

/** Asserts that the heap returns to its size before. Detecting disconnected clients may take 5 s. */
async function assertReturns(server: ChildServer, before: number): Promise<void> {
  const end = performance.now() + 15_000
  let heap = await settledHeap(server)
  while (heap - before > SLACK && performance.now() < end) heap = await settledHeap(server)
  assert.ok(heap - before <= SLACK, `${heap - before} bytes are left`)
}

const upload = (type: string): string =>
  `POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${type}\r\n`

describe('the memory of a connection', () => {
  const ONE_BYTE_CHUNKS = [
    {
      rule: 'is at most twice the size of an unfinished body in one-byte chunks, plus 64 kB',
      source: SOURCE,
      head: upload('Transfer-Encoding: chunked\r\n'),
      ...{ connections: 8, chunks: 100_000 },
    },
    {
      rule: 'is proportional to an unread body in one-byte chunks',
      source: 'CWE-770: 98 kB used 3 MB on Node 20, 12 MB on Node 22',
      head: 'GET /waiting HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...{ connections: 20, chunks: 16_384 },
    },
  ]
  for (const { rule, source, head, connections, chunks } of ONE_BYTE_CHUNKS) {
    it(formatTitle({ rule, source }), { timeout: 120_000 }, (test: TestContext) =>
      measuring({}, async (server) => {
        const { held, before } = await holding(server, connections, head + '1\r\n \r\n'.repeat(chunks))
        test.diagnostic(`${(held / connections / KB).toFixed(0)} kB for ${(chunks / KB).toFixed(0)} kB`)
        assert.ok(held <= connections * (2 * chunks + 64 * KB) + SLACK, `${held} bytes`)
        await assertReturns(server, before)
      }),
    )
  }

  it(
    formatTitle({
      rule: 'is at most twice the size of an unfinished body with a length, sent byte by byte, plus 64 kB',
      source: SOURCE,
    }),
    { timeout: 120_000 },
    () =>
      measuring({}, async (server) => {
        const before = await settledHeap(server)
        const sockets = await opened(server.port, 8, upload('Content-Length: 1000000\r\n'))
        for (let sent = 0; sent < 1_000; sent++) {
          for (const socket of sockets) socket.write(' ')
          await wait(1)
        }
        const held = (await settledHeap(server)) - before
        assert.ok(held <= 8 * (2 * 1_000 + 64 * KB) + SLACK, `${held} bytes`)
        for (const socket of sockets) socket.destroy()
        await assertReturns(server, before)
      }),
  )

  it(
    formatTitle({ rule: 'does not grow with requests queued after a request in progress', source: SOURCE }),
    { timeout: 120_000 },
    (test: TestContext) =>
      measuring({}, async (server) => {
        const tiny = 'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'
        const head = 'GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n'
        const before = await settledHeap(server)
        // Node parses each read as a whole, so about 64 kB of headers are always in memory.
        const few = await opened(server.port, 2, head + tiny.repeat(8_000))
        const ofFew = (await settledHeap(server)) - before
        const many = await opened(server.port, 2, head + tiny.repeat(64_000))
        const ofMany = (await settledHeap(server)) - before - ofFew
        test.diagnostic(
          `${(ofFew / 2 / KB).toFixed(0)} kB, with eight times the requests ${(ofMany / 2 / KB).toFixed(0)} kB`,
        )
        assert.ok(ofMany <= 2 * ofFew + SLACK, `${ofFew} and ${ofMany} bytes`)
        for (const socket of [...few, ...many]) socket.destroy()
      }),
  )

  it(
    formatTitle({
      rule: 'is released within 5 s after a client with a queued request disconnects',
      source: SOURCE,
    }),
    { timeout: 120_000 },
    () =>
      measuring({}, async (server) => {
        const before = await settledHeap(server)
        const bytes = 'GET /waiting HTTP/1.1\r\nHost: a\r\n\r\nGET /alive HTTP/1.1\r\nHost: a\r\n\r\n'
        const sockets = await opened(server.port, 50, bytes)
        await settledHeap(server)
        for (const socket of sockets) socket.resetAndDestroy()
        const end = performance.now() + 8_000
        let now = await server.measure()
        while (now.counts.aborted < 50 && performance.now() < end) {
          await wait(200)
          now = await server.measure()
        }
        assert.deepEqual([now.counts.begun, now.counts.aborted], [50, 50])
        await assertReturns(server, before)
      }),
  )

  it(
    formatTitle({
      rule: 'is released after a client disconnects before its response is written',
      source: 'CWE-772: Node notifies only the response that owns the socket',
    }),
    { timeout: 120_000 },
    (test: TestContext) =>
      measuring({}, async (server) => {
        const before = await settledHeap(server)
        const posts = [`${upload('Content-Length: 3\r\n')}"a"`, `${upload('Content-Length: 9\r\n')}"aaaaaaa"`]
        const [alive = '', waiting = ''] = ['alive', 'waiting'].map(
          (name) => `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`,
        )
        for (let client = 0; client < 300; client++) {
          const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
          await once(socket, 'connect')
          const behind = [...posts, waiting, alive].map((request) => request.repeat(1 + (client % 7))).join('')
          // Disconnects before the server has read everything, or while the server writes.
          socket.write(alive.repeat(client % 5) + behind, () =>
            client % 2 === 0 ? socket.destroy() : socket.resetAndDestroy(),
          )
        }
        const end = performance.now() + 8_000
        let now = await server.measure()
        while (now.counts.aborted < now.counts.begun && performance.now() < end) {
          await wait(200)
          now = await server.measure()
        }
        test.diagnostic(`${now.counts.begun} began`)
        assert.equal(now.counts.aborted, now.counts.begun)
        await assertReturns(server, before)
      }),
  )

  it(
    formatTitle({ rule: 'is at most 256 kB for a client that does not read an endless stream', source: SOURCE }),
    { timeout: 120_000 },
    (test: TestContext) =>
      measuring({}, async (server) => {
        const request = 'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n'
        // The first connections leave compiled code.
        await holding(server, 2, request)
        const { held, before } = await holding(server, 20, request)
        test.diagnostic(`${(held / 20 / KB).toFixed(0)} kB`)
        assert.ok(held <= 20 * 256 * KB + SLACK, `${held} bytes`)
        await assertReturns(server, before)
      }),
  )
})
