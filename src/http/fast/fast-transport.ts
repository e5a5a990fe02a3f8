/**
 * The request and the transport of the fast path: it reads bodies directly from the parser, and writes headers and content in one write.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { BodyCollector, collectBody } from '../body.js'
import type { SocketExchange, Transport } from '../connection.js'
import type { ResponseMessage } from '../exchange.js'
import { formatLines, isToken, type HeaderMap } from '../fields.js'
import { http } from '../node-http.js'
import { headLines, reasonPhrase, writeHead } from '../send.js'
import { Readable } from 'node:stream'

/** Headers that change which headers Node adds. */
const SPECIAL: ReadonlySet<string> = new Set([
  ...['date', 'connection', 'keep-alive', 'expect', 'trailer', 'proxy-connection', 'te'],
])
/** Headers that replace the headers of the payload. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'transfer-encoding'])
const SNIFFING = 'x-content-type-options'
/** Node rejects other values, or writes them in another encoding. */
const PLAIN = /^[\t\x20-\x7e]*$/
const { writeHead: usualHead, end: usualEnd, write: usualWrite } = http.ServerResponse.prototype

/** Properties of a server that change the headers that Node adds. Code can set them at any time. */
export type KeepAlive = Pick<Server, 'keepAliveTimeout' | 'maxRequestsPerSocket'>

/** Creates the transport of a server. */
export function fastTransport(server: KeepAlive): Transport {
  let timeout = NaN
  let date = ''
  let end = ''
  return {
    collect(exchange, limit, done, rejection) {
      const { request } = exchange
      // The parser does not call a collector after a request is complete. As a stream, the request emits its end.
      const isLean = request instanceof LeanRequest && !request.isStream && !request.complete
      if (isLean) request.collector = new BodyCollector(exchange, limit, done, rejection)
      else collectBody(exchange, limit, done, rejection)
    },
    writeHead(exchange, message, isLast) {
      const { data } = message.payload
      const isFast = !isLast && typeof data === 'string' && server.maxRequestsPerSocket === 0 && isUsual(exchange)
      if (!isFast) return writeHead(exchange, message, isLast)
      const { status } = message
      const reason = (reasons[status] ??= reasonPhrase(status))
      const size = Buffer.byteLength(data)
      const fields = formatHeaders(message, reason, size)
      if (fields === null) return writeHead(exchange, message, isLast)
      if (second === '') beginSecond()
      if (date !== second || timeout !== server.keepAliveTimeout) {
        date = second
        timeout = server.keepAliveTimeout
        end = formatEnd(date, timeout)
      }
      // Proof: `writeHead` sets this property, and the self-check has verified that Node sends it.
      const response = exchange.response as ServerResponse & { _header: string }
      response.statusCode = status
      response.statusMessage = reason
      const isAscii = size === data.length
      response._header = isAscii ? fields + end + data : fields + end
      return isAscii ? '' : data
    },
    writeText({ response }, text) {
      const { socket } = response
      if (socket === null || !isChunked(response, socket)) return response.write(text)
      const size = Buffer.byteLength(text)
      const chunk = `${size.toString(16)}\r\n${text}\r\n`
      // An empty write returns `false` as well, and makes the response emit `drain`.
      return socket.write(chunk, size === text.length ? 'latin1' : 'utf8') || response.write('')
    },
  }
}

/** Formats the headers that Node adds, and the empty line. The timeout is in ms. */
function formatEnd(date: string, timeout: number): string {
  const keepAliveLine = timeout > 0 ? `Keep-Alive: timeout=${Math.floor(timeout / 1000)}\r\n` : ''
  return `Date: ${date}\r\nConnection: keep-alive\r\n${keepAliveLine}\r\n`
}

