/** An exchange over a socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectBody, streamBody, tooLarge } from './body.js'
import type { Answer, BodyListener, Exchange, Flaw, SentListener } from './exchange.js'
import { isHost } from './host.js'
import type { Waiting } from './line.js'
import { clientRecord } from './record.js'
import { sendAnswer, type Ends } from './send.js'

/** The parser of Node also takes `HTTP/0.9` and `HTTP/2.0` on a request line. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1'])

/** Takes one exchange. */
export type Serve = (exchange: Exchange) => void

/** One request and its response, as `node:http` gives them. */
export class NodeExchange implements Exchange, Waiting {
  readonly method: string
  readonly url: string
  readonly response: ServerResponse
  readonly #ends: Ends
  readonly #serve: Serve

  /**
   * @param ends nothing read, nothing written yet
   * @param serve takes the exchange when its turn has come
   */
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
    return this.#ends.request.socket.remoteAddress ?? ''
  }

  get flaw(): Flaw | undefined {
    const { request, line, expectation } = this.#ends
    if (!VERSIONS.has(request.httpVersion)) return flaw(505, 'Only HTTP/1.0 and HTTP/1.1 are spoken here')
    if (expectation === 'unknown') return flaw(417, 'Only the expectation "100-continue" is known')
    const { settings, countsHead } = line.gate
    if (request.rawHeaders.length > 2 * settings.headers) return flaw(431, 'The request has too many headers')
    if (countsHead === true && headBytes(request) > settings.headerBytes) return flaw(431, 'The head is too large')
    return this.#hostFlaw() ?? encodingFlaw(request)
  }

  #hostFlaw(): Flaw | undefined {
    const { httpVersion, headers } = this.#ends.request
    const hosts = this.#count('host')
    if (hosts > 1) return flaw(400, 'The Host header is repeated')
    if (hosts === 0) return httpVersion === '1.0' ? undefined : flaw(400, 'The Host header is missing')
    return isHost(headers.host ?? '') ? undefined : flaw(400, 'The Host header is malformed')
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#ends.request.headers
    return encoding !== undefined || (length !== undefined && Number(length) > 0)
  }

  get contentTypes(): number {
    return this.#count('content-type')
  }

  get aborted(): boolean {
    return this.#ends.response.destroyed && !this.#ends.response.writableFinished
  }

  header(name: string): string | undefined {
    // An ordinary object: it also has what its prototype has, such as `constructor`.
    const value: unknown = this.#ends.request.headers[name]
    if (typeof value === 'string') return value
    return Array.isArray(value) ? value.join(', ') : undefined
  }

  headers(): Record<string, string | undefined> {
    const record = clientRecord<string | undefined>()
    for (const name of Object.keys(this.#ends.request.headers)) record[name] = this.header(name)
    return record
  }

  collect(limit: number, done: BodyListener): void {
    if (Number(this.#ends.request.headers['content-length'] ?? 0) > limit) {
      done(tooLarge(limit), undefined)
      return
    }
    this.#continue()
    collectBody(this.#ends, limit, done)
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (Number(this.#ends.request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
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

  send(answer: Answer, listener: SentListener | null): void {
    sendAnswer(this.#ends, answer, listener)
  }

  /** The client is told to send its body only when somebody wants it. */
  #continue(): void {
    if (this.#ends.expectation === 'continue') this.#ends.response.writeContinue()
  }

  /** `node:http` keeps the first of a repeated field silently; its raw list holds them all. */
  #count(name: string): number {
    const raw = this.#ends.request.rawHeaders
    let count = 0
    for (let index = 0; index < raw.length; index += 2) {
      const found = raw[index]
      if (found !== undefined && found.length === name.length && found.toLowerCase() === name) count++
    }
    return count
  }
}

function flaw(status: number, detail: string): Flaw {
  return { status, detail }
}

/** Names and values with what stands between them; the size that Node holds to can only be given to a server when it is made. */
function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, url.length)
}

/** Framing belongs to `node:http`; what it lets through is refused here (RFC 9112 section 6.1). */
function encodingFlaw({ httpVersion, headers }: IncomingMessage): Flaw | undefined {
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return undefined
  if (httpVersion === '1.0') return flaw(400, 'HTTP/1.0 has no transfer encodings')
  return encoding.toLowerCase() === 'chunked' ? undefined : flaw(501, 'Only the transfer encoding "chunked" is known')
}
