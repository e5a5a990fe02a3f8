import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { connect, Socket, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  SETTINGS,
  textAnswer,
  withServer,
} from '#test/wire.js'
import { SetupError } from '#src/errors/setup-error.js'
import { openChunks } from '#src/http/chunks.js'
import type { Exchange } from '#src/http/exchange.js'
import {
  attachServer,
  closeServer,
  makeServer,
  nodeListener,
  openServer,
  type ListenOptions,
} from '#src/http/server.js'

const KEEP = { Connection: 'keep-alive' }
const echo = (exchange: Exchange): void => exchange.send(textAnswer(exchange.url), null)

async function assertNotListening(options: ListenOptions, message: string | RegExp): Promise<void> {
  const own = makeServer(echo, SETTINGS, undefined)
  await assert.rejects(openServer(own, options), (error) => {
    assert.ok(error instanceof SetupError, String(error))
    assert.equal(error.code, 'LISTEN_FAILED')
    assert.ok(error.cause instanceof Error && 'code' in error.cause, 'The original is not there')
    assert.ok(error.message.includes(String(error.cause.code)), `${error.message} lacks ${String(error.cause.code)}`)
    assert.match(error.message, typeof message === 'string' ? new RegExp(`^${message}$`) : message)
    assert.doesNotMatch(error.message, /\.$/)
    return true
  })
  assert.equal(own.server.listening, false)
}

