/** Writes a response to a socket: headers, content, streams with back-pressure, and an end that the client can detect. */
import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import { statusTitle } from '../errors/status.js'
import { checkedChunk, type ChunkReader, type Chunks } from './chunks.js'
import type { SocketExchange } from './connection.js'
import type { ResponseMessage, SentListener } from './exchange.js'
import { writeFields, type HeaderMap } from './fields.js'
import { http } from './node-http.js'
import { discard, isChunks, UNSENT, type Payload } from './payload.js'
import { BodyRate } from './slow-clients.js'

/** Maximum declared size, in bytes, of an unread body that is read and dropped so that the connection can be reused. */
const SMALL_BODY = 64 * 1024
/** Maximum bytes or characters that a stream writes in one turn of the event loop. */
const MAX_TURN_SIZE = 64 * 1024
/** Maximum time that a stream takes in one turn of the event loop, in ms. */
const MAX_TURN_TIME = 10
/** Headers for one connection only (RFC 9110 section 7.6.1). They can be part of copied headers of an upstream response. */
const HOP_FIELDS: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
])
const OUTSIDE_ASCII = /[\x80-\xff]/

/** Sends a response, without its content for HEAD. Returns whether the response announces the end of its connection. */
export function sendReply(exchange: SocketExchange, message: ResponseMessage, listener: SentListener | null): boolean {
  const { request, response, connection } = exchange
  if (response.destroyed || request.socket.destroyed) {
    discard(message.payload)
    listener?.sent(undefined)
    return false
  }
  const isUnread = !request.complete && hasUnwantedBody(exchange)
  const isLast = isUnread || endsConnection(exchange, message.headers)
  const data = connection.transport.writeHead(exchange, message, isLast)
  // Node also ends the connection if the client requests it, or waits for a 100 that was not sent.
  connection.isOver ||= isLast || !response.shouldKeepAlive
  if (isChunks(data)) {
    // A stream fails if its size differs from the `Content-Length` that the route set.
    response.strictContentLength = message.headers.has('content-length')
    new StreamWriter(data, exchange, listener).start()
    return isLast
  }
  if (data === null) discard(message.payload)
  // `close` is emitted after both a finished response and a lost connection.
  if (listener !== null) response.once('close', () => listener.sent(undefined))
  finish(exchange, data, isUnread)
  return isLast
}

/** Writes headers with Node's documented API. */
export function writeHead(
  { request, response }: SocketExchange,
  message: ResponseMessage,
  isLast: boolean,
): Payload['data'] {
  const lines = headLines(message, isLast)
  response.writeHead(message.status, reasonPhrase(message.status), lines)
  return request.method === 'HEAD' ? null : encodeHead(message, lines)
}

/** Writes a string of a stream with Node's documented API. */
export function writeText({ response }: SocketExchange, text: string): boolean {
  return response.write(text)
}

/** Returns Node's reason phrase for a status below 400, otherwise the title of its problem. */
export function reasonPhrase(status: number): string {
  return status < 400 ? (http.STATUS_CODES[status] ?? 'unknown') : statusTitle(status)
}

/** Whether the rest of the body is too large to drop or its size is unknown, so that the connection cannot be reused. */
function hasUnwantedBody({ request, connection, contentLength, transferEncoding }: SocketExchange): boolean {
  if (request.complete || connection.isBroken) return false
  return contentLength > SMALL_BODY || transferEncoding !== undefined
}

/**
 * Whether the server or the route ends the connection. It also ends after a request with `Upgrade`, because Node drops the rest of the
 * packet and would then parse from the middle of a request.
 */
function endsConnection({ connection, hasUpgrade, response }: SocketExchange, headers: HeaderMap): boolean {
  if (connection.isBroken || connection.state.isClosing || hasUpgrade) return true
  if (headers.size === 0) return false
  const option = headers.get('connection')?.toLowerCase()
  // If the client requests the end, Node adds `Connection: close`, but not to an existing `Connection` header.
  return option === 'close' || (option === 'upgrade' && !response.shouldKeepAlive)
}

