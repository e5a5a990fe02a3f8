/** Lingering close: the end, in stages, of a connection whose client may still be sending (RFC 9112 section 9.6). */
import type { Duplex } from 'node:stream'
import { wakeSocket } from './parked-socket.js'

/** How much unwanted input is read and dropped, in bytes, and how long after the last byte was written, in ms. */
const LIMIT = { bytes: 4 * 1024 * 1024, time: 2000 }

const lingering = new WeakSet<Duplex>()

export function isLingering(socket: Duplex): boolean {
  return lingering.has(socket)
}

/**
 * Serves nothing more that comes over a connection. The kernel resets a connection that ends with unread bytes, and the client loses
 * the rest of its answer. So our side ends once all is written, and input is dropped until the client ends its side or meets a limit.
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
  // Without its listener the parser of Node gets nothing any more: it would make a request of 2 kB of each 35 bytes.
  socket.removeAllListeners('data')
  wakeSocket(socket)
  socket.on('data', onData)
  // Node calls it behind the last answer.
  Object.assign(socket, { destroySoon: () => socket.end() })
  if (socket.writableFinished) onFinish()
  else socket.once('finish', onFinish)
}

/** Gives a client time to read and to close, because one that does neither would keep the connection for ever. */
export function limitLingering(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LIMIT.time)
  socket.once('close', () => clearTimeout(timer))
}
