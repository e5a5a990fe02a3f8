// own process: it sets flags of V8 to collect garbage
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGate } from '#test/apps.js'
import {
  parseResponse,
  Client,
  exchangeBytes,
  formatPost,
  readAnswers,
  formatRequest,
  SETTINGS,
  textAnswer,
  withServer,
} from '#test/wire.js'
import type { Exchange } from '#src/http/exchange.js'
import { DOCUMENTED, NodeExchange } from '#src/http/node-exchange.js'
import { getOrCreateConnection, findConnection, createServerState } from '#src/http/connection.js'

const KEEP = { Connection: 'keep-alive' }

function pipeline(count: number): string {
  return Array.from({ length: count }, (_, index) =>
    formatRequest(`GET /${index}`, index === count - 1 ? {} : KEEP),
  ).join('')
}

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  assert.ok(typeof collect === 'function')
  return () => void collect()
}

describe('Connection', () => {
  it('returns the address of its peer after the peer has disconnected', async () => {
    const told = createGate<string>()
    const asked = createGate()
    const serve = (exchange: Exchange): void => {
      exchange.onAbort(() => told.open(exchange.ip))
      asked.open()
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      await asked.opened
      client.socket.destroy()
      assert.equal(await told.opened, '127.0.0.1')
    })
  })

  it('handles one request at a time, and responds in the order sent', async () => {
    let running = 0
    let most = 0
    const serve = (exchange: Exchange): void => {
      most = Math.max(most, ++running)
      const delay = exchange.url.endsWith('0') ? 20 : 0
      setTimeout(() => {
        running--
        exchange.send(textAnswer(exchange.url), null)
      }, delay)
    }
    await withServer(serve, async ({ port }) => {
      const answers = readAnswers(await exchangeBytes(port, pipeline(25)), Array<string>(25).fill('GET'))
      assert.deepEqual(
        answers.map(({ body }) => body),
        Array.from({ length: 25 }, (_, index) => `/${index}`),
      )
      assert.equal(most, 1)
    })
  })

  it('waits until the previous response is sent, even if it is large', async () => {
    const begun: string[] = []
    const data = Buffer.alloc(5 * 1024 * 1024, 'x')
    const serve = (exchange: Exchange): void => {
      begun.push(exchange.url)
      exchange.send(parseResponse({ type: 'a/b', data }), null)
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(pipeline(20))
      client.socket.pause()
      await sleep(200)
      assert.ok(begun.length <= 2, `${begun.length} requests were begun though nobody read the first answer`)
      client.socket.resume()
      const answers = readAnswers(await client.all(), Array<string>(20).fill('GET'))
      assert.deepEqual(
        answers.map(({ body }) => body.length),
        Array<number>(20).fill(data.length),
      )
    })
  })

  it('responds to 5,000 pipelined requests', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer('a'), null),
      async ({ port }) => {
        assert.equal(
          readAnswers(await exchangeBytes(port, pipeline(5_000)), Array<string>(5_000).fill('GET')).length,
          5_000,
        )
      },
    )
  })

  it('reads the bodies of queued requests', async () => {
    const serve = (exchange: Exchange): void =>
      exchange.collect(100_000, (_error, bytes) => exchange.send(textAnswer(String(bytes?.length)), null))
    await withServer(serve, async ({ port }) => {
      const sizes = [10, 70_000, 0, 100_000, 1]
      const bytes = sizes
        .map((size, index) => formatPost('x'.repeat(size), index === sizes.length - 1 ? {} : KEEP))
        .join('')
      const answers = readAnswers(
        await exchangeBytes(port, bytes),
        sizes.map(() => 'POST'),
      )
      assert.deepEqual(
        answers.map(({ body }) => Number(body)),
        sizes,
      )
    })
  })

  it('releases a response that has been sent', async () => {
    const collect = collector()
    const responses: WeakRef<object>[] = []
    const serve = (exchange: Exchange): void => {
      if (exchange instanceof NodeExchange) responses.push(new WeakRef(exchange.response))
      exchange.send(textAnswer('a'), null)
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /', KEEP))
      await client.until('\r\n\r\na')
      for (let times = 0; times < 20 && responses.some((response) => response.deref()); times++) {
        await sleep(10)
        collect()
      }
      assert.deepEqual(
        responses.map((response) => response.deref()),
        [undefined],
      )
      client.socket.destroy()
    })
  })

  it('does not start queued requests of a disconnected client', async () => {
    const begun: string[] = []
    const { opened: first, open: begin } = createGate<Exchange>()
    const { opened: left, open: leave } = createGate<unknown>()
    const serve = (exchange: Exchange): void => {
      begun.push(exchange.url)
      begin(exchange)
    }
    await withServer(serve, async ({ port, own }) => {
      const client = new Client(port).write(pipeline(3))
      const exchange = await first
      await sleep(20)
      client.socket.resetAndDestroy()
      while (own.sockets.size > 0) await sleep(5)
      exchange.send(textAnswer('nobody'), { sent: leave })
      await left
      await sleep(20)
      assert.deepEqual(begun, ['/0'])
    })
  })

  it('discards bytes that arrive while the last response is sent, so that the response is complete', async () => {
    const begun: string[] = []
    const data = Buffer.alloc(16 * 1024 * 1024, 'x')
    const serve = (exchange: Exchange): void => {
      begun.push(exchange.url)
      exchange.send(parseResponse({ type: 'a/b', data }, 200, { connection: 'close' }), null)
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /0', KEEP))
      // It sends on as it reads, and reads no faster than the server writes.
      client.socket.on('data', () => {
        client.socket.pause()
        setTimeout(() => client.write(formatRequest('GET /more', KEEP)).socket.resume(), 1)
      })
      // Bytes after the end would reset the connection, and the client would lose unread bytes.
      const [answer, ...others] = readAnswers(await client.all(), ['GET', 'GET'])
      assert.deepEqual([answer?.body.length, others.length, begun], [data.length, 0, ['/0']])
    })
  })

  it('responds to queued requests before malformed bytes', async () => {
    const begun: string[] = []
    const serve = (exchange: Exchange): void => {
      begun.push(exchange.url)
      setTimeout(() => exchange.send(textAnswer('done'), null), 20)
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(
        `${formatRequest('GET /0', KEEP)}${formatRequest('GET /1', KEEP)}\u0000\u0001`,
      )
      assert.deepEqual(
        readAnswers(await client.all(), ['GET', 'GET', 'GET']).map(({ status }) => status),
        [200, 200, 400],
      )
      assert.deepEqual(begun, ['/0', '/1'])
    })
  })
})

