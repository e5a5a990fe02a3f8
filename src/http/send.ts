/** Writing an answer to a socket: head, content, streams with back-pressure, and an end that the client can see. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { statusTitle } from '../errors/status.js'
import type { Answer, SentListener } from './exchange.js'
import { checkedChunk, type Chunks } from './chunks.js'
import type { Fields } from './fields.js'
import { headLines } from './head-lines.js'
import { BROKEN, type Line } from './line.js'
import { Pace } from './pace.js'
import { discard, isChunks, type Payload } from './payload.js'
import { fieldAt, readField } from './raw-headers.js'

/** A declared body of up to this size is read away so that the connection can be kept, in bytes. */
const SMALL_BODY = 64 * 1024
const OUTSIDE_ASCII = /[\x80-\xff]/

/** Both ends of one exchange over a socket. */
export interface Ends {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What `Expect` asks for: `continue` is answered with 100 when the body is wanted. */
  readonly expectation: 'none' | 'continue' | 'unknown'
  /** The connection they belong to. */
  readonly line: Line
}

/** Writes an answer. With HEAD, 204 and 304 the content is left out, its length named only for HEAD. */
export function sendAnswer(ends: Ends, answer: Answer, listener: SentListener | null): boolean {
  const { request, response, line } = ends
  if (response.destroyed || request.socket.destroyed) {
    discard(answer.payload)
    listener?.sent(undefined)
    return false
  }
  const isUnread = hasUnwantedBody(ends)
  const isLast = isUnread || endsConnection(ends, answer.headers)
  const lines = headLines(answer, isLast)
  if (answer.status < 400) response.writeHead(answer.status, lines)
  else response.writeHead(answer.status, statusTitle(answer.status), lines)
  // Node also makes an answer the last by itself: where the client wants it, and where its 100 was never sent.
  line.isOver ||= isLast || !response.shouldKeepAlive
  const data = encoded(answer, lines)
  if (request.method === 'HEAD' || data === null) {
    discard(answer.payload)
    notifyOnClose(response, listener)
    finish(ends, undefined, isUnread)
  } else if (isChunks(data)) {
    // A stream that comes with its length and does not keep to it fails.
    response.strictContentLength = answer.headers.has('content-length')
    void pump(data, ends, listener)
  } else {
    notifyOnClose(response, listener)
    finish(ends, data, isUnread)
  }
  return isLast
}

/** Node writes a text and the head before it as one, in UTF-8; fields are Latin-1 (RFC 9110 section 5.5). */
function encoded({ payload: { data }, headers, lines: own }: Answer, lines: readonly string[]): Payload['data'] {
  if (typeof data !== 'string' || (headers.size === 0 && own === undefined) || !lines.some(isOutsideAscii)) return data
  return Buffer.from(data)
}

function isOutsideAscii(text: string): boolean {
  return OUTSIDE_ASCII.test(text)
}

/** Node writes a head alone in the encoding of the socket, which is UTF-8. */
function flushHead({ request: { socket }, response }: Ends): void {
  socket.setDefaultEncoding('latin1')
  response.flushHeaders()
  socket.setDefaultEncoding('utf8')
}

/** An author may end the connection, too. */
function endsConnection({ request, line }: Ends, headers: Fields): boolean {
  if (line.isBroken || line.gate.isClosing || asksForUpgrade(request)) return true
  return headers.size > 0 && headers.get('connection')?.toLowerCase() === 'close'
}

/**
 * Node drops what stands behind such a request in its packet, and reads on in the next, in the middle of whatever it is: the body
 * of a request would be taken for a request.
 */
function asksForUpgrade(request: IncomingMessage): boolean {
  return fieldAt(request.rawHeaders, 'upgrade', 0) >= 0
}

/** A body that nobody read and that is too large to read away: the connection cannot be used again. */
function hasUnwantedBody({ request, line }: Ends): boolean {
  if (request.complete || line.isBroken) return false
  if (Number(readField(request, 'content-length') ?? 0) > SMALL_BODY) return true
  return readField(request, 'transfer-encoding') !== undefined
}

/**
 * Ends an answer. Where the client sends what nobody reads, the connection ends in stages: a plain end would reset that of a client
 * that is still sending, before it reads the answer.
 */
function finish(ends: Ends, data: string | Uint8Array | undefined, isUnread: boolean): void {
  const { request, response, line } = ends
  if (isUnread || (line.isOver && hasRest(request))) {
    line.leave()
    // Whoever reads the body all the same is told that nothing comes any more.
    request.emit(BROKEN)
  } else if (line.isOver && line.isUnread) line.leave()
  else {
    // What is left of a body that was read in part: Node reads away only those nobody began with.
    if (request.readableFlowing === false) request.resume()
    limitRest(ends)
  }
  response.end(data)
  if (request.socket.writableLength > 0) line.awaitReader()
  line.release(response)
}

/**
 * What is left of a small body that nobody reads has `timeouts.body` in all: its answer is on its way, and time-outs for idle
 * connections begin anew with each byte, so that one byte now and then would keep a connection for days.
 */
function limitRest({ request, line }: Ends): void {
  if (!hasRest(request)) return
  const { socket } = request
  const rest = new Pace(line.gate.settings.bodyTimeout, () => socket.destroy())
  const stop = (): void => {
    rest.stop()
    request.off('end', stop)
    socket.off('close', stop)
  }
  request.on('end', stop)
  socket.on('close', stop)
}

/** Whether more of a body of a known length is to come; a request without one is not complete either when it is handed over. */
function hasRest(request: IncomingMessage): boolean {
  return !request.complete && Number(readField(request, 'content-length') ?? 0) > 0
}

/** `close` follows both a finished answer and a lost connection. */
function notifyOnClose(response: ServerResponse, listener: SentListener | null): void {
  if (listener !== null) response.once('close', () => listener.sent(undefined))
}

/** A stream that fails breaks the connection off: a clean end would pass half for the whole. */
async function pump(chunks: Chunks, ends: Ends, listener: SentListener | null): Promise<void> {
  const { response } = ends
  let failure: unknown
  response.once('close', () => {
    if (!response.writableFinished) chunks.cancel()
    listener?.sent(failure)
  })
  try {
    flushHead(ends)
    await writeAll(chunks, ends)
    finish(ends, undefined, hasUnwantedBody(ends))
  } catch (error) {
    failure = response.destroyed ? undefined : error
    chunks.cancel()
    breakOff(ends)
  }
}

/**
 * What was written still reaches the client, and that the last chunk is missing tells it of the failure. Where no chunk is the
 * last one, all that was written could pass for the whole (RFC 9112 section 8): then nothing more is sent, and a client of
 * HTTP/1.0, which would take any end for the right one, sees a reset.
 */
function breakOff({ request, response, line }: Ends): void {
  if (request.httpVersionMinor === 0) line.cut()
  else if (response.strictContentLength) response.destroy()
  else {
    line.awaitReader()
    request.socket.destroySoon()
  }
}

async function writeAll(chunks: Chunks, ends: Ends): Promise<void> {
  const { response } = ends
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true || response.destroyed) return
    if (!response.write(checkedChunk(value))) await drained(ends)
  }
}

function drained({ response, line }: Ends): Promise<void> {
  line.awaitReader()
  return new Promise((resolve) => {
    const ready = (): void => {
      response.off('drain', ready).off('close', ready)
      resolve()
    }
    response.on('drain', ready).on('close', ready)
  })
}
