/** An exchange over a socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectBody, streamBody, tooLarge } from './body.js'
import type { Answer, BodyListener, Exchange, Flaw, SentListener } from './exchange.js'
import { headLines } from './head-lines.js'
import type { Waiting } from './held.js'
import { isHost } from './host.js'
import { countFields, fieldAt, readField } from './raw-headers.js'
import { bareRecord } from '../values/objects.js'
import { sendAnswer, type Ends } from './send.js'

/** Takes one exchange. */
export type Serve = (exchange: NodeExchange) => void

/** One request and its response, as `node:http` gives them. */
export class NodeExchange implements Exchange, Waiting {
  readonly method: string
  readonly url: string
  readonly response: ServerResponse
  readonly #ends: Ends
  readonly #serve: Serve
  #isLast = false
  /** Of its body, in bytes, as declared; -1 until somebody asks. */
  #length = -1

  constructor(ends: Ends, serve: Serve) {
    this.method = ends.request.method ?? ''
    this.url = ends.request.url ?? ''
    this.response = ends.response
    this.#ends = ends
    this.#serve = serve
  }

  /** Its turn has come. */
  begin(): void {
    this.#serve(this)
  }

  get ip(): string {
    return this.#ends.line.peer
  }

  get flaw(): Flaw | undefined {
    const { request, line, expectation } = this.#ends
    // The parser of Node also takes `HTTP/0.9` and `HTTP/2.0` on a request line.
    if (request.httpVersionMajor !== 1 || request.httpVersionMinor > 1) {
      return flaw(505, 'Only HTTP/1.0 and HTTP/1.1 are spoken here')
    }
    if (expectation === 'unknown') return flaw(417, 'Only the expectation "100-continue" is known')
    const { settings, countsHead } = line.gate
    if (request.rawHeaders.length > 2 * settings.headers) return flaw(431, 'The request has too many headers')
    if (countsHead === true && headBytes(request) > settings.headerBytes) return flaw(431, 'The head is too large')
    return hostFlaw(request) ?? encodingFlaw(request)
  }

  get hasBody(): boolean {
    return this.#declaredLength() > 0 || readField(this.#ends.request, 'transfer-encoding') !== undefined
  }

  get contentTypes(): number {
    return countFields(this.#ends.request.rawHeaders, 'content-type')
  }

  get aborted(): boolean {
    return this.#ends.response.destroyed && !this.#ends.response.writableFinished
  }

  /** Names and values in turn, as they were sent. */
  get rawHeaders(): readonly string[] {
    return this.#ends.request.rawHeaders
  }

  /** Minor version of HTTP/1: 0 or 1. */
  get minorVersion(): number {
    return this.#ends.request.httpVersionMinor
  }

  /** Whether the connection is one of TLS. */
  get isSecure(): boolean {
    return 'encrypted' in this.#ends.request.socket
  }

  header(name: string): string | undefined {
    return readField(this.#ends.request, name)
  }

  headers(): Record<string, string | undefined> {
    const record = bareRecord<string | undefined>()
    // The property `headers` of Node's request would make it an object of another shape, and all that handles requests slower.
    for (const [at, text] of this.rawHeaders.entries()) {
      const name = text.toLowerCase()
      if (at % 2 === 0) record[name] ??= this.header(name)
    }
    return record
  }

  collect(limit: number, done: BodyListener): void {
    if (this.#declaredLength() > limit) {
      done(tooLarge(limit), undefined)
      return
    }
    this.#continue()
    collectBody(this.#ends, limit, done)
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (this.#declaredLength() > limit) throw tooLarge(limit)
    return this.#streamed(limit)
  }

  /** Begins with the first chunk that somebody asks for. */
  async *#streamed(limit: number): AsyncGenerator<Buffer, void, undefined> {
    this.#continue()
    yield* streamBody(this.#ends, limit)
  }

  onAbort(listener: () => void): void {
    this.#ends.response.once('close', () => {
      if (!this.#ends.response.writableFinished) listener()
    })
  }

  onLeft(listener: () => void): void {
    const { response } = this.#ends
    if (response.writableFinished || response.destroyed) listener()
    else response.once('close', listener)
  }

  send(answer: Answer, listener: SentListener | null): void {
    this.#isLast = sendAnswer(this.#ends, answer, listener)
  }

  linesOf(answer: Answer): readonly string[] {
    // Node says so by itself where the client wants it.
    return headLines(answer, this.#isLast || !this.#ends.response.shouldKeepAlive)
  }

  /** The client is told to send its body only when somebody wants it. */
  #continue(): void {
    if (this.#ends.expectation === 'continue') this.#ends.response.writeContinue()
  }

  #declaredLength(): number {
    if (this.#length < 0) this.#length = Number(readField(this.#ends.request, 'content-length') ?? 0)
    return this.#length
  }
}

function flaw(status: number, detail: string): Flaw {
  return { status, detail }
}

/** Names and values with what stands between them; the size that Node holds to can only be given to a server when it is made. */
function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, url.length)
}

function hostFlaw(request: IncomingMessage): Flaw | undefined {
  const { rawHeaders } = request
  const index = fieldAt(rawHeaders, 'host', 0)
  if (index < 0) return request.httpVersionMinor === 0 ? undefined : flaw(400, 'The Host header is missing')
  if (fieldAt(rawHeaders, 'host', index + 2) >= 0) return flaw(400, 'The Host header is repeated')
  return isHost(rawHeaders[index + 1] ?? '') ? undefined : flaw(400, 'The Host header is malformed')
}

/** A transfer coding with its parameters (RFC 9112 section 7). */
const CODING =
  /^[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*;[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[^"]*"))*[ \t]*$/
const CHUNKED = /^[ \t]*chunked[ \t]*$/i

/** Framing belongs to `node:http`; what it lets through is refused here (RFC 9112 sections 6.1 and 6.3). */
function encodingFlaw(request: IncomingMessage): Flaw | undefined {
  const encoding = readField(request, 'transfer-encoding')
  if (encoding === undefined) return undefined
  if (request.httpVersionMinor === 0) return flaw(400, 'HTTP/1.0 has no transfer encodings')
  if (encoding.toLowerCase() === 'chunked') return undefined
  return endsInChunked(encoding)
    ? flaw(501, 'Only the transfer encoding "chunked" is known')
    : flaw(400, 'The transfer encoding is malformed, or "chunked" is not the last one')
}

/** Without `chunked` at the end nobody knows where the body ends; with it, a coding before it may be a good one. */
function endsInChunked(encoding: string): boolean {
  const codings = encoding.split(',')
  return codings.every((coding, at) => (at === codings.length - 1 ? CHUNKED : CODING).test(coding))
}
