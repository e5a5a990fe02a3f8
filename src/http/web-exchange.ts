/** An exchange without a socket: a web `Request` in, a web `Response` out (WHATWG Fetch). */
import { HttpError } from '../errors/http-error.js'
import { tooLarge } from './body.js'
import { checkedChunk, type Chunks } from './chunks.js'
import type { Answer, BodyListener, Exchange, SentListener } from './exchange.js'
import { discard, isChunks, type Payload } from './payload.js'
import { BareRecord } from '../values/objects.js'
import { headLines } from './send.js'

export class WebExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly ip: string = ''
  readonly flaw: undefined = undefined
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  #hasLeft = false

  constructor(request: Request, resolve: (response: Response) => void) {
    const { pathname, search } = new URL(request.url)
    this.method = request.method
    this.url = pathname + search
    this.#request = request
    this.#resolve = resolve
  }

  get isSecure(): boolean {
    return this.#request.url.startsWith('https:')
  }

  get hasBody(): boolean {
    return this.#request.body !== null && this.header('content-length') !== '0'
  }

  get contentTypes(): number {
    return this.#request.headers.has('content-type') ? 1 : 0
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

  collect(limit: number, done: BodyListener): void {
    if (Number(this.header('content-length') ?? 0) > limit) done(tooLarge(limit), undefined)
    else
      collectStream(this.#request, limit).then(
        (bytes) => done(undefined, bytes),
        (error: unknown) => done(error, undefined),
      )
  }

  stream(limit: number): AsyncIterable<Buffer> {
    if (Number(this.header('content-length') ?? 0) > limit) throw tooLarge(limit)
    return limited(this.#request, limit)
  }

  onAbort(listener: () => void): void {
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  /** A response is handed over as soon as it is made. */
  onLeft(listener: () => void): void {
    listener()
  }

  send(answer: Answer, listener: SentListener | null): void {
    const { status, payload } = answer
    const headers = webHeaders(answer)
    const reader: Reader = { listener, leave: () => (this.#hasLeft = true) }
    if (this.method === 'HEAD') discard(payload)
    const body = this.method === 'HEAD' ? null : contentOf(payload.data, reader)
    if (!(body instanceof ReadableStream)) listener?.sent(undefined)
    this.#resolve(new Response(body, { status, headers }))
  }

  linesOf(answer: Answer): readonly string[] {
    return [...webHeaders(answer)].flat()
  }
}

/** Whoever reads a response, and who is told of it. */
interface Reader {
  readonly listener: SentListener | null
  /** Called when it stops reading before the end. */
  readonly leave: () => void
}

async function collectStream(request: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of limited(request, limit)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* limited(request: Request, limit: number): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > limit) throw tooLarge(limit)
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError(400, 'The body ended before it was complete', { cause: error })
  }
}

function contentOf(
  data: Payload['data'],
  reader: Reader,
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null {
  if (data === null || typeof data === 'string') return data
  return isChunks(data) ? streamOf(data, reader) : new Uint8Array(data)
}

/** Chunks are taken only as fast as the reader reads. */
function streamOf(chunks: Chunks, { listener, leave }: Reader): ReadableStream<Uint8Array> {
  // A reader that stops while a chunk is awaited ends the source, which may fail of it: all has been told then.
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
        if (done === true) end(() => controller.close())
        else if (!isCancelled) controller.enqueue(toBytes(checkedChunk(value)))
      } catch (error) {
        chunks.cancel()
        end(() => controller.error(error), error)
      }
    },
    cancel() {
      isCancelled = true
      leave()
      chunks.cancel()
      listener?.sent(undefined)
    },
  })
}

function toBytes(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/** The fields of an answer as those of a `Response`. */
function webHeaders(answer: Answer): Headers {
  const headers = new Headers()
  const lines = headLines(answer, false)
  for (let index = 0; index < lines.length; index += 2) {
    const [name = '', value = ''] = lines.slice(index, index + 2)
    if (name === 'set-cookie') headers.append(name, value)
    else headers.set(name, value)
  }
  return headers
}
