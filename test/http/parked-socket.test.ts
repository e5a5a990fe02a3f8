import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parkSocket, wakeSocket } from '#src/http/parked-socket.js'

/** Runs a task with both ends of a connection, and destroys them. */
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

/** Returns all that a socket brings from now to its end. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (part) => (text += String(part)))
  await once(socket, 'end')
  return text
}

describe('parkSocket()', () => {
  it('keeps bytes and the end for the next listener, even if the socket is resumed', () =>
    withPair(async (server, client) => {
      parkSocket(server)
      parkSocket(server)
      server.resume()
      client.end('abc')
      await sleep(20)
      server.resume()
      await sleep(20)
      assert.equal(server.readableEnded, false)
      wakeSocket(server)
      await sleep(20)
      assert.equal(server.isPaused(), false)
      assert.equal(await readAll(server), 'abc')
      assert.equal(server.listenerCount('resume'), 0)
    }))

  it('notices a reset', () =>
    withPair(async (server, client) => {
      parkSocket(server)
      client.resetAndDestroy()
      await new Promise((resolve) => void server.once('close', resolve))
    }))
})

describe('wakeSocket()', () => {
  it('makes a paused socket readable for a data listener', () =>
    withPair(async (server, client) => {
      server.pause()
      wakeSocket(server)
      client.end('abc')
      assert.equal(await readAll(server), 'abc')
    }))

  it('makes a paused socket readable for a readable listener', () =>
    withPair(async (server, client) => {
      server.pause()
      wakeSocket(server)
      client.end('abc')
      await once(server, 'readable')
      assert.equal(String(server.read()), 'abc')
    }))
})
