/** An exchange over a socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpError } from '../errors/http-error.js'
import { collectBody, createBodyStream, tooLarge } from './body.js'
import type { Connection, Expectation, Framing, SocketExchange, Transport } from './connection.js'
import type { ResponseMessage, BodyListener, Exchange, RequestFlaw, SentListener } from './exchange.js'
import { TOKEN } from './fields.js'
import { guarded } from './guarded.js'
import { BareRecord } from '../values/objects.js'
import { discard, isEmptyStatus, NO_PAYLOAD } from './payload.js'
import { headLines, sendAnswer, writeHead } from './send.js'
import { isHost } from './target.js'

/** Bodies and heads as Node documents them. */
export const DOCUMENTED: Transport = { collect: collectBody, writeHead }

export type Serve = (exchange: NodeExchange) => void

export class NodeExchange implements Exchange, SocketExchange {
  readonly method: string
  readonly url: string
  readonly hasBody: boolean
  readonly mayBeEmpty: boolean
  readonly contentTypes: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly head: HeadFields
  readonly expectation: Expectation
  #isLast = false
  #hasSent = false

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection, expectation: Expectation) {
    this.method = request.method ?? ''
    this.url = request.url ?? ''
    this.request = request
    this.response = response
    this.connection = connection
    const head = readFraming(request.rawHeaders)
    this.head = head
    this.hasBody = head.contentLength > 0 || head.transferEncoding !== undefined
    this.mayBeEmpty = head.transferEncoding !== undefined && expectation !== 'continue'
    this.contentTypes = head.contentTypes
    this.expectation = expectation
  }

  get ip(): string {
    return this.connection.peer
  }

  get flaw(): RequestFlaw | undefined {
    const { request, head } = this
    const { settings, countsHead } = this.connection.state
    // The parser of Node also takes `HTTP/0.9` and `HTTP/2.0` on a request line.
    if (request.httpVersionMajor !== 1 || request.httpVersionMinor > 1) {
      return requestFlaw(505, 'Only HTTP/1.0 and HTTP/1.1 are spoken here')
    }
    if (this.expectation === 'unknown') return requestFlaw(417, 'Only the expectation "100-continue" is known')
    if (request.rawHeaders.length > 2 * settings.headers) return requestFlaw(431, 'The request has too many headers')
    if (countsHead && headBytes(request) > settings.headerBytes) return requestFlaw(431, 'The head is too large')
    const { transferEncoding: encoding } = head
    return hostFlaw(request, head) ?? (encoding === undefined ? undefined : encodingFlaw(request, encoding))
  }

  get aborted(): boolean {
    const { request, response } = this
    // A socket is destroyed some ticks before its response.
    return (response.destroyed || request.socket.destroyed) && !response.writableFinished
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders
  }

  /** Of HTTP/1. */
  get minorVersion(): number {
    return this.request.httpVersionMinor
  }

  get isSecure(): boolean {
    return 'encrypted' in this.request.socket
  }

  get host(): string {
    return this.head.host
  }

  /** Read from the raw head: `node:http` would build a record of all fields, which costs more than a request needs. */
  header(name: string): string | undefined {
    const { rawHeaders } = this.request
    let first = -1
    for (let at = 0; at < rawHeaders.length; at += 2) {
      // Proof: names and values stand in turn. A default for what is never missing costs 8 ns a field.
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
    // The property `headers` of Node's request would make it an object of another shape, and all that handles requests slower.
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

  collect(limit: number, done: BodyListener, refusal: HttpError | null = null): void {
    if (isAlreadyRead(this.request)) return done(alreadyRead(), undefined)
    // An empty body that was read before: its end would not be emitted again.
    if (this.request.readableEnded) return done(undefined, NO_BYTES)
    if (this.head.contentLength > limit) return done(tooLarge(limit), undefined)
    // The client is told to send its body only when somebody wants it.
    if (this.expectation === 'continue') this.response.writeContinue()
    this.connection.state.transport.collect(this, limit, done, refusal)
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (isAlreadyRead(this.request)) throw alreadyRead()
    if (this.head.contentLength > limit) throw tooLarge(limit)
    return createBodyStream(this, limit)
  }

  onAbort(listener: () => void): void {
    const { request, response, connection } = this
    const abort = (): void => {
      if (!response.writableFinished) listener()
    }
    response.once('close', () => guarded(request.socket, connection.state.settings.report, abort))
  }

  onLeft(listener: () => void): void {
    const { request, response, connection } = this
    if (response.writableFinished || response.destroyed) listener()
    else response.once('close', () => guarded(request.socket, connection.state.settings.report, listener))
  }

  send(answer: ResponseMessage, listener: SentListener | null): void {
    if (this.response.headersSent && !this.#hasSent) return this.#discard(answer, listener)
    this.#hasSent = true
    this.#isLast = sendAnswer(this, answer, listener)
  }

  /** Another listener or a middleware of the server has already responded. */
  #discard({ payload }: ResponseMessage, listener: SentListener | null): void {
    const { state } = this.connection
    if (!state.hasReportedDiscard) state.settings.report(alreadySent(this.method), 'Response discarded')
    state.hasReportedDiscard = true
    discard(payload)
    if (listener !== null) this.onLeft(() => listener.sent(undefined))
  }

  abandon(answer: ResponseMessage): void {
    const { response, connection } = this
    try {
      if (response.headersSent) return connection.cut()
      // `writeHead` has already taken the status, and Node writes no body for some.
      const payload = response.statusCode < 200 || isEmptyStatus(response.statusCode) ? NO_PAYLOAD : answer.payload
      this.send({ ...answer, payload, headers: new Map(answer.headers).set('connection', 'close') }, null)
    } catch {
      connection.cut()
    }
  }

  linesOf(answer: ResponseMessage): readonly string[] {
    // Node says so by itself where the client wants it.
    return headLines(answer, this.#isLast || !this.response.shouldKeepAlive)
  }
}

const NO_BYTES = Buffer.alloc(0)

/** Whether someone else has read the body, or destroyed it, so that its bytes are lost. A lost connection destroys it with an error. */
function isAlreadyRead(request: IncomingMessage): boolean {
  return request.readableDidRead || (request.destroyed && !request.readableEnded && request.errored === null)
}

function alreadyRead(): Error {
  const fix = 'Run no body parser before app.handler, or only for the paths of other handlers'
  return new Error(`Cannot read the body of the request: it was already read. ${fix}`)
}

function alreadySent(method: string): Error {
  const fix =
    'Call app.handler only for requests that nothing else responds to, and remove other "request" listeners of the server'
  return new Error(`Cannot respond to a ${method} request: another listener has already responded. ${fix}`)
}

/** Joins them as Node does, but two `Authorization` into no credentials: Node keeps the first, a proxy may have checked the other. */
function repeatedField(request: IncomingMessage, name: string, values: readonly unknown[]): string {
  if (name === 'authorization') return values.join(', ')
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** The fields that decide how a request is read and how its connection goes on; of `Host` the last. */
class HeadFields implements Framing {
  hosts = 0
  host = ''
  contentTypes = 0
  contentLength = 0
  transferEncoding: string | undefined = undefined
  hasUpgrade = false
}

const NAMES = ['host', 'upgrade', 'content-type', 'content-length', 'transfer-encoding'] as const
/** Their names by length: most others have another, and need not be made lower case. */
const BY_LENGTH = Array.from({ length: 18 }, (_, length) => NAMES.find((name) => name.length === length))

/** Reads them in one pass: a search for each would cost more. */
function readFraming(raw: readonly string[]): HeadFields {
  const head = new HeadFields()
  for (let at = 0; at < raw.length; at += 2) {
    // Proof: names and values stand in turn.
    const name = raw[at] as string
    const candidates = BY_LENGTH[name.length]
    if (candidates !== undefined && name.toLowerCase() === candidates)
      readField(head, candidates, raw[at + 1] as string)
  }
  return head
}

function readField(head: HeadFields, name: (typeof NAMES)[number], value: string): void {
  switch (name) {
    case 'host':
      head.hosts++
      head.host = value
      break
    case 'content-type':
      head.contentTypes++
      break
    case 'content-length':
      head.contentLength = Number(value)
      break
    case 'transfer-encoding':
      head.transferEncoding = head.transferEncoding === undefined ? value : `${head.transferEncoding}, ${value}`
      break
    case 'upgrade':
      head.hasUpgrade = true
  }
}

function requestFlaw(status: number, detail: string): RequestFlaw {
  return { status, detail }
}

/** Names and values with what stands between them; the size that Node holds to can only be given to a server when it is made. */
function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, url.length)
}

function hostFlaw({ httpVersionMinor }: IncomingMessage, { hosts, host }: HeadFields): RequestFlaw | undefined {
  if (hosts === 0) return httpVersionMinor === 0 ? undefined : requestFlaw(400, 'The Host header is missing')
  if (hosts > 1) return requestFlaw(400, 'The Host header is repeated')
  return isHost(host) ? undefined : requestFlaw(400, 'The Host header is malformed')
}

/** A transfer coding with its parameters (RFC 9112 section 7). */
const CODING = `[ \\t]*${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^",]*"))*[ \\t]*`
/** Without `chunked` at the end nobody knows where the body ends; with it, a coding before it may be a good one. */
const ENDS_IN_CHUNKED = new RegExp(`^(?:${CODING},)*[ \\t]*chunked[ \\t]*$`, 'i')

/** Framing belongs to `node:http`; what it lets through is refused here (RFC 9112 sections 6.1 and 6.3). */
function encodingFlaw({ httpVersionMinor }: IncomingMessage, encoding: string): RequestFlaw | undefined {
  if (httpVersionMinor === 0) return requestFlaw(400, 'HTTP/1.0 has no transfer encodings')
  if (encoding.toLowerCase() === 'chunked') return undefined
  return ENDS_IN_CHUNKED.test(encoding)
    ? requestFlaw(501, 'Only the transfer encoding "chunked" is known')
    : requestFlaw(400, 'The transfer encoding is malformed, or "chunked" is not the last one')
}