/** Whether Node would write a chunk of a response to its socket immediately, in four writes, which cost 4.5 µs per chunk instead of 2.8. */
function isChunked(response: ServerResponse, socket: Socket): boolean {
  // Proof: the self-check has verified that Node keeps these properties.
  const { chunkedEncoding, outputData } = response as ServerResponse & { readonly outputData: readonly unknown[] }
  // A corked response holds earlier chunks. Node 26 corks it at each write, until the end of the turn.
  const isFree = outputData.length === 0 && response.writableCorked === 0
  return chunkedEncoding && isFree && response.write === usualWrite && socket.writable
}

/** Whether Node would add only the default headers, and its functions are not patched on this response. */
function isUsual({ request, response, expectation }: SocketExchange): boolean {
  if (request.httpVersionMinor !== 1 || request.method === 'HEAD' || expectation !== 'none') return false
  if (!response.shouldKeepAlive || !response.sendDate || response.getHeaderNames().length > 0) return false
  return response.constructor === http.ServerResponse && response.writeHead === usualHead && response.end === usualEnd
}

/** Reason phrases by status. */
const reasons: string[] = []
/** Status lines and first headers, up to the value of `content-length`, by media type and status. */
const starts = new Map<string, string[]>()

/** Returns the status line and headers; `null` if Node must write them. */
function formatHeaders(message: ResponseMessage, reason: string, size: number): string | null {
  const { status, headers, payload, lines, text: ownLines } = message
  const ownHeaders = headers.size === 0 ? '' : ownText(headers)
  if (payload.type === undefined || ownHeaders === null) {
    const text = checkedText(headLines(message, false))
    return text && `HTTP/1.1 ${status} ${reason}\r\n${text}`
  }
  let beginning = starts.get(payload.type)
  if (beginning === undefined) starts.set(payload.type, (beginning = []))
  const start = (beginning[status] ??=
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: ${payload.type}\r\ncontent-length: `)
  const sniffing = headers.size > 0 && headers.has(SNIFFING) ? '' : `${SNIFFING}: nosniff\r\n`
  return `${start}${size}\r\n${sniffing}${ownHeaders}${ownLines ?? (lines === undefined ? '' : formatLines(lines))}`
}

/** Formats the headers of a reply. Returns `null` if they replace headers of the payload or require Node's checks. */
function ownText(headers: HeaderMap): string | null {
  let text = ''
  for (const [name, value] of headers) {
    if (CONTENT_HEADERS.has(name) || !isUsualField(name, value)) return null
    text += `${name}: ${value}\r\n`
  }
  return text
}

function checkedText(lines: readonly string[]): string | null {
  for (let at = 0; at < lines.length; at += 2) {
    // Proof: names and values alternate.
    if (!isUsualField(lines[at] as string, lines[at + 1] as string)) return null
  }
  return formatLines(lines)
}

/** Checks the headers again, because code can change the headers of a reply after they were checked. */
function isUsualField(name: string, value: string): boolean {
  return (usualNames.has(name) || isUsualName(name)) && typeof value === 'string' && PLAIN.test(value)
}

/** Names that have passed `isUsualName`, which costs 60 ns per call. */
const usualNames = new Set<string>()
const MAX_NAMES = 1_000

function isUsualName(name: string): boolean {
  const isUsual = isToken(name) && !SPECIAL.has(name.toLowerCase())
  if (isUsual && usualNames.size < MAX_NAMES) usualNames.add(name)
  return isUsual
}

/** `Date` header of the current second, shared by all responses. Empty after the second has passed. */
let second = ''

function beginSecond(): void {
  const date = new Date()
  second = date.toUTCString()
  setTimeout(() => (second = ''), 1000 - date.getMilliseconds()).unref()
}

/** `push` of Node's requests, used after a request has become a stream. */
const { push } = http.IncomingMessage.prototype
// Proof: `Readable` is a function that initializes any object that inherits from it as a stream.
const becomeStream = Readable as unknown as { call(request: object, options: object): void }

/**
 * A request that becomes a stream when code uses it as a stream. Until then, it has no stream state (0.3 µs and a kilobyte), emits no
 * events at its end, and passes its body directly from the parser to the collector. Its properties are the same as Node's, in the same
 * order.
 */
class LightRequest {
  socket: Socket
  httpVersionMajor: number | null = null
  httpVersionMinor: number | null = null
  httpVersion: string | null = null
  complete: boolean = false
  rawHeaders: string[] = []
  rawTrailers: string[] = []
  joinDuplicateHeaders: boolean = false
  aborted: boolean = false
  upgrade: boolean | null = null
  url: string = ''
  method: string | null = null
  statusCode: number | null = null
  statusMessage: string | null = null
  client: Socket
  /** Node drops the body of a request if this is `false`. Before a request is a stream, there is no body to drop. */
  _consuming: boolean = true
  _dumped: boolean = false
  isStream: boolean = false
  /** Receives the body; `null` if the body is not being collected or is complete. */
  collector: BodyCollector | null = null
  #hasEnded = false

  constructor(socket: Socket) {
    this.socket = socket
    this.client = socket
  }

  /** Called by the parser for each chunk, and with `null` at the end. */
  push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const { collector } = this
    if (this.isStream) return push.call(this, chunk, encoding)
    if (chunk === null) {
      this.#hasEnded = true
      this.collector = null
      collector?.end()
    } else if (collector === null) return push.call(this, chunk, encoding)
    else collector.take(chunk)
    return true
  }

  /** Turns the request into a stream, in the state that it would have if it had always been one. */
  wake(): unknown {
    const { collector } = this
    this.isStream = true
    this.collector = null
    this._consuming = false
    becomeStream.call(this, { highWaterMark: this.socket.readableHighWaterMark })
    const state: unknown = Reflect.get(this, '_readableState')
    Reflect.set(Object(state), 'readingMore', true)
    if (this.#hasEnded) push.call(this, null)
    collector?.listen()
    return state
  }
}

Object.setPrototypeOf(LightRequest.prototype, http.IncomingMessage.prototype)

// Newer Node versions initialize more properties, with private symbols as keys.
const model = new http.IncomingMessage(new Socket())
for (const key of Object.getOwnPropertySymbols(model)) {
  Object.defineProperty(LightRequest.prototype, key, {
    value: Reflect.get(model, key),
    writable: true,
    configurable: true,
  })
}

/** Every use of a request as a stream reads this property. */
Object.defineProperty(LightRequest.prototype, '_readableState', {
  configurable: true,
  get(this: LightRequest): unknown {
    return this.wake()
  },
  set(this: LightRequest, value: unknown) {
    Object.defineProperty(this, '_readableState', { value, writable: true, enumerable: true, configurable: true })
  },
})

/** Values of properties that Node reads early. Its own getters would turn the request into a stream. */
setAsleep('destroyed', false)
setAsleep('readableDidRead', false)
setAsleep('readableFlowing', null)
setAsleep('readableEnded', 'complete')

/** Replaces a getter until `wake`. `'complete'` returns the property `complete`. */
function setAsleep(name: string, asleep: boolean | null | 'complete'): void {
  const descriptor = Object.getOwnPropertyDescriptor(Readable.prototype, name)
  const get = function (this: LightRequest): unknown {
    if (this.isStream) return descriptor?.get?.call(this)
    return asleep === 'complete' ? this.complete : asleep
  }
  Object.defineProperty(LightRequest.prototype, name, { ...descriptor, get })
}

interface LeanConstructor extends Omit<typeof IncomingMessage, 'prototype'> {
  readonly prototype: IncomingMessage & LightRequest
  new (socket: Socket): IncomingMessage & LightRequest
}

// Proof: the prototype inherits from `IncomingMessage`, and `wake` replaces the constructor of `IncomingMessage`.
export const LeanRequest = LightRequest as unknown as LeanConstructor
