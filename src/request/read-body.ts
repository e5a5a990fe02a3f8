/** Reading a body: is it of a type that is taken, and what its bytes mean. */
import { isUtf8 } from 'node:buffer'
import { HttpError } from '../errors/http-error.js'
import { parseJson } from '../http/json-body.js'
import { parseMediaType } from '../http/media-type.js'
import { parseForm } from '../http/query.js'
import type { BodyPlan, Endpoint } from './endpoint.js'
import { resolveSteps } from './resolve-providers.js'
import type { ServedCall, Step } from './served-call.js'

/** A body that is to be read, and what follows then. */
export interface BodyReading {
  readonly endpoint: Endpoint
  readonly plan: BodyPlan
  readonly next: Step<Endpoint>
}

/** Reads the body of a call into its context and goes on. */
export function readBody(call: ServedCall, reading: BodyReading): void {
  const { endpoint, plan, next } = reading
  if (!call.exchange.hasBody) {
    call.input.body = emptyBody(plan)
    if (plan.isRaw) call.input.rawBody = new Uint8Array()
    withBytes(call, new Uint8Array(), { endpoint, next, value: endpoint })
    return
  }
  if (plan.kind !== 'unparsed') checkType(call, plan)
  if (plan.kind === 'stream') {
    call.input.body = call.exchange.stream(plan.limit)
    next(call, endpoint)
    return
  }
  call.keepContext()
  call.exchange.collect(plan.limit, (error, bytes) => {
    if (bytes === undefined) call.resume(failed, error)
    else call.resume(withTaken, { reading, bytes })
  })
}

function failed(call: ServedCall, error: unknown): void {
  call.fail(error)
}

/** What is to be done once the bytes are there. */
interface WithBytes<V> {
  readonly endpoint: Endpoint
  readonly next: Step<V>
  readonly value: V
}

/** Some providers want the bytes before anything is made of them. */
function withBytes<V>(call: ServedCall, bytes: Uint8Array, { endpoint, next, value }: WithBytes<V>): void {
  if (endpoint.providers === null) {
    next(call, value)
    return
  }
  call.providers.rawBody = bytes
  resolveSteps(call, { steps: endpoint.providers.raw, next, value })
}

/** What stands for no body at all. */
function emptyBody({ kind }: BodyPlan): unknown {
  if (kind === 'text') return ''
  if (kind === 'bytes') return new Uint8Array()
  if (kind === 'form') return {}
  return kind === 'stream' ? noChunks() : undefined
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}

function checkType({ exchange }: ServedCall, { takesType, types }: BodyPlan): void {
  const type = exchange.contentTypes > 1 ? undefined : exchange.header('content-type')
  const media = type === undefined ? undefined : parseMediaType(type)
  if (media === undefined || !takesType(media)) {
    throw new HttpError(415, `Send the body as ${types}`, { headers: { accept: types } })
  }
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpError(415, 'Send the body without a content encoding', { headers: { 'accept-encoding': 'identity' } })
  }
}

interface Taken {
  readonly reading: BodyReading
  readonly bytes: Buffer
}

function withTaken(call: ServedCall, taken: Taken): void {
  if (call.watcher !== null) call.bytes = taken.bytes
  withBytes(call, taken.bytes, { endpoint: taken.reading.endpoint, next: take, value: taken })
}

function take(call: ServedCall, { reading: { endpoint, plan, next }, bytes }: Taken): void {
  call.input.body = decode(call, plan, bytes)
  if (plan.isRaw) call.input.rawBody = bytes
  next(call, endpoint)
}

function decode(call: ServedCall, { kind, depth }: BodyPlan, bytes: Buffer): unknown {
  if (kind === 'unparsed') return undefined
  if (kind === 'json') return parseJson(bytes, depth)
  if (kind === 'bytes') return bytes
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  return kind === 'form' ? parseForm(text, call.core.limits.keys) : text
}