describe('Connection.awaitReader()', () => {
  it('waits without limit if the timeout is 0', async () => {
    const data = Buffer.alloc(16 * 1024 * 1024, 'x')
    const serve = (exchange: Exchange): void => exchange.send(parseResponse({ type: 'a/b', data }), null)
    await withServer(
      serve,
      async ({ port }) => {
        const client = await new Client(port).write(formatRequest('GET /')).until('\r\n\r\n')
        client.socket.pause()
        await sleep(500)
        client.socket.resume()
        const [answer] = readAnswers(await client.all(), ['GET'])
        assert.equal(answer?.body.length, data.length)
      },
      { writeTimeout: 0 },
    )
  })
})

describe('Connection.cut()', () => {
  it('closes a socket that is ending, which Node cannot reset', { timeout: 10_000 }, async () => {
    const served = createGate<NodeExchange>()
    await withServer(
      (exchange) => {
        assert.ok(exchange instanceof NodeExchange)
        exchange.send(textAnswer(''), null)
        served.open(exchange)
      },
      async ({ port }) => {
        await new Client(port).write(formatRequest('GET /', KEEP)).until('200')
        const { connection, request } = await served.opened
        const closed = new Promise((resolve) => void request.socket.on('close', resolve))
        request.socket.end()
        connection.cut()
        await closed
      },
    )
  })
})

describe('Connection.break()', () => {
  it('does not handle a request whose head was completed after the timeout', async () => {
    const { opened: first, open: begin } = createGate<Exchange>()
    const begun: string[] = []
    const serve = (exchange: Exchange): void => {
      begun.push(exchange.url)
      begin(exchange)
    }
    await withServer(serve, async ({ port, own }) => {
      const client = new Client(port).write(`${formatRequest('GET /0', KEEP)}GET /late HTTP/1.1\r\n`)
      const exchange = await first
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      for (const socket of own.sockets) own.server.emit('clientError', late, socket)
      client.write('Host: a\r\n\r\n')
      await sleep(100)
      exchange.send(textAnswer('done'), null)
      assert.deepEqual(
        readAnswers(await client.all(), ['GET', 'GET']).map(({ status }) => status),
        [200, 408],
      )
      assert.deepEqual(begun, ['/0'])
    })
  })
})

describe('getOrCreateConnection()', () => {
  it('returns the same object for the same socket', () => {
    const state = createServerState(SETTINGS, false, DOCUMENTED)
    const [one, other] = [new Socket(), new Socket()]
    assert.equal(findConnection(one), undefined)
    const connection = getOrCreateConnection(one, state)
    assert.equal(getOrCreateConnection(one, state), connection)
    assert.equal(findConnection(one), connection)
    assert.notEqual(getOrCreateConnection(other, state), connection)
    assert.equal(connection.isBusy, false)
  })

  it('treats a peer without an address as a Unix socket only if the server listens on one', () => {
    const state = createServerState(SETTINGS, false, DOCUMENTED)
    assert.equal(getOrCreateConnection(new Socket(), state).peer, '')
    state.isUnix = () => true
    assert.equal(getOrCreateConnection(new Socket(), state).peer, 'unix')
  })

  it('does not break an idle connection', () => {
    const connection = getOrCreateConnection(new Socket(), createServerState(SETTINGS, false, DOCUMENTED))
    connection.break(() => assert.fail('Called'))
    assert.equal(connection.isBroken, false)
  })
})
