/** Chunks of a body that come in one packet are handed on as one. */
import type { IncomingMessage } from 'node:http'
import { Gathered } from './gathered.js'

/**
 * Joins the chunks of a request that `Transfer-Encoding` frames. Node makes a buffer of each, and a packet may hold ten
 * thousand of one byte: a body that nobody reads yet would hold 190 times its bytes, up to the high-water mark of its
 * stream. All that one read brings is joined, and handed on behind it.
 */
export function joinChunks(request: IncomingMessage): void {
  const { push } = request
  let joined: Gathered | null = null
  const handOn = (): void => {
    if (joined === null) return
    const bytes = joined.join()
    joined = null
    push.call(request, bytes)
  }
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!Buffer.isBuffer(chunk)) {
      handOn()
      return push.call(request, chunk, encoding)
    }
    if (joined === null) {
      joined = new Gathered()
      // Not the next tick: the parser calls back for each chunk from outside of JavaScript, and ticks run behind each.
      setImmediate(handOn)
    }
    joined.add(chunk)
    return request.readableLength + joined.size < request.readableHighWaterMark
  }
}
