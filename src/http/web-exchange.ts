/** An exchange without a socket, from a web `Request` to a web `Response` (WHATWG Fetch). */
import { HttpError } from '../errors/http-error.js'
import { incompleteError, tooLarge } from './body.js'
import { checkedChunk, type Chunks } from './chunks.js'
import type { ResponseMessage, BodyListener, Exchange, SentListener } from './exchange.js'
import { discard, isChunks } from './payload.js'
import { headLines } from './send.js'
import { describeType } from '../values/describe-type.js'
import { noop } from '../values/noop.js'
import { BareRecord } from '../values/objects.js'

export class WebExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly fault: undefined = undefined
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  #hasLeft = false

  constructor(request: Request, resolve: (response: Response) => void, ip = '') {
    const { pathname, search } = new URL(request.url)
    this.ip = ip
    this.method = request.method
    this.url = pathname + search
    this.#request = request
    this.#resolve = resolve
  }

  get mount(): string {
    return ''
  }

  get isSecure(): boolean {
    return this.#request.url.startsWith('https:')
  }

  get host(): string {
    return this.header('host') ?? new URL(this.#request.url).host
  }

  get hasBody(): boolean {
    return this.#request.body !== null && this.header('content-length') !== '0'
  }

  /** Without a length, an empty string cannot be distinguished from another body. */
  get mayBeEmpty(): boolean {
    return this.hasBody
  }

  get contentTypes(): number {
    return Number(this.#request.headers.has('content-type'))
  }

  get aborted(): boolean {
    return this.#request.signal.aborted || this.#hasLeft
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  headers(): Record<string, string | undefined> {
    const record = new BareRecord<string | undefined>()
    for (const [name, value] of this.#request.headers) record[name] = value
    return record
  }

  collect(limit: number, done: BodyListener, rejection: HttpError | null = null): void {
    this.#collected(limit, rejection).then(
      (bytes) => done(undefined, bytes),
      (error: unknown) => done(error, undefined),
    )
  }

  async #collected(limit: number, rejection: HttpError | null): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.stream(rejection === null ? limit : Number.POSITIVE_INFINITY)) {
      if (rejection !== null) throw rejection
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (Number(this.header('content-length') ?? 0) > limit) throw tooLarge(limit)
    return limitStream(this.#request, limit)
  }

  onAbort(listener: () => void): void {
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  /** A response counts as sent as soon as it is created. */
  onLeft(listener: () => void): void {
    listener()
  }

  send(message: ResponseMessage, listener: SentListener | null): void {
    const { status, payload } = message
    let { data } = payload
    if (this.method === 'HEAD') {
      discard(payload)
      data = null
    }
    const content = data instanceof Uint8Array ? new Uint8Array(data) : data
    const body = isChunks(content) ? this.#streamOf(content, listener) : content
    const response = new Response(body, { status, headers: webHeaders(message) })
    if (!isChunks(data)) listener?.sent(undefined)
    this.#resolve(response)
  }

  abandon(message: ResponseMessage): void {
    this.send(message, null)
  }

  /** Reads a chunk only when the reader of the stream requests one. */
  #streamOf(chunks: Chunks, listener: SentListener | null): ReadableStream<Uint8Array> {
    // If the reader cancels during a pending read, the source may fail. The listener has already been called then.
    let isCancelled = false
    const end = (tell: () => void, error?: unknown): void => {
      if (isCancelled) return
      tell()
      listener?.sent(error)
    }
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (done === true) return end(() => controller.close())
          const chunk = checkedChunk(value)
          if (!isCancelled) controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
        } catch (error) {
          chunks.cancel()
          end(() => controller.error(error), error)
        }
      },
      cancel: () => {
        isCancelled = true
        this.#hasLeft = true
        chunks.cancel()
        listener?.sent(undefined)
      },
    })
  }

  linesOf(message: ResponseMessage): readonly string[] {
    return [...webHeaders(message)].flat()
  }
}

async function* limitStream({ body }: Request, limit: number): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  try {
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      if (chunk.byteLength === 0) continue
      size += chunk.byteLength
      if (size > limit) throw tooLarge(limit)
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw incompleteError({ cause: error })
  } finally {
    // Delayed, because Node 26 may still add a chunk of a form body. In an ended stream, this rejects an internal promise.
    setImmediate(() => void body?.cancel().catch(noop))
  }
}

function webHeaders(message: ResponseMessage): Headers {
  const headers = new Headers()
  const lines = headLines(message, false)
  for (let index = 0; index < lines.length; index += 2) {
    const [name = '', value] = lines.slice(index, index + 2)
    // `Headers` would convert the value to a string, whereas Node throws.
    if (typeof value !== 'string')
      throw new TypeError(`Cannot send header "${name}": its value must be a string, not ${describeType(value)}`)
    if (name === 'set-cookie') headers.append(name, value)
    else headers.set(name, value)
  }
  return headers
}
