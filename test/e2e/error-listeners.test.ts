/** The `error` listener that a socket has until it closes, in each kind of server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { onCleanup } from '#test/cleanup.js'
import { hail, Raw } from '#test/upgrades.js'
import { SETTINGS, textAnswer } from '#test/wire.js'
import { attachServer, closeServer, makeServer, nodeListener, type OwnServer } from '#src/http/server.js'
import type { Serve } from '#src/http/node-exchange.js'
import { serveUpgrades } from '#src/http/upgrades.js'

const FOLDER = 'test/fixtures/tls'
const TLS = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }

const answer: Serve = (exchange) => exchange.send(textAnswer(exchange.url), null)
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** Node passes the socket on, without its own listener. */
const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'

/** Counts the listeners of Verbena. */
function countOurs(socket: Duplex): number {
  return socket.listeners('error').filter(({ name }) => name === 'onSocketError').length
}

async function listen(server: Server | SecureServer): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: it listens on a port.
  return (server.address() as AddressInfo).port
}

async function openOwn(t: TestContext, tls?: typeof TLS): Promise<{ own: OwnServer; port: number }> {
  const own = makeServer(answer, SETTINGS, tls)
  serveUpgrades(own, ({ url }) => url === '/live', answer)
  const port = await listen(own.server)
  onCleanup(t, () => closeServer(own, 0))
  return { own, port }
}

/** Waits for an event whose first or second argument is a socket. */
async function socketOf(server: Server | SecureServer, event: string): Promise<Socket> {
  const given: unknown[] = await once(server, event)
  // Proof: `upgrade` and `connect` pass the socket second, the other events first.
  return given[event === 'upgrade' || event === 'connect' ? 1 : 0] as Socket
}

describe('error listener of a socket', () => {
  it('exists from the beginning, and once, although an upgrade request is returned to Node', async (t) => {
    const { own, port } = await openOwn(t)
    const raw = new Raw(port)
    const socket = await socketOf(own.server, 'connection')
    assert.deepEqual([countOurs(socket), own.sockets.size], [1, 1])
    await raw.write(hail('/other')).until('/other')
    assert.deepEqual([countOurs(socket), own.sockets.size], [1, 1])
    const ends = socket.listeners('close').filter((listener) => String(listener).includes('sockets.delete'))
    assert.equal(ends.length, 1, 'the connection is tracked twice')
  })

  it('exists on both sockets of a TLS connection, also if the handshake fails', async (t) => {
    const { own, port } = await openOwn(t, TLS)
    const [below, above] = [socketOf(own.server, 'connection'), socketOf(own.server, 'secureConnection')]
    const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    onCleanup(t, () => client.destroy())
    assert.deepEqual([countOurs(await below), countOurs(await above)], [1, 1])
    let failed: Duplex | undefined
    own.server.on('clientError', (_error, socket) => (failed = socket))
    const plain = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    plain.write(GET)
    await once(plain, 'close')
    assert.ok(failed)
    assert.equal(countOurs(failed), 1)
  })

  it('exists after an upgrade request to a connection that is ending, which is then reset', async (t) => {
    const { own, port } = await openOwn(t)
    const unread = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc'
    const raw = new Raw(port).write(unread, hail('/live'))
    const socket = await socketOf(own.server, 'upgrade')
    assert.equal(countOurs(socket), 1)
    raw.socket.resetAndDestroy()
    if (!socket.destroyed) await new Promise((resolve) => void socket.on('close', resolve))
    assert.equal(countOurs(socket), 1)
  })

  for (const [event, bytes] of [
    ['upgrade', hail('/live')],
    ['connect', CONNECT],
    ['request', GET],
  ] as const) {
    it(`is added by the first ${event} of a connection that is older than attach`, async (t) => {
      const server = createServer()
      const port = await listen(server)
      const raw = new Raw(port)
      const socket = await socketOf(server, 'connection')
      const own = attachServer(server, answer, SETTINGS)
      serveUpgrades(own, ({ url }) => url === '/live', answer)
      onCleanup(t, () => closeServer(own, 0))
      onCleanup(t, () => raw.socket.destroy())
      assert.equal(countOurs(socket), 0)
      raw.write(bytes)
      await once(server, event)
      assert.equal(countOurs(socket), 1)
    })
  }

  it('is added by the first request to a handler', async (t) => {
    const server = createServer(nodeListener(answer, SETTINGS, () => true))
    const port = await listen(server)
    onCleanup(t, () => server.close())
    const raw = new Raw(port)
    onCleanup(t, () => raw.socket.destroy())
    const socket = await socketOf(server, 'connection')
    await raw.write(GET).until('200')
    await raw.write(GET).until('200')
    assert.equal(countOurs(socket), 1)
  })
})