/** Returns the headers of a response, without `Date`, `Connection: keep-alive` and `Keep-Alive`, which Node adds. */
export function headLines({ status, headers, payload, lines: own }: ResponseMessage, isLast: boolean): string[] {
  const lines: string[] = []
  if (payload.data !== null) contentLines(payload, headers, lines)
  else if (status !== 204 && status !== 304 && payload !== UNSENT) lines.push('content-length', '0')
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

/** Removes framing headers. With a wrong length, the client would read one response as two. Streams and unsent content may set it. */
function withoutFraming(headers: HeaderMap, payload: Payload): HeaderMap {
  const length = headers.get('content-length')
  if (length === undefined && !hasHopFields(headers)) return headers
  const fields = new Map(headers)
  for (const name of HOP_FIELDS) fields.delete(name)
  // `Connection: upgrade` limits the `Upgrade` header to this connection (RFC 9110 section 7.8).
  if (headers.get('connection') !== 'upgrade') fields.delete('connection')
  const isSettable = isChunks(payload.data) || payload === UNSENT
  if (!isSettable || !/^[0-9]+$/.test(length ?? '')) fields.delete('content-length')
  return fields
}

function hasHopFields(headers: HeaderMap): boolean {
  for (const name of headers.keys()) if (name === 'connection' || HOP_FIELDS.has(name)) return true
  return false
}

/** Encodes a string if a header is not ASCII. Node would write both together as UTF-8, but headers are Latin-1 (RFC 9110 section 5.5). */
function encodeHead({ payload: { data }, headers }: ResponseMessage, lines: readonly string[]): Payload['data'] {
  if (typeof data !== 'string' || headers.size === 0) return data
  return lines.some((text) => OUTSIDE_ASCII.test(text)) ? Buffer.from(data) : data
}

/** Ends a response. If unread bytes remain, the connection ends in stages, because a reset could discard the response. */
function finish(exchange: SocketExchange, data: string | Uint8Array | null, isUnread: boolean): void {
  const { request, response, connection, contentLength } = exchange
  const hasRest = !request.complete && contentLength > 0
  if (isUnread || (connection.isOver && hasRest)) {
    connection.startLingeringClose(true)
    // A reader of the body receives an error, because the rest of the body is dropped.
    connection.bodyReader?.lose('malformed')
  } else if (connection.isOver && (connection.isUnread || mayGetMore(exchange))) connection.startLingeringClose()
  else {
    // Drops the rest of a partly read body. Node drops only a body that was not read at all.
    if (request.readableFlowing === false) request.resume()
    if (hasRest) limitRest(exchange)
  }
  response.end(data)
  if (request.socket.writableLength > 0) connection.awaitReader()
  connection.release(response)
}

/** Whether the client may still send on a connection that ends, after `Upgrade` or because it did not request the end. */
function mayGetMore({ hasUpgrade, response }: SocketExchange): boolean {
  return hasUpgrade || response.shouldKeepAlive
}

/** Limits the total time for the rest of a small unread body to `timeouts.body`, because Node's timeouts restart with each byte. */
function limitRest({ request, connection }: SocketExchange): void {
  const { socket } = request
  const restRate = new BodyRate(connection.state.bodies, () => socket.destroy())
  const stop = (): void => {
    restRate.stop()
    request.off('end', stop)
    socket.off('close', stop)
  }
  request.on('end', stop)
  socket.on('close', stop)
}

/** Streams with chunks in this turn of the event loop. */
let activeStreams: StreamWriter[] = []

/** Runs once at the end of a turn, because `setImmediate` for each stream costs 0.05 µs instead of 0.01. */
function writeJoined(): void {
  const streams = activeStreams
  activeStreams = []
  for (const stream of streams) stream.endTurn()
}

/**
 * Writes the chunks of a stream with back-pressure. Strings that are ready in one turn of the event loop become one write. An object with
 * callbacks, because an async function would create more promises for each chunk.
 */
class StreamWriter implements ChunkReader {
  readonly #chunks: Chunks
  readonly #exchange: SocketExchange
  readonly #listener: SentListener | null
  /** Strings that are joined for the next write. */
  #text = ''
  #failure: unknown = undefined
  #isOver = false
  /** Whether the next read waits for the socket, and whether the response has the listener for it. */
  #isWaiting = false
  #hasListener = false
  /** Whether the stream has chunks in this turn; their size and, from the second chunk, the time. */
  #isActive = false
  #size = 0
  #began = 0

  constructor(chunks: Chunks, exchange: SocketExchange, listener: SentListener | null) {
    this.#chunks = chunks
    this.#exchange = exchange
    this.#listener = listener
  }

  start(): void {
    this.#exchange.response.on('close', () => this.#close())
    try {
      flushHead(this.#exchange)
      this.#read(false)
    } catch (error) {
      this.failed(error)
    }
  }

  #read(isWithin: boolean): void {
    const chunks = this.#chunks
    if (chunks.read !== undefined) chunks.read(this, isWithin)
    else {
      chunks.next().then(
        (result) => this.taken(result),
        (error: unknown) => this.failed(error),
      )
    }
  }

  taken(result: IteratorResult<unknown>): void {
    if (this.#isOver) return
    try {
      if (result.done === true || this.#exchange.response.destroyed) return this.#end()
      // Node would emit the error of a write, which would end the process.
      if (this.#exchange.response.writableEnded)
        throw new Error('Cannot continue the response: another listener has ended it')
      const chunk = checkedChunk(result.value)
      if (!this.#write(chunk)) this.#awaitDrain()
      else if (this.#usedTurn(chunk.length)) setImmediate(() => this.#read(false))
      else this.#read(true)
    } catch (error) {
      this.failed(error)
    }
  }

  failed(error: unknown): void {
    this.#isOver = true
    this.#failure = this.#exchange.response.destroyed ? undefined : error
    this.#chunks.cancel()
    this.endTurn()
    breakOff(this.#exchange)
  }

  /** Returns `false` if the socket cannot accept more. */
  #write(chunk: string | Uint8Array): boolean {
    const { response } = this.#exchange
    // A response with `Content-Length` fails at the first chunk that exceeds it, and sends the chunks before that.
    if (typeof chunk !== 'string' || response.strictContentLength) return this.#flush() && response.write(chunk)
    this.#text += chunk
    return this.#text.length + response.writableLength < response.writableHighWaterMark || this.#flush()
  }

  /** Writes the joined text. Returns `false` if the socket cannot accept more. */
  #flush(): boolean {
    const text = this.#text
    if (text === '') return true
    this.#text = ''
    const { response, connection } = this.#exchange
    return response.destroyed || response.writableEnded || connection.transport.writeText(this.#exchange, text)
  }

  endTurn(): void {
    this.#isActive = false
    try {
      if (!this.#flush()) this.#exchange.connection.awaitReader()
    } catch (error) {
      this.failed(error)
    }
  }

  #end(): void {
    this.#isOver = true
    this.#flush()
    finish(this.#exchange, null, hasUnwantedBody(this.#exchange))
  }

  #close(): void {
    const isComplete = this.#isOver && this.#exchange.response.writableFinished
    // `cancel` may deliver the end of the stream, which must not end the response.
    this.#isOver = true
    if (!isComplete) this.#chunks.cancel()
    this.#listener?.sent(this.#failure)
  }

  #awaitDrain(): void {
    const { response, connection } = this.#exchange
    connection.awaitReader()
    this.#isWaiting = true
    // One listener for all chunks: middleware such as `compression` passes it on to another stream, from which `once` would not remove it.
    if (!this.#hasListener) response.on('drain', () => this.#resume())
    this.#hasListener = true
  }

  #resume(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#read(false)
  }

  /**
   * Whether the stream has used its share of this turn of the event loop: 64 kB or 10 ms. A generator that never waits for I/O resolves in
   * microtasks, which would block the event loop for all other requests. The first chunk does not read the clock (60 ns).
   */
  #usedTurn(size: number): boolean {
    if (!this.#isActive) {
      this.#isActive = true
      this.#size = size
      this.#began = 0
      if (activeStreams.push(this) === 1) setImmediate(writeJoined)
      return size >= MAX_TURN_SIZE
    }
    this.#size += size
    if (this.#began === 0) this.#began = performance.now()
    return this.#size >= MAX_TURN_SIZE || performance.now() - this.#began >= MAX_TURN_TIME
  }
}

/** Sends the headers as Latin-1. Without content, Node would use the default encoding of the socket, UTF-8. */
function flushHead({ request: { socket }, response }: SocketExchange): void {
  socket.setDefaultEncoding('latin1')
  response.flushHeaders()
  socket.setDefaultEncoding('utf8')
}

/**
 * Aborts a response. Clients detect the missing last chunk or missing bytes. Without either, as in HTTP/1.0, a reset is required (RFC 9112
 * section 8): other middleware may have disabled chunks.
 */
function breakOff({ request, response, connection }: SocketExchange): void {
  const { strictContentLength, chunkedEncoding } = response
  if (request.httpVersionMinor === 0 || !(strictContentLength || chunkedEncoding)) connection.cut()
  else if (strictContentLength) response.destroy()
  else {
    connection.awaitReader()
    // Node 26 holds the chunks of a turn until its end. They would be lost.
    if (response.writableCorked > 0) response.uncork()
    request.socket.destroySoon()
  }
}
