/** Sockets between two readers: Node's parser is detached or stopped, and the next reader does not listen yet. */
import type { Duplex } from 'node:stream'
import { guarded, type Report } from './guarded.js'

const parked = new WeakSet<Duplex>()

/**
 * Keeps bytes and the end of a socket in its buffer until `wakeSocket`. Node resumes the socket after the response to an earlier request,
 * and a stream that flows without a listener drops its bytes.
 */
export function parkSocket(socket: Duplex): void {
  // While the parser read from the handle, the stream considered its first read pending. Without this, it would not start another one.
  socket.push('')
  if (parked.has(socket)) return
  parked.add(socket)
  socket.on('resume', stayParked)
}

/** After this, the first `data` or `readable` listener receives all buffered bytes and the end, as on a socket that was never paused. */
export function wakeSocket(socket: Duplex): void {
  if (parked.delete(socket)) socket.off('resume', stayParked)
  socket.push('')
  // Node does the same before it emits `upgrade`. Otherwise a paused stream would stay paused when a listener is added.
  socket.resume()
  Reflect.set(socket, 'readableFlowing', null)
}

/** Emits `end` for a reader that was added after it. Node emits it even on a paused socket, if no bytes are buffered. */
export function emitEnd(socket: Duplex, report: Report): void {
  process.nextTick(() => guarded(socket, report, () => socket.emit('end')))
}

function stayParked(this: Duplex): void {
  this.pause()
}
