/** Reads request bodies from a socket, with a maximum size, a minimum rate and little memory overhead. */
import { frameworkError, type HttpError, type HttpErrorOptions } from '../errors/http-error.js'
import { noop } from '../values/noop.js'
import type { BodyConsumer, BodyError, SocketExchange, Transport } from './connection.js'
import type { BodyListener } from './exchange.js'
import { BodyRate } from './slow-clients.js'
import type { IncomingMessage } from 'node:http'

export function tooLarge(limit: number): HttpError {
  return frameworkError(413, `The body is larger than ${limit} bytes`)
}

type Collect = Transport['collect']

/** Collects a body with Node's stream API. */
export const collectBody: Collect = (exchange, limit, done, rejection) => {
  new BodyCollector(exchange, limit, done, rejection).listen()
}

/** Collects a body. Stops as soon as the body exceeds the limit. The rest is dropped when the response is sent. */
export class BodyCollector implements BodyConsumer {
  readonly #exchange: SocketExchange
  readonly #limit: number
  readonly #done: BodyListener
  readonly #chunks = new ChunkBuffer()
  readonly #rate: BodyRate
  readonly #rejection: HttpError | null
  #isDone = false

  constructor(...[exchange, limit, done, rejection]: Parameters<Collect>) {
    const { connection } = exchange
    this.#exchange = exchange
    this.#limit = limit
    this.#done = done
    this.#rejection = rejection
    this.#rate = new BodyRate(connection.state.bodies, () => this.#fail(tooSlow))
    connection.bodyReader = this
  }

  /** Reads the body from Node's stream. The listeners are never removed, because removing them costs more. */
  listen(): void {
    const { request } = this.#exchange
    // Marks the stream as read. Otherwise Node would remove the listeners, which costs 8 % of a small POST.
    request.read(0)
    request.on('data', (chunk: Buffer) => this.take(chunk)).on('end', () => this.end())
  }

