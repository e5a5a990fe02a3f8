/** An exchange over a socket of `node:http`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpError } from '../errors/http-error.js'
import { collectBody, createBodyStream, incompleteError, isLost, tooLarge } from './body.js'
import type { Connection, Expectation, SocketExchange, Transport } from './connection.js'
import type { ResponseMessage, BodyListener, Exchange, RequestFault, SentListener } from './exchange.js'
import { TOKEN } from './fields.js'
import { guarded } from './guarded.js'
import { BareRecord } from '../values/objects.js'
import { discard, EMPTY_STATUSES, NO_PAYLOAD } from './payload.js'
import { headLines, sendReply, writeHead, writeText } from './send.js'
import { HOST } from './target.js'

/** Transport that uses only the documented API of Node. */
export const DOCUMENTED: Transport = { collect: collectBody, writeHead, writeText }

export type Serve = (exchange: NodeExchange) => void

export class NodeExchange implements Exchange, SocketExchange {
  readonly method: string
  readonly url: string
  readonly hasBody: boolean
  contentTypes: number = 0
  contentLength: number = 0
  transferEncoding: string | undefined = undefined
  hasUpgrade: boolean = false
  /** The last `Host` header. */
  host: string = ''
  #hosts = 0
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly expectation: Expectation
  #isLast = false
  #hasSent = false

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection, expectation: Expectation) {
    this.method = request.method ?? ''
    this.url = request.url ?? ''
    this.request = request
    this.response = response
    this.connection = connection
    this.expectation = expectation
    const { rawHeaders } = request
    // One pass, because a search for each header would cost more.
    for (let at = 0; at < rawHeaders.length; at += 2) {
      // Proof: names and values alternate.
      const name = rawHeaders[at] as string
      const candidate = BY_LENGTH[name.length]
      if (candidate === undefined || name.toLowerCase() !== candidate) continue
      const value = rawHeaders[at + 1] as string
      if (candidate === 'host') {
        this.#hosts++
        this.host = value
      } else if (candidate === 'content-type') this.contentTypes++
      else if (candidate === 'content-length') this.contentLength = Number(value)
      else if (candidate === 'upgrade') this.hasUpgrade = true
      else this.transferEncoding = this.transferEncoding === undefined ? value : `${this.transferEncoding}, ${value}`
    }
    this.hasBody = this.contentLength > 0 || this.transferEncoding !== undefined
  }

  get mayBeEmpty(): boolean {
    return this.transferEncoding !== undefined && this.expectation !== 'continue'
  }

  get ip(): string {
    return this.connection.peer
  }

  /** A getter, so that requests without a mount have no field for it. */
  get mount(): string {
    return ''
  }

  get fault(): RequestFault | undefined {
    const { request, transferEncoding } = this
    const { settings, countsHead } = this.connection.state
    // Node's parser also accepts `HTTP/0.9` and `HTTP/2.0` in a request line.
    if (request.httpVersionMajor !== 1 || request.httpVersionMinor > 1) {
      return requestFault(505, 'The HTTP version must be 1.0 or 1.1')
    }
    if (this.expectation === 'unknown') return requestFault(417, 'The Expect header must be "100-continue"')
    if (request.rawHeaders.length > 2 * settings.headers) return requestFault(431, 'The request has too many headers')
    if (countsHead && headBytes(request) > settings.headerBytes)
      return requestFault(431, 'The request headers are too large')
    const hostDetail = this.#hosts === 1 && HOST.test(this.host) ? undefined : this.#hostFault()
    if (hostDetail !== undefined) return requestFault(400, hostDetail)
    return transferEncoding === undefined ? undefined : encodingFault(request, transferEncoding)
  }

  /** Returns the error if there is not exactly one well-formed `Host` header. HTTP/1.0 does not require one. */
  #hostFault(): string | undefined {
    if (this.#hosts > 0) return this.#hosts === 1 ? 'The Host header is malformed' : 'The Host header is repeated'
    return this.minorVersion === 0 ? undefined : 'The Host header is missing'
  }

  get aborted(): boolean {
    const { request, response } = this
    // A socket is destroyed some ticks before its response.
    return (response.destroyed || request.socket.destroyed) && !response.writableFinished
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders
  }

  /** Minor version of HTTP/1. */
  get minorVersion(): number {
    return this.request.httpVersionMinor
  }

  get isSecure(): boolean {
    return 'encrypted' in this.request.socket
  }

  /** Reads the raw headers, because `node:http` would build an object of all headers, and a request reads only a few. */
  header(name: string): string | undefined {
    const { rawHeaders } = this.request
    let first = -1
    for (let at = 0; at < rawHeaders.length; at += 2) {
      // Proof: names and values alternate. A default for a value that is never missing would cost 8 ns per header.
      const header = rawHeaders[at] as string
      if (header.length !== name.length || header.toLowerCase() !== name) continue
      if (first >= 0) return repeatedField(this.request, name, [rawHeaders[first + 1], rawHeaders[at + 1]])
      first = at
    }
    return first < 0 ? undefined : rawHeaders[first + 1]
  }

  headers(): Record<string, string | undefined> {
    const record = new BareRecord<string | undefined>()
    const repeated = new Set<string>()
    const { rawHeaders } = this.request
    // Reading Node's `request.headers` would change the hidden class of the request and slow down all code that handles requests.
    for (let at = 0; at < rawHeaders.length; at += 2) {
      // Proof: names and values alternate.
      const name = (rawHeaders[at] as string).toLowerCase()
      const first = record[name]
      if (first === undefined) record[name] = rawHeaders[at + 1]
      else if (!repeated.has(name)) {
        repeated.add(name)
        record[name] = repeatedField(this.request, name, [first, rawHeaders[at + 1]])
      }
    }
    return record
  }

  collect(limit: number, done: BodyListener, rejection: HttpError | null = null): void {
    if (isAlreadyRead(this.request)) return done(alreadyRead(), undefined)
    // The body was empty and is already read. Node would not emit its end again.
    if (this.request.readableEnded) return done(undefined, NO_BYTES)
    if (this.contentLength > limit) return done(tooLarge(limit), undefined)
    // Requests the body from the client, which waits until something reads it.
    if (this.expectation === 'continue') this.response.writeContinue()
    // The rest of the body may already be lost.
    if (isLost(this)) return done(incompleteError(), undefined)
    this.connection.transport.collect(this, limit, done, rejection)
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (isAlreadyRead(this.request)) throw alreadyRead()
    if (this.contentLength > limit) throw tooLarge(limit)
    return createBodyStream(this, limit)
  }

  onAbort(listener: () => void): void {
    const { request, response, connection } = this
    const abort = (): void => {
      if (!response.writableFinished) listener()
    }
    // A listener of `once` would cost 0.2 kB more for each open stream.
    response.on('close', () => guarded(request.socket, connection.state.settings.report, abort))
  }

  onLeft(listener: () => void): void {
    const { request, response, connection } = this
    if (response.writableFinished || response.destroyed) listener()
    else response.once('close', () => guarded(request.socket, connection.state.settings.report, listener))
  }

  send(message: ResponseMessage, listener: SentListener | null): void {
    if (this.response.headersSent && !this.#hasSent) return this.#discard(message, listener)
    this.#hasSent = true
    this.#isLast = sendReply(this, message, listener)
  }

  /** Another listener or a middleware of the server has already responded. */
  #discard({ payload }: ResponseMessage, listener: SentListener | null): void {
    const { state } = this.connection
    if (!state.hasReportedDiscard) state.settings.report(alreadySent(this.method), 'Response discarded')
    state.hasReportedDiscard = true
    discard(payload)
    if (listener !== null) this.onLeft(() => listener.sent(undefined))
  }

  abandon(message: ResponseMessage): void {
    const { response, connection } = this
    try {
      if (response.headersSent) return connection.cut()
      // `writeHead` has already set the status, and Node does not write a body for some statuses.
      const payload =
        response.statusCode < 200 || EMPTY_STATUSES.has(response.statusCode) ? NO_PAYLOAD : message.payload
      this.send({ ...message, payload, headers: new Map(message.headers).set('connection', 'close') }, null)
    } catch {
      connection.cut()
    }
  }

  linesOf(message: ResponseMessage): readonly string[] {
    // Node adds `Connection: close` if the client requests it.
    return headLines(message, this.#isLast || !this.response.shouldKeepAlive)
  }
}

