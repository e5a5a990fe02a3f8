/**
 * TLS connections that are lost during the handshake. Node ignores that its session tickets could not be written, and all later writes
 * wait for them forever.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { onCleanup } from '#test/cleanup.js'
import { hail, SWITCHING } from '#test/upgrades.js'
import { SETTINGS, textAnswer } from '#test/wire.js'
import type { Serve } from '#src/http/node-exchange.js'
import { closeServer, makeServer, openServer, type OwnServer } from '#src/http/server.js'
import { ResponseReader, isConnectionLost, Watch } from '#src/http/slow-clients.js'
import { UpgradeExchange } from '#src/http/upgrade-exchange.js'
import { serveUpgrades } from '#src/http/upgrades.js'

const FOLDER = 'test/fixtures/tls'
const TLS = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }
/** More than the kernel buffers. */
const LARGE = Buffer.alloc(20_000_000, 'x')
/** Time in ms in which all lost connections must be closed. The timeout for slow clients is 30 s. */
const PROMPT = { timeout: 20_000 }

interface Opened {
  readonly own: OwnServer
  readonly port: number
  /** Sockets that the handler of an upgrade has taken. */
  readonly taken: Socket[]
}

/** A server that hands over each upgrade, and responds to all other requests. */
async function open(t: TestContext, act: (socket: Socket) => void, writeTimeout = 30_000): Promise<Opened> {
  const respond: Serve = (exchange) => {
    if (exchange.hasBody) exchange.collect(100, () => exchange.send(textAnswer('body'), null))
    else exchange.send(textAnswer(''), null)
  }
  const own = makeServer(respond, { ...SETTINGS, writeTimeout }, TLS)
  const taken: Socket[] = []
  serveUpgrades(
    own,
    () => true,
    (exchange) => {
      assert.ok(exchange instanceof UpgradeExchange)
      const { socket } = exchange
      taken.push(socket)
      exchange.handOver()
      socket.write(SWITCHING)
      act(socket)
      exchange.send({ ...textAnswer(''), status: 101 }, null)
    },
  )
  const { port } = await openServer(own, {})
  onCleanup(t, () => closeServer(own, 0))
  return { own, port, taken }
}

/** Connects, and sends bytes. */
function send(t: TestContext, port: number, bytes: string): { below: Socket; client: TLSSocket } {
  const below = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {})
  client.on('secureConnect', () => void client.write(bytes))
  onCleanup(t, () => below.destroy())
  return { below, client }
}

/** Returns the socket of an upgrade that is taken, and its client. */
async function take(t: TestContext, { port, taken }: Opened): Promise<{ socket: Socket; client: TLSSocket }> {
  const { client } = send(t, port, hail('/live'))
  await once(client, 'readable')
  return { socket: taken[0] ?? assert.fail('no upgrade'), client }
}

/** Makes `getpeername` fail with ENOTCONN, as it does for a connection without a client. */
function lose(socket: Socket): void {
  const handle: object = Reflect.get(Reflect.get(socket, '_handle'), '_parent')
  Reflect.set(handle, 'getpeername', () => -107)
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => void socket.on('close', resolve))

describe('clients that reset a TLS connection during the handshake', () => {
  for (const writeTimeout of [30_000, 0]) {
    for (const [what, bytes] of [
      ['an upgrade that is taken', `${hail('/live')}${'x'.repeat(1000)}`],
      ['a request without its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\nab'],
    ] as const) {
      it(`keep no socket open after ${what}, with a write timeout of ${writeTimeout} ms`, PROMPT, async (t) => {
        const { own, port } = await open(t, (socket) => void socket.pipe(socket), writeTimeout)
        const sockets: Socket[] = []
        own.server.on('connection', (socket) => void sockets.push(socket))
        const leave = async (ms: number): Promise<void> => {
          const { below, client } = send(t, port, bytes)
          await Promise.race([once(client, 'secureConnect'), closed(below)])
          await new Promise((resolve) => setTimeout(resolve, ms))
          below.resetAndDestroy()
        }
        for (let round = 0; round < 5; round++) await Promise.all([0, 0, 0, 0, 1, 1, 2, 2, 5, 5].map(leave))
        while (sockets.length < 50) await once(own.server, 'connection')
        await Promise.all(sockets.map(closed))
      })
    }
  }
})

describe('a lost TLS connection', () => {
  it('is closed if the first write of its handler waits', PROMPT, async (t) => {
    const opened = await open(t, (socket) => void socket.write(LARGE))
    const { socket } = await take(t, opened)
    lose(socket)
    await closed(socket)
  })

  it('is closed if its handler only writes when the client ends', PROMPT, async (t) => {
    const opened = await open(t, (socket) => void socket.resume().on('end', () => socket.end(LARGE)))
    const { socket, client } = await take(t, opened)
    client.end()
    await once(socket, 'end')
    lose(socket)
    await closed(socket)
  })

  it('is closed immediately when the server closes', async (t) => {
    const opened = await open(t, (socket) => void socket.write(LARGE))
    const { socket } = await take(t, opened)
    lose(socket)
    const end = closeServer(opened.own, 60_000)
    assert.equal(socket.destroyed, true)
    await end
  })

  it('excludes connections of slow clients that have ended their side', async (t) => {
    const opened = await open(t, (socket) => void socket.resume().end(LARGE))
    const { socket, client } = await take(t, opened)
    client.end()
    await once(socket, 'end')
    const reader = new ResponseReader(socket, new Watch(30_000), () => assert.fail('was cut'))
    const now = performance.now()
    // The kernel reports progress only after a third of its buffer is free again: every 10 s for a client that reads 150 kB a second.
    for (let second = 0; second < 29; second++) reader.check(now + second * 1000)
    let size = 0
    client.on('data', (bytes: Buffer) => (size += bytes.length)).resume()
    await once(client, 'end')
    assert.equal(size, SWITCHING.length + LARGE.length)
  })
})

describe('isConnectionLost()', () => {
  it('is false for a TLS connection, after it has closed, and without TLS', async (t) => {
    const opened = await open(t, () => {})
    const { socket, client } = await take(t, opened)
    assert.equal(isConnectionLost(socket), false)
    client.destroy()
    socket.resume()
    await closed(socket)
    assert.deepEqual([isConnectionLost(socket), isConnectionLost(new Socket())], [false, false])
  })
})
