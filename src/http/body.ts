/** Reading the body of a request from a socket, up to a limit and not slower than bearable. */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../errors/http-error.js'
import { ignore } from '../values/ignore.js'
import { BROKEN, type Connection } from './connection.js'
import type { BodyListener } from './exchange.js'
import { Gathered } from './gathered.js'
import { BodyRate } from './slow-clients.js'

interface BodySource {
  readonly request: IncomingMessage
  readonly connection: Connection
}

export function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`)
}

/** Collects a body whose declared length is within the limit. Where it is larger it stops, and leaves the rest to the answer. */
export function collectBody({ request, connection }: BodySource, limit: number, done: BodyListener): void {
  if (isLost(request, connection)) {
    done(incomplete(), undefined)
    return
  }
  const chunks = new Gathered()
  let isDone = false
  const finish = (error?: HttpError): void => {
    if (isDone) return
    isDone = true
    rate.stop()
    done(error, error === undefined ? chunks.join() : undefined)
  }
  const fail = (error: HttpError): void => {
    connection.isBroken ||= !isDone
    finish(error)
  }
  const rate = new BodyRate(connection.state.bodies, () => fail(tooSlow()))
  const onData = (chunk: Buffer): void => {
    if (isDone) return
    const isSteady = rate.count(chunk.length)
    if (rate.bytes > limit) {
      request.pause()
      finish(tooLarge(limit))
    } else if (isSteady) chunks.add(chunk)
    else fail(tooSlow())
  }
  const onLost = (): void => {
    if (!isDone) fail(incomplete())
  }
  // They stay, because taking them off costs more than a look at `isDone`; and a reset that comes late must not throw.
  request
    .on('data', onData)
    .on('end', finish)
    .on('error', onLost)
    .on('close', onLost)
    .on(BROKEN, () => fail(malformed()))
}

/** Reads a body chunk by chunk, no faster than they are taken. Fails as `collectBody` does. */
export async function* streamBody({ request, connection }: BodySource, limit: number): AsyncIterable<Buffer> {
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
