/**
 * Lingering close: ends a connection in stages, because its client may still be sending (RFC 9112 section 9.6).
 *
 * @see docs/decisions/0012-close-without-truncation.md
 */
import type { Duplex } from 'node:stream'
import { performance } from 'node:perf_hooks'
import { wakeSocket } from './parked-socket.js'

/**
 * Maximum amount of input to read and drop, in bytes, and maximum time after the last byte is written, in ms. An unread body is dropped for
 * this time without a limit in bytes, because most clients and proxies read the response only after they have sent the body.
 */
const LIMIT = { bytes: 4 * 1024 * 1024, time: 2000 }

const MAX_TURN_BYTES = 1024 * 1024

const lingering = new WeakSet<Duplex>()

export function isLingering(socket: Duplex): boolean {
  return lingering.has(socket)
}

/**
 * Stops serving a connection. The kernel resets a connection that is closed with unread bytes, and the client loses the rest of its
 * response. So Verbena ends its side when everything is written, and drops input until the client ends its side or exceeds a limit.
 *
 * @param hasUnreadBody whether the client may still send the body of a request. Other input is not expected from any client
 */
export function startLingeringClose(socket: Duplex, hasUnreadBody: boolean = false): void {
  if (lingering.has(socket) || socket.destroyed) return
  lingering.add(socket)
  let remainingBytes = LIMIT.bytes
  const bodyDeadline = hasUnreadBody ? performance.now() + LIMIT.time : 0
  const onFinish = (): void => {
    if (remainingBytes < 0) socket.destroy()
    else limitLingering(socket)
  }
  const onData = (chunk: Buffer): void => {
    if (hasUnreadBody && performance.now() < bodyDeadline) return takeTurn(socket, chunk.length)
    remainingBytes -= chunk.length
    if (remainingBytes >= 0) return
    if (socket.writableFinished) socket.destroy()
    else socket.pause()
  }
  // Detaches Node's parser, which would create an object of 2 kB for each dropped request of 35 bytes.
  socket.removeAllListeners('data')
  wakeSocket(socket)
  socket.on('data', onData)
  // Node calls `destroySoon` after the last response.
  Object.assign(socket, { destroySoon: () => socket.end() })
  if (socket.writableFinished) onFinish()
  else socket.once('finish', onFinish)
}

/** Sockets that have used this turn of the event loop, and the number of bytes that were dropped in it. */
let waiting: Duplex[] = []
let turnBytes = 0

/** Limits the bytes that are dropped in one turn, because Node reads up to 2 MB from each socket before it serves other requests. */
function takeTurn(socket: Duplex, bytes: number): void {
  if (turnBytes === 0) setImmediate(endTurn)
  turnBytes += bytes
  if (turnBytes < MAX_TURN_BYTES) return
  socket.pause()
  waiting.push(socket)
}

function endTurn(): void {
  const sockets = waiting
  waiting = []
  turnBytes = 0
  for (const socket of sockets) socket.resume()
}

/** Destroys the connection after the time limit, because a client that neither reads nor closes would keep it open forever. */
export function limitLingering(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LIMIT.time)
  socket.once('close', () => clearTimeout(timer))
}
