/** Reading the body of a request from a socket, with a limit for its size and one for its slowness. */
import { frameworkError, type HttpError, type HttpErrorOptions } from '../errors/http-error.js'
import { noop } from '../values/ignore.js'
import type { BodyConsumer, BodyError, SocketExchange, Transport } from './connection.js'
import type { BodyListener } from './exchange.js'
import { ChunkBuffer } from './chunk-buffer.js'
import { BodyRate } from './slow-clients.js'

export function tooLarge(limit: number): HttpError {
  return frameworkError(413, `The body is larger than ${limit} bytes`)
}

type Collect = Transport['collect']

/** Collects a body whose declared length is within the limit, as a stream brings it. */
export const collectBody: Collect = (exchange, limit, done, refusal) => {
  openBodyStream(exchange, limit, done, refusal)?.listen()
}

/** Begins to collect a body; where it can no longer come, tells `done` and returns `null`. */
export function openBodyStream(...[exchange, limit, done, refusal]: Parameters<Collect>): BodyCollector | null {
  if (!isLost(exchange)) return new BodyCollector(exchange, limit, done, refusal)
  done(incomplete(), undefined)
  return null
}

/** Collects a body. It stops at once where the body is too large, and leaves the rest to the answer. */
export class BodyCollector implements BodyConsumer {
  readonly #exchange: SocketExchange
  readonly #limit: number
  readonly #done: BodyListener
  readonly #chunks = new ChunkBuffer()
  readonly #rate: BodyRate
  readonly #refusal: HttpError | null
  #isDone = false

  constructor(...[exchange, limit, done, refusal]: Parameters<Collect>) {
    const { connection } = exchange
    this.#exchange = exchange
    this.#limit = limit
    this.#done = done
    this.#refusal = refusal
    this.#rate = new BodyRate(connection.state.bodies, () => this.#fail(tooSlow))
    connection.bodyReader = this
  }

  /** Takes the body as a stream brings it. The listeners stay: to take them off costs more. */
  listen(): void {
    const { request } = this.#exchange
    // Node counts the stream as read from here on: else it would take the listeners off, which costs 8 % of a small POST.
    request.read(0)
    request.on('data', (chunk: Buffer) => this.take(chunk)).on('end', () => this.end())
  }

  take(chunk: Buffer): void {
    if (this.#isDone) return
    const rate = this.#rate
    const isSteady = rate.count(chunk.length)
    const refusal = this.#refusal ?? (rate.bytes > this.#limit ? tooLarge(this.#limit) : null)
    if (refusal !== null) {
      this.#exchange.request.pause()
      this.#finish(refusal, undefined)
    } else if (isSteady) this.#chunks.add(chunk)
    else this.#fail(tooSlow)
  }

  end(): void {
    if (!this.#isDone) this.#finish(undefined, this.#chunks.join())
  }

  lose(why: BodyError): void {
    this.#fail(LOSSES[why])
  }

  /** The error is made here, because to make one for each connection that closes costs 4 µs. */
  #fail(reason: () => HttpError): void {
    this.#exchange.connection.isBroken = true
    this.#finish(reason(), undefined)
  }

  #finish(error: HttpError | undefined, bytes: Buffer | undefined): void {
    const { connection } = this.#exchange
    this.#isDone = true
    // Where its request was answered before, the next one may have its own.
    if (connection.bodyReader === this) connection.bodyReader = null
    connection.state.bodies.delete(this.#rate)
    this.#done(error, bytes)
  }
}

/** Reads a body chunk by chunk, no faster than they are taken. Fails as `collectBody` does. */
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
  // A request that was read to its end closes too: what a change means is looked at below.
  const onChange = (): void => wake()
  const reader: BodyConsumer = { lose: (why) => fail(LOSSES[why]()) }
  connection.bodyReader = reader
  // Not by its iterator: that could only be broken off together with the connection, and no answer would leave.
  request.on('readable', onChange).on('end', onChange).on('error', onChange).on('close', onChange)
  try {
    while (!request.readableEnded) {
      if (failure !== undefined || isLost(exchange)) throw failure ?? incomplete()
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

/** Whether the end of a body can no longer come. The events of that may be over before anybody asks for the body. */
function isLost({ request, connection }: SocketExchange): boolean {
  return request.destroyed || (connection.isBroken && !request.complete)
}

const LOSSES: Readonly<Record<BodyError, () => HttpError>> = { malformed: bodySyntaxError, incomplete }

function bodySyntaxError(): HttpError {
  return frameworkError(400, 'The body is malformed')
}

function tooSlow(): HttpError {
  return frameworkError(408, 'The body came too slowly')
}

export function incomplete(options?: HttpErrorOptions): HttpError {
  return frameworkError(400, 'The body ended before it was complete', options)
}