describe('openServer()', () => {
  it('listens on a free port of the loopback address, and returns host, port and URL', async () => {
    const own = makeServer(echo, SETTINGS, undefined)
    const { port, host, url } = await openServer(own, {})
    assert.ok(port > 0)
    assert.equal(host, '127.0.0.1')
    assert.equal(url, `http://127.0.0.1:${port}`)
    await closeServer(own, 0)
  })

  it('puts an IPv6 address in brackets', async (t) => {
    const own = makeServer(echo, SETTINGS, undefined)
    try {
      const { port, url } = await openServer(own, { host: '::1' })
      assert.equal(url, `http://[::1]:${port}`)
    } catch (error) {
      t.skip(`No IPv6 here: ${String(error)}`)
    }
    await closeServer(own, 0)
  })

  it('listens on a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'verbena-'))
    const path = join(folder, 'socket')
    const own = makeServer(echo, SETTINGS, undefined)
    assert.deepEqual(await openServer(own, { path }), {
      port: 0,
      host: path,
      url: `http+unix://${encodeURIComponent(path)}`,
    })
    const { opened, open } = createGate<number | undefined>()
    httpRequest({ socketPath: path, path: '/a' }, (response) => open(response.resume().statusCode)).end()
    assert.equal(await opened, 200)
    await assertNotListening({ path }, /socket: the file exists \(EADDRINUSE\)\. .* remove the file$/)
    await closeServer(own, 0)
    rmSync(folder, { recursive: true })
  })

  it('rejects a port that is in use, and does not listen', async () => {
    await withServer(echo, async ({ port }) => {
      await assertNotListening(
        { port },
        `Cannot listen on 127.0.0.1:${port}: it is in use \\(EADDRINUSE\\). Stop the other process, or listen on another port; port 0 picks a free one`,
      )
    })
  })

  it('rejects an address of another machine', async () => {
    await assertNotListening(
      { host: '192.0.2.1' },
      /^Cannot listen on 192\.0\.2\.1:0: this machine has no such address/,
    )
  })

  it('rejects a host name without an address', async () => {
    await assertNotListening(
      { host: 'name.invalid' },
      /^Cannot listen on name\.invalid:0: .*(?:Listen on|Check "port", "host")/,
    )
  })

  it('rejects an invalid path or port', async () => {
    await assertNotListening(
      { path: '/missing/folder/socket' },
      /^Cannot listen on \/missing\/folder\/socket: .*folder does not exist \(EACCES\)\. Choose a path/,
    )
    for (const port of [70_000, -1, 1.5, NaN]) {
      await assertNotListening(
        { port },
        /^Cannot listen on 127\.0\.0\.1:\S+: .*Check "port", "host", "path" and "tls"$/,
      )
    }
  })

  it('includes the code of each error, and keeps the error as its cause', async () => {
    const codes = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EMFILE']
    for (const code of codes) {
      const own = makeServer(echo, SETTINGS, undefined)
      const original = Object.assign(new Error('failed'), { code })
      own.server.listen = () => {
        throw original
      }
      await assert.rejects(openServer(own, { port: 1 }), (error) => {
        assert.ok(error instanceof SetupError)
        assert.equal(error.cause, original)
        assert.match(error.message, new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:1: .+ \\(${code}\\)\\. \\S`))
        return true
      })
    }
  })

  it('listens after a failed attempt', async () => {
    await withServer(echo, async ({ port }) => {
      const own = makeServer(echo, SETTINGS, undefined)
      await assert.rejects(openServer(own, { port }))
      const second = await openServer(own, {})
      assert.equal((await askBytes(second.port, formatRequest('GET /a'))).body, '/a')
      await closeServer(own, 0)
    })
  })
})

describe('openServer() with TLS', () => {
  it('returns an https URL', async () => {
    const own = makeServer(echo, SETTINGS, {})
    const { port, url } = await openServer(own, { tls: {} })
    assert.equal(url, `https://127.0.0.1:${port}`)
    await closeServer(own, 0)
  })
})

describe('makeServer()', () => {
  it('sets limits and timeouts', () => {
    const { server, state } = makeServer(echo, { ...SETTINGS, connections: 7 }, undefined)
    assert.deepEqual(
      [
        server.headersTimeout,
        server.keepAliveTimeout,
        server.requestTimeout,
        server.maxHeadersCount,
        server.maxConnections,
      ],
      [10_000, 5_000, 0, 0, 7],
    )
    assert.equal(state.isClosing, false)
  })

  it('creates an HTTPS server with TLS options', () => {
    const { server } = makeServer(echo, SETTINGS, { rejectUnauthorized: false })
    assert.ok('setSecureContext' in server)
  })

  it('closes a connection whose headers do not arrive in time', async () => {
    await withServer(
      echo,
      async ({ port }) => {
        const [answer] = readAnswers(await exchangeBytes(port, 'GET / HTTP/1.1\r\nHost: a'), ['GET'])
        assert.deepEqual([answer?.status, answer?.headers.get('connection')], [408, ['close']])
      },
      { headersTimeout: 100 },
    )
  })
})

describe('attachServer()', () => {
  it('responds on an existing server', async () => {
    const server = createServer()
    attachServer(server, echo, SETTINGS)
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    // Proof: a server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo
    assert.equal((await askBytes(port, formatRequest('GET /a'))).body, '/a')
    await new Promise((resolve) => server.close(resolve))
  })

  it('rejects a server of another type', () => {
    for (const server of [
      createHttp2(),
      {},
      connect({ port: 1, lookup: () => {} })
        .on('error', () => {})
        .destroy(),
    ]) {
      // @ts-expect-error - only servers of node:http and node:https; untyped code is told so
      assert.throws(() => attachServer(server, echo, SETTINGS), { name: 'SetupError', code: 'APP_STATE' })
    }
  })
})

describe('nodeListener()', () => {
  it('responds as a listener of node:http', async () => {
    const server = createServer(nodeListener(echo, SETTINGS, () => true))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    // Proof: a server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo
    const answers = readAnswers(await exchangeBytes(port, formatRequest('GET /1', KEEP) + formatRequest('GET /2')), [
      'GET',
      'GET',
    ])
    assert.deepEqual(
      answers.map(({ body }) => body),
      ['/1', '/2'],
    )
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('closeServer()', () => {
  it('closes idle connections immediately, and accepts no new ones', async () => {
    const own = makeServer(echo, SETTINGS, undefined)
    const { port } = await openServer(own, {})
    const idle = await new Client(port).write(formatRequest('GET /a', KEEP)).until('/a')
    await sleep(20)
    await closeServer(own, 60_000)
    await idle.closed
    assert.equal(own.server.listening, false)
    await assert.rejects(new Client(port).write(formatRequest('GET /')).until('HTTP'), /ended before/)
  })

  it('closes an unused connection immediately', async () => {
    const own = makeServer(echo, SETTINGS, undefined)
    const { port } = await openServer(own, {})
    const silent = new Client(port)
    await new Promise((resolve) => own.server.once('connection', resolve))
    await sleep(20)
    await Promise.race([closeServer(own, 60_000), sleep(5_000).then(() => assert.fail('It still waits'))])
    await silent.closed
  })

  it('closes a rejected connection immediately, even if its client does not close it', async (test) => {
    // Neither its timeout nor the deadline ends it.
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const own = makeServer(echo, SETTINGS, undefined)
    const { port } = await openServer(own, {})
    const refused = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    const answered = once(refused, 'end')
    refused.resume().write('\0\r\n\r\n')
    await answered
    await closeServer(own, 60_000)
    refused.destroy()
  })

  it('responds to a request whose headers have arrived in part', async () => {
    const own = makeServer(echo, SETTINGS, undefined)
    const { port } = await openServer(own, {})
    const bytes = formatRequest('GET /late', KEEP)
    const client = new Client(port).write(bytes.slice(0, 20))
    const [socket]: unknown[] = await once(own.server, 'connection')
    assert.ok(socket instanceof Socket)
    while (socket.bytesRead === 0) await sleep(5)
    const closed = closeServer(own, 60_000)
    const [answer] = readAnswers(await client.write(bytes.slice(20)).all(), ['GET'])
    assert.deepEqual([answer?.body, answer?.headers.get('connection')], ['/late', ['close']])
    await closed
  })

  it('waits for a response in progress, which is the last on its connection', async () => {
    const { opened: begun, open: begin } = createGate<Exchange>()
    const own = makeServer(begin, SETTINGS, undefined)
    const { port } = await openServer(own, {})
    const client = new Client(port).write(formatRequest('GET /a', KEEP))
    const exchange = await begun
    const closed = closeServer(own, 60_000)
    await sleep(20)
    exchange.send(textAnswer('done'), null)
    const [answer] = readAnswers(await client.all(), ['GET'])
    assert.deepEqual([answer?.body, answer?.headers.get('connection')], ['done', ['close']])
    await closed
  })

  it('aborts the remaining connections at the deadline', async () => {
    const { opened: begun, open: begin } = createGate()
    const stream = new ReadableStream({ start: (controller) => controller.enqueue('first') })
    const own = makeServer(
      (exchange) => {
        if (exchange.url === '/stream') exchange.send(parseResponse({ type: 'a/b', data: openChunks(stream) }), null)
        else begin()
      },
      SETTINGS,
      undefined,
    )
    const { port } = await openServer(own, {})
    const waiting = new Client(port).write(formatRequest('GET /', KEEP))
    const streaming = await new Client(port).write(formatRequest('GET /stream', KEEP)).until('first')
    await begun
    await closeServer(own, 100)
    assert.equal(await waiting.all(), '')
    assert.throws(() => readAnswers(streaming.text, ['GET']))
    await streaming.closed
  })

  it('resolves for a server that never listened', async () => {
    await closeServer(makeServer(echo, SETTINGS, undefined), 60_000)
  })
})
