import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGate } from '#test/apps.js'
import { Client, exchangeBytes, readAnswers, formatRequest, SETTINGS, textAnswer, withServer } from '#test/wire.js'
import type { Exchange } from '#src/http/exchange.js'
import { attachServer } from '#src/http/server.js'

const KEEP = { Connection: 'keep-alive' }
/** ms in which the departure of a client must be noticed. */
const NOTICED = 5000

/** Resolves when something happens, or fails after a time. */
async function within<T>(ms: number, happened: Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = sleep(ms, undefined, { signal: late.signal }).then(() => assert.fail(`Nothing happened in ${ms} ms`))
  timer.catch(() => {})
  try {
    return await Promise.race([happened, timer])
  } finally {
    late.abort()
  }
}

describe('queued requests', () => {
  it('runs a queued request in the async context of its event', async () => {
    const store = new AsyncLocalStorage<number>()
    const seen: unknown[] = []
    const server = createServer()
    attachServer(
      server,
      (exchange) => {
        seen.push(store.getStore())
        setTimeout(() => exchange.send(textAnswer('a'), null), 5)
      },
      SETTINGS,
    )
    // Like a tracer: each request has a separate context.
    const emit = server.emit.bind(server)
    let events = 0
    server.emit = (name: string, ...rest: unknown[]): boolean =>
      name === 'request' ? store.run(++events, () => emit(name, ...rest)) : emit(name, ...rest)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // Proof: a server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo
    await exchangeBytes(port, `${formatRequest('GET /', KEEP).repeat(3)}${formatRequest('GET /')}`)
    assert.deepEqual(seen, [1, 2, 3, 4])
    server.close()
  })

  for (const way of ['reset', 'end'] as const) {
    it(`drops queued requests if the client disconnects by ${way}, and aborts the request in progress`, async () => {
      const { opened: begun, open: begin } = createGate<Exchange>()
      const { opened: aborted, open: abort } = createGate<string>()
      const urls: string[] = []
      await withServer(
        (exchange) => {
          urls.push(exchange.url)
          exchange.onAbort(() => abort(exchange.url))
          begin(exchange)
        },
        async ({ port, own }) => {
          const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
          // As much as comes in one read.
          socket.write(formatRequest('GET /', KEEP).repeat(1000))
          await begun
          if (way === 'reset') socket.resetAndDestroy()
          else socket.destroy()
          assert.equal(await within(NOTICED, aborted), '/')
          while (own.sockets.size > 0) await within(NOTICED, sleep(5))
          assert.deepEqual(urls, ['/'])
        },
      )
    })
  }

  it('limits the number of queued requests, even if the previous request takes long', async () => {
    const { opened: begun, open: begin } = createGate<Exchange>()
    let held = 0
    await withServer(begin, async ({ port, own }) => {
      own.server.on('request', () => void held++)
      const client = new Client(port)
      const request = formatRequest('GET /', KEEP)
      client.write(request.repeat(100_000))
      await begun
      const readings: number[] = []
      for (let times = 0; times < 8; times++) {
        await sleep(1000)
        readings.push(held)
      }
      // Two reads of 64 kB, and no third.
      assert.ok(held <= (2 * 64 * 1024) / request.length + 1, `${held} requests are held`)
      assert.equal(readings.at(-3), readings.at(-1))
      client.socket.destroy()
    })
  })

  it('responds to queued requests although the client has ended its side of the connection', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer('a'), null),
      async ({ port }) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        const chunks: Buffer[] = []
        socket.on('data', (chunk) => chunks.push(chunk))
        socket.end(formatRequest('GET /', KEEP).repeat(3))
        await once(socket, 'end')
        assert.equal(readAnswers(Buffer.concat(chunks).toString('latin1'), ['GET', 'GET', 'GET']).length, 3)
        socket.destroy()
      },
    )
  })
})