  take(chunk: Buffer): void {
    if (this.#isDone) return
    const rate = this.#rate
    const isSteady = rate.count(chunk.length)
    const rejection = this.#rejection ?? (rate.bytes > this.#limit ? tooLarge(this.#limit) : null)
    if (rejection !== null) {
      this.#exchange.request.pause()
      this.#finish(rejection, undefined)
    } else if (isSteady) this.#chunks.add(chunk)
    else this.#fail(tooSlow)
  }

  end(): void {
    if (!this.#isDone) this.#finish(undefined, this.#chunks.join())
  }

  lose(why: BodyError): void {
    this.#fail(BODY_ERRORS[why])
  }

  /** Creates the error only here, because creating one for each closed connection would cost 4 µs. */
  #fail(reason: () => HttpError): void {
    this.#exchange.connection.isBroken = true
    this.#finish(reason(), undefined)
  }

  #finish(error: HttpError | undefined, bytes: Buffer | undefined): void {
    const { connection } = this.#exchange
    this.#isDone = true
    // If the response was sent early, the connection may already have the reader of the next request.
    if (connection.bodyReader === this) connection.bodyReader = null
    connection.state.bodies.delete(this.#rate)
    this.#done(error, bytes)
  }
}

/** Yields the body in chunks, with back-pressure. Throws the same errors that `collectBody` reports. */
export async function* createBodyStream(exchange: SocketExchange, limit: number): AsyncIterable<Buffer> {
  const { request, response, connection, expectation } = exchange
  if (expectation === 'continue') response.writeContinue()
  let failure: HttpError | undefined
  let wake = noop
  const fail = (error: HttpError): void => {
    failure ??= error
    connection.isBroken = true
    wake()
  }
  const rate = new BodyRate(connection.state.bodies, () => fail(tooSlow()))
  // `close` is also emitted after a complete body, so the loop below checks the state after every event.
  const onChange = (): void => wake()
  const reader: BodyConsumer = { lose: (why) => fail(BODY_ERRORS[why]()) }
  connection.bodyReader = reader
  // Does not iterate over the request, because stopping its iterator early would destroy the connection before the response is sent.
  request.on('readable', onChange).on('end', onChange).on('error', onChange).on('close', onChange)
  try {
    while (!request.readableEnded) {
      if (failure !== undefined || isLost(exchange)) throw failure ?? incompleteError()
      const chunk: Buffer | null = request.read()
      if (chunk === null) {
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      if (!rate.count(chunk.length)) throw tooSlow()
      if (rate.bytes > limit) throw tooLarge(limit)
      rate.stop()
      yield chunk
      rate.resume()
    }
  } finally {
    rate.stop()
    request.off('readable', onChange).off('end', onChange).off('error', onChange).off('close', onChange)
    if (connection.bodyReader === reader) connection.bodyReader = null
    request.on('error', noop)
  }
}

/** Whether the rest of the body can no longer arrive. The events for this may have been emitted before the body is read. */
export function isLost({ request, connection }: SocketExchange): boolean {
  return request.destroyed || (connection.isBroken && !request.complete)
}

const BODY_ERRORS: Readonly<Record<BodyError, () => HttpError>> = {
  malformed: bodySyntaxError,
  incomplete: incompleteError,
}

function bodySyntaxError(): HttpError {
  return frameworkError(400, 'The body is malformed')
}

function tooSlow(): HttpError {
  return frameworkError(408, 'The body arrived too slowly')
}

export function incompleteError(options?: HttpErrorOptions): HttpError {
  return frameworkError(400, 'The body ended before it was complete', options)
}

/** Chunks of at least this size, in bytes, are stored without copying. */
const LARGE = 1024
/** Maximum size of a block of small chunks, in bytes. */
const BLOCK = 64 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Copies small chunks into blocks that grow with the body, because a stored chunk of one byte takes 190 bytes. */
export class ChunkBuffer {
  size: number = 0
  /** The last chunk, which is not copied until the next one arrives. So a body of one chunk is never copied. */
  #last: Buffer = NO_BYTES
  readonly #parts: Buffer[] = []
  #block: Buffer = NO_BYTES
  #from = 0
  #used = 0

  add(chunk: Buffer): void {
    if (this.size > 0) this.#append(this.#last)
    this.#last = chunk
    this.size += chunk.length
  }

  join(): Buffer {
    if (this.#last.length === this.size) return this.#last
    this.#append(this.#last)
    this.#cut()
    return Buffer.concat(this.#parts, this.size)
  }

  #append(chunk: Buffer): void {
    if (chunk.length >= LARGE) {
      this.#cut()
      this.#parts.push(chunk)
      return
    }
    const copied = chunk.copy(this.#block, this.#used)
    this.#used += copied
    if (copied === chunk.length) return
    this.#cut()
    this.#block = Buffer.allocUnsafeSlow(Math.min(BLOCK, Math.max(LARGE, this.size)))
    this.#from = 0
    this.#used = chunk.copy(this.#block, 0, copied)
  }

  /** Turns the bytes copied since the last cut into a part. */
  #cut(): void {
    if (this.#used > this.#from) this.#parts.push(this.#block.subarray(this.#from, this.#used))
    this.#from = this.#used
  }
}

/**
 * Merges the chunks that Node parses in one read, because a packet can contain ten thousand HTTP chunks of one byte.
 *
 * @see docs/decisions/0011-chunks-joined.md
 */
export function joinChunks(request: IncomingMessage): void {
  const { push } = request
  let joinedBuffer: ChunkBuffer | null = null
  const handOn = (): void => {
    if (joinedBuffer === null) return
    const bytes = joinedBuffer.join()
    joinedBuffer = null
    push.call(request, bytes)
  }
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!Buffer.isBuffer(chunk)) {
      handOn()
      return push.call(request, chunk, encoding)
    }
    if (joinedBuffer === null) {
      joinedBuffer = new ChunkBuffer()
      // `process.nextTick` would run too early, because Node runs ticks after each call from its native parser, so after each chunk.
      setImmediate(handOn)
    }
    joinedBuffer.add(chunk)
    return request.readableLength + joinedBuffer.size < request.readableHighWaterMark
  }
}
