/** Collecting the body of a request from a socket, by the documented events, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../errors/http-error.js'
import type { BodyListener } from './exchange.js'

/**
 * The answer to a body beyond its limit.
 *
 * @param limit bytes
 * @returns the error
 */
export function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`)
}

/**
 * Collects a body. Beyond the limit it stops at once; what is still to come is left to whoever sends the answer.
 *
 * @param request its body unread
 * @param limit bytes
 * @param done told once: the bytes, or an HTTP error (413; 400 when the body ends early)
 */
export function collectBody(request: IncomingMessage, limit: number, done: BodyListener): void {
  const chunks: Buffer[] = []
  let size = 0
  const finish = (error: unknown): void => {
    request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost)
    // Proof: no listener is left that could call twice; an error listener stays, because a late reset must not throw.
    request.on('error', ignore)
    done(error, error === undefined ? joinChunks(chunks, size) : undefined)
  }
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else {
      request.pause()
      finish(tooLarge(limit))
    }
  }
  const onEnd = (): void => finish(undefined)
  const onLost = (): void => finish(new HttpError(400, 'The body ended before it was complete'))
  request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost)
}

function joinChunks(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size)
}

function ignore(): void {}