const NO_BYTES = Buffer.alloc(0)

/** Whether other code has read or destroyed the body. A lost connection also destroys it, but sets an error. */
function isAlreadyRead(request: IncomingMessage): boolean {
  return request.readableDidRead || (request.destroyed && !request.readableEnded && request.errored === null)
}

function alreadyRead(): Error {
  const fix = 'Remove the body parser before app.handler, or limit it to the paths of other handlers'
  return new Error(`Cannot read the body of the request: it was already read. ${fix}`)
}

function alreadySent(method: string): Error {
  const fix =
    'Call app.handler only for requests that nothing else responds to, and remove other "request" listeners of the server'
  return new Error(`Cannot respond to a ${method} request: another listener has already responded. ${fix}`)
}

/**
 * Combines repeated headers as Node does, except `Authorization`. Node keeps the first one, but a proxy may have checked the other. Joined
 * values are invalid credentials, so they are rejected.
 */
function repeatedField(request: IncomingMessage, name: string, values: readonly unknown[]): string {
  if (name === 'authorization') return values.join(', ')
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Headers that determine how a request is read and whether its connection can be reused. */
const NAMES = ['host', 'upgrade', 'content-type', 'content-length', 'transfer-encoding'] as const
/** The name of each length. Most other headers differ in length, so they are skipped without converting them to lower case. */
const BY_LENGTH = Array.from({ length: 18 }, (_, length) => NAMES.find((name) => name.length === length))

function requestFault(status: number, detail: string): RequestFault {
  return { status, detail }
}

/** Counts names and values with separators. Node's own limit can only be set when a server is created. */
function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, url.length)
}

/** A transfer coding with its parameters (RFC 9112 section 7). */
const CODING = `[ \\t]*${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^",]*"))*[ \\t]*`
/** Without `chunked` at the end, the end of the body is unknown. With it, the encoding is valid, but other codings are not supported. */
const ENDS_IN_CHUNKED = new RegExp(`^(?:${CODING},)*[ \\t]*chunked[ \\t]*$`, 'i')

/** Rejects transfer encodings that `node:http` accepts (RFC 9112 sections 6.1 and 6.3). */
function encodingFault({ httpVersionMinor }: IncomingMessage, encoding: string): RequestFault | undefined {
  if (httpVersionMinor === 0) return requestFault(400, 'An HTTP/1.0 request must not have a Transfer-Encoding header')
  if (encoding.toLowerCase() === 'chunked') return undefined
  return ENDS_IN_CHUNKED.test(encoding)
    ? requestFault(501, 'The transfer encoding must be "chunked"')
    : requestFault(400, 'The Transfer-Encoding header must be well-formed and end with "chunked"')
}
