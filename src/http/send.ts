/** Writing an answer to a socket: head, content, streams with back-pressure, and an end that the client can see. */
import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { statusTitle } from '../errors/status.js'
import { checkedChunk, type Chunks } from './chunks.js'
import type { SocketExchange } from './connection.js'
import type { ResponseMessage, SentListener } from './exchange.js'
import { writeFields, type HeaderMap } from './fields.js'
import { discard, isChunks, type Payload } from './payload.js'
import { BodyRate } from './slow-clients.js'

/** A declared body of up to this size is read away so that the connection can be kept, in bytes. */
const SMALL_BODY = 64 * 1024
/** Bytes or characters. */
const MAX_TURN_SIZE = 64 * 1024
/** In ms. */
const MAX_TURN_TIME = 10
/** Fields about the connection of an author's upstream server, or of the framing (RFC 9110 section 7.6.1). */
const HOP_FIELDS: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
])
const OUTSIDE_ASCII = /[\x80-\xff]/

/** Writes an answer, without its content for HEAD. Returns whether it says that it is the last on its connection. */
export function sendAnswer(exchange: SocketExchange, answer: ResponseMessage, listener: SentListener | null): boolean {
  const { request, response, connection } = exchange
  if (response.destroyed || request.socket.destroyed) {
    discard(answer.payload)
    listener?.sent(undefined)
    return false
  }
  const isUnread = hasUnwantedBody(exchange)
  const isLast = isUnread || endsConnection(exchange, answer.headers)
  const data = connection.state.transport.writeHead(exchange, answer, isLast)
  // Node also makes an answer the last by itself: where the client wants it, and where its 100 was never sent.
  connection.isOver ||= isLast || !response.shouldKeepAlive
  if (isChunks(data)) {
    // A stream that comes with its length and does not keep to it fails.
    response.strictContentLength = answer.headers.has('content-length')
    void pump(data, exchange, listener)
    return isLast
  }
  if (data === null) discard(answer.payload)
  // `close` follows both a finished answer and a lost connection.
  if (listener !== null) response.once('close', () => listener.sent(undefined))
  finish(exchange, data, isUnread)
  return isLast
}

/** Writes a head as Node documents it. */
export function writeHead(
  { request, response }: SocketExchange,
  answer: ResponseMessage,
  isLast: boolean,
): Payload['data'] {
  const lines = headLines(answer, isLast)
  response.writeHead(answer.status, reasonPhrase(answer.status), lines)
  return request.method === 'HEAD' ? null : encodeHead(answer, lines)
}

/** The reason phrase of a status: that of Node below 400, else the title that its problem has. */
export function reasonPhrase(status: number): string {
  return status < 400 ? (STATUS_CODES[status] ?? 'unknown') : statusTitle(status)
}

/** A body that nobody read and that is too large to read away: the connection cannot be used again. */
function hasUnwantedBody({ request, connection, head }: SocketExchange): boolean {
  if (request.complete || connection.isBroken) return false
  return head.contentLength > SMALL_BODY || head.transferEncoding !== undefined
}

/** The server ends it, or the author. After `Upgrade` Node drops the rest of a packet, and would read the next from its middle. */
function endsConnection({ connection, head, response }: SocketExchange, headers: HeaderMap): boolean {
  if (connection.isBroken || connection.state.isClosing || head.hasUpgrade) return true
  if (headers.size === 0) return false
  const option = headers.get('connection')?.toLowerCase()
  // Where the client wants the end, Node says so, but not beside another option.
  return option === 'close' || (option === 'upgrade' && !response.shouldKeepAlive)
}

/** The fields that an answer is written with, but for those that Node adds: `Date`, and how the connection goes on. */
export function headLines({ status, headers, payload, lines: own }: ResponseMessage, isLast: boolean): string[] {
  const lines: string[] = []
  if (payload.data !== null) contentLines(payload, headers, lines)
  else if (status !== 204 && status !== 304) lines.push('content-length', '0')
  if (headers.size > 0) writeFields(withoutFraming(headers, payload), lines)
  if (own !== undefined) for (const text of own) lines.push(text)
  if (isLast) lines.push('connection', 'close')
  return lines
}

function contentLines({ type, data }: Payload, headers: HeaderMap, lines: string[]): void {
  const isBare = headers.size === 0
  if (type !== undefined && (isBare || !headers.has('content-type'))) lines.push('content-type', type)
  if (typeof data === 'string') lines.push('content-length', String(Buffer.byteLength(data)))
  else if (data instanceof Uint8Array) lines.push('content-length', String(data.byteLength))
  if (isBare || !headers.has('x-content-type-options')) lines.push('x-content-type-options', 'nosniff')
}

