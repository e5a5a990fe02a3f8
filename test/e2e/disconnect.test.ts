/** Clients that disconnect during a handler, a stream or a body. Verbena releases all resources of their requests. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError, Route, type Context, type Middleware } from 'verbena'
import { captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { askWire, toBytes, until } from '#test/e2e.js'

const CLIENTS = 10_000
/** Less than the server's backlog of pending connections. */
const BATCH = 100

const counts = { requests: 0, begun: 0, aborted: 0, streams: 0, stopped: 0 }

const counting: Middleware = (_context, next) => {
  counts.requests++
  return next()
}

class Waiting extends Route {
  async get({ signal }: Context) {
    counts.begun++
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(void counts.aborted++), { once: true })
    })
  }
}

class Stream extends Route {
  async *get() {
    counts.streams++
    try {
      for (;;) {
        yield 'x'.repeat(1024)
        await sleep(10)
      }
    } finally {
      counts.stopped++
    }
  }
}

class Upload extends Route {
  post() {
    return 'never'
  }
}

class Home extends Route {
  get() {
    return 'home'
  }
}

const upload = `POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":`
const REQUESTS = [toBytes({ target: '/waiting' }), toBytes({ target: '/stream' }), upload]

const listenersOfProcess = (): number =>
  process.eventNames().reduce((count, name) => count + process.listenerCount(name), 0)

/** Connects a client. Every third client reads its response; the others make the server wait. */
function clientOf(port: number, bytes: string, index: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' }, () => void socket.write(bytes))
  socket.on('error', () => {})
  return index % 3 === 0 ? socket.resume() : socket
}

describe('10,000 clients that disconnect', () => {
  it('aborts signals, stops streams, and leaves no handles or listeners after 10,000 disconnects', async (t) => {
    const { logger, lines } = captureLog()
    const app = createUntypedApp({
      routes: { Waiting, Stream, Upload, Home },
      middleware: [counting],
      logger,
      signals: false,
    })
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    // Proof: the server listens on a TCP port.
    const { port } = server.address() as AddressInfo
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      )
    await askWire(port, { target: '/home' })
    await until(async () => (await connections()) === 0, 'no connection')
    const before = process.getActiveResourcesInfo().length
    const listenersBefore = listenersOfProcess()

    for (let gone = 0; gone < CLIENTS; gone += BATCH) {
      const bytes = REQUESTS[(gone / BATCH) % REQUESTS.length] ?? assert.fail()
      const clients = Array.from({ length: BATCH }, (_, index) => clientOf(port, bytes, index))
      await until(() => counts.requests === 1 + gone + BATCH, 'all requests under way')
      for (const [index, client] of clients.entries()) {
        if (index % 2 === 0) client.destroy()
        else client.resetAndDestroy()
      }
      await until(async () => (await connections()) === 0, 'no connection')
    }

    await until(() => counts.aborted === counts.begun, 'every signal aborted')
    await until(() => counts.stopped === counts.streams, 'every stream stopped')
    assert.ok(counts.begun > 3000 && counts.streams > 3000)
    assert.equal((await askWire(port, { target: '/home' })).body, 'home')
    await until(() => process.getActiveResourcesInfo().length <= before, 'no handle more than before')
    assert.equal(listenersOfProcess(), listenersBefore)
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error' || level === 'warn'),
      [],
    )
    await app.close()
  })
})

describe('a client that disconnects while its next request is queued', () => {
  it('notices the disconnect at the timeout of the current request, and never starts the queued one', async () => {
    const begun = createGate()
    const stopped = createGate<unknown>()
    const seen: string[] = []
    class Held extends Route {
      async get({ signal, request }: Context) {
        seen.push(request.url)
        begun.open()
        signal.addEventListener('abort', () => stopped.open(signal.reason), { once: true })
        await new Promise(() => {})
      }
    }
    const app = createUntypedApp({ routes: { Held }, timeouts: { handler: 500 }, signals: false })
    const { port } = await app.listen()
    const client = clientOf(port, toBytes({ target: '/held?1' }) + toBytes({ target: '/held?2' }), 1)
    await begun.opened
    client.resetAndDestroy()
    const reason = await stopped.opened
    await app.close()
    assert.ok(reason instanceof HttpError)
    assert.deepEqual([reason.status, seen], [503, ['/held?1']])
  })
})
