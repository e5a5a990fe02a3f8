/** An exchange over a socket. */
import { collectBody, tooLarge } from './body.js'
import type { Answer, BodyListener, Exchange, SentListener } from './exchange.js'
import { isHost } from './host.js'
import { clientRecord } from './record.js'
import { sendAnswer, type Ends } from './send.js'

/** One request and its response, as `node:http` gives them. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly #ends: Ends

  /** @param ends nothing read, nothing written yet */
  constructor(ends: Ends) {
    this.method = ends.request.method ?? ''
    this.url = ends.request.url ?? ''
    this.#ends = ends
  }

  get ip(): string {
    return this.#ends.request.socket.remoteAddress ?? ''
  }

  get flaw(): string | undefined {
    const { httpVersion, headers } = this.#ends.request
    const hosts = this.#count('host')
    if (hosts > 1) return 'The Host header is repeated'
    if (hosts === 0) return httpVersion === '1.0' ? undefined : 'The Host header is missing'
    if (!isHost(headers.host ?? '')) return 'The Host header is malformed'
    const chunked = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined
    return chunked ? 'HTTP/1.0 has no transfer encodings' : undefined
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
    const value = this.#ends.request.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
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
    if (this.#ends.awaitsContinue) this.#ends.response.writeContinue()
    collectBody(this.#ends.request, limit, done)
  }

  onAbort(listener: () => void): void {
    this.#ends.response.once('close', () => {
      if (!this.#ends.response.writableFinished) listener()
    })
  }

  send(answer: Answer, listener: SentListener | null): void {
    sendAnswer(this.#ends, answer, listener)
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
