/** A socket between two readers: Node's parser has left it, or was stopped, and the next reader listens later. */
import type { Duplex } from 'node:stream'
import { guarded, type Report } from './guarded.js'

const parked = new WeakSet<Duplex>()

/**
 * Keeps bytes and the end of a socket in its buffer until `wakeSocket`. Node resumes the socket after the response to an earlier request,
 * and a stream that flows without a listener drops its bytes.
 */
export function parkSocket(socket: Duplex): void {
  // While the parser read from the handle, the stream took its first read to be pending. It would not start another.
  socket.push('')
  if (parked.has(socket)) return
  parked.add(socket)
  socket.on('resume', stayParked)
}

/** The first listener for `data` or `readable` gets all bytes that came since, and the end, as on a socket that was never paused. */
export function wakeSocket(socket: Duplex): void {
  if (parked.delete(socket)) socket.off('resume', stayParked)
  socket.push('')
  // As Node does before it hands a socket over: a paused stream would stay paused when a listener is added.
  socket.resume()
  Reflect.set(socket, 'readableFlowing', null)
}

/** Emits the end of a socket for a reader that came after it: Node emits it even while a socket is paused, if no bytes are buffered. */
export function emitEnd(socket: Duplex, report: Report): void {
  process.nextTick(() => guarded(socket, report, () => socket.emit('end')))
}

function stayParked(this: Duplex): void {
  this.pause()
}
