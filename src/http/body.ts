/** Reading the body of a request from a socket, up to a limit and not slower than bearable. */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../errors/http-error.js'
import { ignore } from '../values/ignore.js'
import { BROKEN, type Connection, type SocketExchange } from './connection.js'
import type { BodyListener } from './exchange.js'
import { Gathered } from './gathered.js'
import { BodyRate } from './slow-clients.js'

export function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`)
}

/** Collects a body whose declared length is within the limit, as a stream brings it. */
export function collectBody(exchange: SocketExchange, limit: number, done: BodyListener): void {
  openBody(exchange, limit, done)?.listen()
}

/** Begins to collect a body; `null` where it can no longer come, which `done` is told. */
export function openBody(
  { request, connection }: SocketExchange,
  limit: number,
  done: BodyListener,
): BodyCollector | null {
  if (!isLost(request, connection)) return new BodyCollector(request, connection, limit, done)
  done(incomplete(), undefined)
  return null
}

/** A body that is collected. Where it turns out to be too large this stops at once; what is still to come is left to the answer. */
export class BodyCollector {
  readonly #request: IncomingMessage
  readonly #connection: Connection
  readonly #limit: number
  readonly #done: BodyListener
  readonly #chunks = new Gathered()
  readonly #rate: BodyRate
  #isDone = false

  constructor(request: IncomingMessage, connection: Connection, limit: number, done: BodyListener) {
    this.#request = request
    this.#connection = connection
    this.#limit = limit
    this.#done = done
    this.#rate = new BodyRate(connection.state.bodies, () => this.#fail(tooSlow()))
  }

  /** Takes the body as a stream brings it. The listeners stay: to take them off costs more, and a late reset must not throw. */
  listen(): void {
    const onLost = (): void => this.#fail(incomplete())
    this.#request
      .on('data', (chunk: Buffer) => this.take(chunk))
      .on('end', () => this.end())
      .on('error', onLost)
      .on('close', onLost)
      .on(BROKEN, () => this.#fail(malformed()))
  }

  take(chunk: Buffer): void {
    if (this.#isDone) return
    const rate = this.#rate
    const isSteady = rate.count(chunk.length)
    if (rate.bytes > this.#limit) {
      this.#request.pause()
      this.#finish(tooLarge(this.#limit), undefined)
    } else if (isSteady) this.#chunks.add(chunk)
    else this.#fail(tooSlow())
  }

  end(): void {
    if (!this.#isDone) this.#finish(undefined, this.#chunks.join())
  }

  #fail(error: HttpError): void {
    if (this.#isDone) return
    this.#connection.isBroken = true
    this.#finish(error, undefined)
  }

  #finish(error: HttpError | undefined, bytes: Buffer | undefined): void {
    this.#isDone = true
    this.#connection.state.bodies.delete(this.#rate)
    this.#done(error, bytes)
  }
}

/** Reads a body chunk by chunk, no faster than they are taken. Fails as `collectBody` does. */
export async function* streamBody({ request, connection }: SocketExchange, limit: number): AsyncIterable<Buffer> {
  let failure: HttpError | undefined
  let wake = ignore
  const fail = (error: HttpError): void => {
    failure ??= error
    connection.isBroken = true
    wake()
  }
  const rate = new BodyRate(connection.state.bodies, () => fail(tooSlow()))
  // A request that was read to its end closes too: what a change means is looked at below.
  const onChange = (): void => wake()
  const onBroken = (): void => fail(malformed())
  // Not by its iterator: that could only be broken off together with the connection, and no answer would leave.
  request.on('readable', onChange).on('end', onChange).on('error', onChange).on('close', onChange).on(BROKEN, onBroken)
  try {
    while (!request.readableEnded) {
      if (failure !== undefined || isLost(request, connection)) throw failure ?? incomplete()
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
    request.off(BROKEN, onBroken)
    request.on('error', ignore)
  }
}

/** Whether its end can no longer come; what happened before anybody asked for the body is told by no event any more. */
function isLost(request: IncomingMessage, connection: Connection): boolean {
  return request.destroyed || (connection.isBroken && !request.complete)
}

function tooSlow(): HttpError {
  return new HttpError(408, 'The body came too slowly')
}

function malformed(): HttpError {
  return new HttpError(400, 'The body is malformed')
}

function incomplete(): HttpError {
  return new HttpError(400, 'The body ended before it was complete')
}
