/** The end of a connection whose client may still be sending: in stages (RFC 9112 section 9.6). */
import type { Duplex } from 'node:stream'

/** How much is read away of what nobody reads, in bytes, and how long after the last byte was written, in ms. */
const AWAY = { bytes: 4 * 1024 * 1024, time: 2000 }

const leaving = new WeakSet<Duplex>()

export function isLeaving(socket: Duplex): boolean {
  return leaving.has(socket)
}

/**
 * Nothing more that comes over a connection is served. The kernel resets a connection that ends with bytes unread, and the client loses
 * what it has not read yet of its answer. So only our side ends once all is written; what comes is read away, past the parser, until
 * the client ends its side too, or there is too much of it, or it takes too long.
 */
export function leave(socket: Duplex): void {
  if (leaving.has(socket) || socket.destroyed) return
  leaving.add(socket)
  let left = AWAY.bytes
  const linger = (): void => {
    if (left < 0) socket.destroy()
    else destroyLater(socket)
  }
  const onData = (chunk: Buffer): void => {
    left -= chunk.length
    if (left >= 0) return
    if (socket.writableFinished) socket.destroy()
    else socket.pause()
  }
  // Without its listener the parser of Node gets nothing any more: it would make a request of 2 kB of each 35 bytes.
  socket.removeAllListeners('data').on('data', onData)
  // As long as the parser read in its place, the stream believed that it was reading, and would not begin.
  socket.push('')
  socket.resume()
  // Node calls it behind the last answer.
  Object.assign(socket, { destroySoon: () => socket.end() })
  if (socket.writableFinished) linger()
  else socket.once('finish', linger)
}

/** Gives a client time to read and to close; one that does not would keep the connection for ever. */
export function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), AWAY.time)
  socket.once('close', () => clearTimeout(timer))
}
