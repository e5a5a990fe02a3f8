import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { parseResponse, Client, readAnswers, formatRequest, withServer } from '#test/wire.js'
import { isLingering, startLingeringClose } from '#src/http/lingering-close.js'

/** Maximum number of discarded bytes, and the number of bytes that one more read may add. */
const AWAY = 4 * 1024 * 1024
const READ = 64 * 1024
/** How long a client has to close, in ms. */
const TIME = 2000
const SENDERS = 8
const PART = Buffer.alloc(1024 * 1024, 'x')

/** Opens both ends of a connection, and destroys them after the task. */
async function withPair(task: (server: Socket, client: Socket) => Promise<void>): Promise<void> {
  const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  // Proof: a server that listens on a port has such an address.
  const { port } = listener.address() as AddressInfo
  const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve))
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  const server = (await accepted).on('error', () => {})
  try {
    await task(server, client)
  } finally {
    client.destroy()
    server.destroy()
    listener.close()
  }
}

function sendMuch(client: Socket): void {
  for (let mb = 0; mb < 16; mb++) client.write(PART)
}

describe('startLingeringClose()', () => {
  it('discards up to 4 MB before the response is written, and closes the connection after it', (test) =>
    withPair(async (server, client) => {
      // A client that has sent too much gets no time to close: a timer does not end this connection.
      test.mock.timers.enable({ apis: ['setTimeout'] })
      startLingeringClose(server)
      sendMuch(client)
      await once(server, 'pause')
      assert.ok(server.bytesRead > AWAY && server.bytesRead <= AWAY + READ, `${server.bytesRead} bytes were read`)
      assert.equal(server.destroyed, false)
      const answer = once(client, 'data')
      server.write('answer')
      assert.equal(String(await answer), 'answer')
      assert.equal(server.destroyed, false)
      server.end()
      await once(server, 'close')
    }))

  it('discards up to 4 MB after the response, and then closes the connection', (test) =>
    withPair(async (server, client) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      startLingeringClose(server)
      server.end('answer')
      await once(server, 'finish')
      sendMuch(client)
      await once(server, 'close')
      assert.ok(server.bytesRead > AWAY && server.bytesRead <= AWAY + READ, `${server.bytesRead} bytes were read`)
    }))

  it('discards an unread body of any size for 2 s', (test) =>
    withPair(async (server, client) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      startLingeringClose(server, true)
      server.end('answer')
      await once(server, 'finish')
      sendMuch(client)
      const sent = once(client, 'finish')
      client.end()
      await sent
      client.resume()
      await once(server, 'close')
      assert.equal(server.bytesRead, 16 * PART.length)
    }))

  it('discards up to 4 MB of an unread body after 2 s', (test) =>
    withPair(async (server, client) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      let now = 0
      test.mock.method(performance, 'now', () => now)
      startLingeringClose(server, true)
      now = TIME
      sendMuch(client)
      await once(server, 'pause')
      assert.ok(server.bytesRead > AWAY && server.bytesRead <= AWAY + READ, `${server.bytesRead} bytes were read`)
      server.end()
      await once(server, 'close')
    }))

  it('discards about 1 MB of unread bodies in each turn of the event loop', async () => {
    const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1')
    const servers: Socket[] = []
    listener.on('connection', (socket) => servers.push(socket.on('error', () => {})))
    await once(listener, 'listening')
    // Proof: a server that listens on a port has such an address.
    const { port } = listener.address() as AddressInfo
    const clients: Socket[] = []
    for (let count = 0; count < SENDERS; count++) {
      const client = connect({ port, host: '127.0.0.1' }).on('error', () => {})
      clients.push(client)
      await once(client, 'connect')
      sendMuch(client)
    }
    // The buffers of the kernel fill up.
    await sleep(200)
    const read = (): number => servers.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    for (const server of servers) startLingeringClose(server, true)
    let [before, most] = [0, 0]
    for (let turn = 0; turn < 20; turn++) {
      await nextTurn()
      const now = read()
      most = Math.max(most, now - before)
      before = now
    }
    // Each socket delivers a part of 64 kB before it pauses, and buffers another one. Without the limit, 8 sockets deliver 16 MB.
    assert.ok(most <= PART.length + 2 * SENDERS * READ, `${most} bytes in a turn`)
    assert.ok(before > PART.length, `${before} bytes`)
    for (const socket of [...servers, ...clients]) socket.destroy()
    listener.close()
  })

  for (const when of ['before', 'after'] as const) {
    it(`closes the connection after 2 s if called ${when} the response is written`, (test) =>
      withPair(async (server, client) => {
        test.mock.timers.enable({ apis: ['setTimeout'] })
        if (when === 'before') startLingeringClose(server)
        server.end('answer')
        await once(server, 'finish')
        if (when === 'after') startLingeringClose(server)
        assert.equal(isLingering(server), true)
        client.write('x')
        const [byte] = await once(server, 'data')
        assert.equal(String(byte), 'x')
        test.mock.timers.tick(TIME - 1)
        assert.equal(server.destroyed, false)
        test.mock.timers.tick(1)
        assert.equal(server.destroyed, true)
      }))
  }

  it('waits for the client to close', () =>
    withPair(async (server, client) => {
      startLingeringClose(server)
      server.end('answer')
      client.resume()
      await once(client, 'end')
      assert.equal(server.destroyed, false)
      client.end()
      await once(server, 'close')
    }))

  it('ignores a closed connection', () =>
    withPair(async (server) => {
      server.destroy()
      startLingeringClose(server)
      assert.equal(isLingering(server), false)
      assert.equal(server.listenerCount('data'), 0)
    }))
})

describe('last response of a connection', () => {
  const data = 'x'.repeat(300_000)
  const UPGRADE = { Connection: 'Upgrade', Upgrade: 'h2c' }
  const KEEP = { Connection: 'keep-alive' }
  const CASES = [
    ['after a request for an upgrade', UPGRADE, {}, false],
    ['if the handler ends the connection', KEEP, { connection: 'close' }, false],
    ['while the server closes', KEEP, {}, true],
  ] as const

  for (const fastPath of [true, false]) {
    for (const [when, fields, headers, isClosing] of CASES) {
      it(`arrives whole ${when}, even if more bytes come, with fastPath ${fastPath}`, () =>
        withServer(
          (exchange) => exchange.send(parseResponse({ type: 'text/plain', data }, 200, headers), null),
          async ({ port, own }) => {
            own.state.isClosing = isClosing
            const client = new Client(port)
            client.socket.pause()
            client.write(formatRequest('GET /', fields))
            await once(own.server, 'request')
            await sleep(20)
            client.write('\x81\x05hello')
            await sleep(20)
            client.socket.resume()
            const [answer] = readAnswers(await client.all(), ['GET'])
            assert.deepEqual([answer?.body.length, answer?.headers.get('connection')], [data.length, ['close']])
          },
          { fastPath },
        ))
    }
  }
})
