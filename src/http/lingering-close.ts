/**
 * Lingering close: ends a connection in stages, because its client may still be sending (RFC 9112 section 9.6).
 *
 * @see docs/decisions/0012-close-without-truncation.md
 */
import type { Duplex } from 'node:stream'
import { wakeSocket } from './parked-socket.js'

/** Maximum amount of input to read and drop, in bytes, and maximum time after the last byte is written, in ms. */
const LIMIT = { bytes: 4 * 1024 * 1024, time: 2000 }

const lingering = new WeakSet<Duplex>()

export function isLingering(socket: Duplex): boolean {
  return lingering.has(socket)
}

/**
 * Stops serving a connection. The kernel resets a connection that is closed with unread bytes, and the client loses the rest of its
 * response. So Verbena ends its side when everything is written, and drops input until the client ends its side or exceeds a limit.
 */
export function startLingeringClose(socket: Duplex): void {
  if (lingering.has(socket) || socket.destroyed) return
  lingering.add(socket)
  let remainingBytes = LIMIT.bytes
  const onFinish = (): void => {
    if (remainingBytes < 0) socket.destroy()
    else limitLingering(socket)
  }
  const onData = (chunk: Buffer): void => {
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

/** Destroys the connection after the time limit, because a client that neither reads nor closes would keep it open forever. */
export function limitLingering(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LIMIT.time)
  socket.once('close', () => clearTimeout(timer))
}