/** Two lengths, or a wrong one, make the client read one answer as two: only a stream may come with a length of its own. */
function withoutFraming(headers: HeaderMap, { data }: Payload): HeaderMap {
  const length = headers.get('content-length')
  if (length === undefined && !hasHopFields(headers)) return headers
  const fields = new Map(headers)
  for (const name of HOP_FIELDS) fields.delete(name)
  // It says that `Upgrade` is for the next one on the way alone (RFC 9110 section 7.8).
  if (headers.get('connection') !== 'upgrade') fields.delete('connection')
  if (!isChunks(data) || !/^[0-9]+$/.test(length ?? '')) fields.delete('content-length')
  return fields
}

function hasHopFields(headers: HeaderMap): boolean {
  for (const name of headers.keys()) if (name === 'connection' || HOP_FIELDS.has(name)) return true
  return false
}

/** Node writes a text and the head before it as one, in UTF-8; fields are Latin-1 (RFC 9110 section 5.5). */
function encodeHead(
  { payload: { data }, headers, lines: own }: ResponseMessage,
  lines: readonly string[],
): Payload['data'] {
  if (typeof data !== 'string' || (headers.size === 0 && own === undefined)) return data
  return lines.some((text) => OUTSIDE_ASCII.test(text)) ? Buffer.from(data) : data
}

/** Ends an answer. Where the client sends what nobody reads, a plain end would reset the connection before it has the answer. */
function finish(exchange: SocketExchange, data: string | Uint8Array | null, isUnread: boolean): void {
  const { request, response, connection, head } = exchange
  const hasRest = !request.complete && head.contentLength > 0
  if (isUnread || (connection.isOver && hasRest)) {
    connection.startLingeringClose()
    // Whoever reads the body all the same is told that nothing comes any more.
    connection.bodyReader?.lose('malformed')
  } else if (connection.isOver && (connection.isUnread || mayGetMore(exchange))) connection.startLingeringClose()
  else {
    // What is left of a body that was read in part: Node reads away only those nobody began with.
    if (request.readableFlowing === false) request.resume()
    if (hasRest) limitRest(exchange)
  }
  response.end(data)
  if (request.socket.writableLength > 0) connection.awaitReader()
  connection.release(response)
}

/** Whether the client may still send on a connection that ends: after `Upgrade`, or because it did not ask for the end itself. */
function mayGetMore({ head, response }: SocketExchange): boolean {
  return head.hasUpgrade || response.shouldKeepAlive
}

/** Limits what is left of a small body that nobody reads to `timeouts.body` in all: Node's time-outs begin again with each byte. */
function limitRest({ request, connection }: SocketExchange): void {
  const { socket } = request
  const rest = new BodyRate(connection.state.bodies, () => socket.destroy())
  const stop = (): void => {
    rest.stop()
    request.off('end', stop)
    socket.off('close', stop)
  }
  request.on('end', stop)
  socket.on('close', stop)
}

async function pump(chunks: Chunks, exchange: SocketExchange, listener: SentListener | null): Promise<void> {
  const { response } = exchange
  let failure: unknown
  response.once('close', () => {
    if (!response.writableFinished) chunks.cancel()
    listener?.sent(failure)
  })
  const turn = new LoopTurn()
  try {
    flushHead(exchange)
    for (;;) {
      const { done, value } = await chunks.next()
      if (done === true || response.destroyed) break
      const chunk = checkedChunk(value)
      if (!response.write(chunk)) await waitForDrain(exchange)
      else if (turn.isOver(chunk.length)) await nextTurn()
    }
    finish(exchange, null, hasUnwantedBody(exchange))
  } catch (error) {
    failure = response.destroyed ? undefined : error
    chunks.cancel()
    breakOff(exchange)
  }
}

/** A generator without real waiting resolves in microtasks, which would stop the event loop for all other requests. */
class LoopTurn {
  #size = 0
  #began = performance.now()

  /** Whether the stream has used its share since the last turn of the event loop: 64 kB or 10 ms. */
  isOver(size: number): boolean {
    this.#size += size
    const now = performance.now()
    if (this.#size < MAX_TURN_SIZE && now - this.#began < MAX_TURN_TIME) return false
    this.#size = 0
    this.#began = now
    return true
  }
}

/** Node writes a head alone in the encoding of the socket, which is UTF-8. */
function flushHead({ request: { socket }, response }: SocketExchange): void {
  socket.setDefaultEncoding('latin1')
  response.flushHeaders()
  socket.setDefaultEncoding('utf8')
}

/** The missing last chunk or missing bytes tell the client of a failure; HTTP/1.0 needs a reset for that (RFC 9112 section 8). */
function breakOff({ request, response, connection }: SocketExchange): void {
  if (request.httpVersionMinor === 0) connection.cut()
  else if (response.strictContentLength) response.destroy()
  else {
    connection.awaitReader()
    request.socket.destroySoon()
  }
}

function waitForDrain({ response, connection }: SocketExchange): Promise<void> {
  connection.awaitReader()
  return new Promise((resolve) => {
    const ready = (): void => {
      response.off('drain', ready).off('close', ready)
      resolve()
    }
    response.on('drain', ready).on('close', ready)
  })
}
