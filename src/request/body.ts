/** The body of a request: is it of a type that is taken, and what do its bytes mean. */
import { isUtf8 } from 'node:buffer'
import { HttpError } from '../errors/http-error.js'
import { parseJson } from '../http/json-body.js'
import { parseMediaType } from '../http/media-type.js'
import { parseForm } from '../http/query.js'
import { NO_SCOPE } from '../injection/scope.js'
import type { Call } from './call.js'
import { WAITING, type BodyPlan, type Step } from './endpoint.js'

/** The steps that take a body, up to its bytes. `resume` continues the call when they come later. */
export function readBody(plan: BodyPlan, resume: Resume): Step<Call>[] {
  return plan.kind === 'stream' ? [streamBody(plan)] : [collectBody(plan, resume), takeBytes]
}

type Resume = (call: Call, turn: number) => void

/** Gives the handler the body as a stream, which it reads. */
function streamBody(plan: BodyPlan): Step<Call> {
  return (call) => {
    if (call.exchange.hasBody) checkType(call, plan)
    call.input.body = call.exchange.hasBody ? call.exchange.stream(plan.limit) : noChunks()
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}

function collectBody(plan: BodyPlan, resume: Resume): Step<Call> {
  return (call) => {
    if (!call.exchange.hasBody) return undefined
    if (plan.kind !== 'unparsed') checkType(call, plan)
    const { turn } = call
    let isWaiting = false
    call.keepContext()
    call.exchange.collect(plan.limit, (error, bytes) => {
      call.bodyError = error
      call.bytes = bytes ?? null
      if (isWaiting) resume(call, turn)
    })
    isWaiting = call.bytes === null && call.bodyError === undefined
    return isWaiting ? WAITING : undefined
  }
}

function checkType({ exchange }: Call, { takesType, types }: BodyPlan): void {
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

/** The bytes are there, for providers that want them before anything is made of them. */
function takeBytes(call: Call): void {
  if (call.bodyError !== undefined) throw call.bodyError
  if (call.observer !== null) call.observer.body = call.bytes
  if (call.bytes !== null && call.providers !== NO_SCOPE) call.providers.rawBody = call.bytes
}

/** Makes of the bytes what the handler gets. */
export function decodeBody(plan: BodyPlan): Step<Call> | null {
  if (plan.kind === 'stream') return null
  return (call) => {
    const { bytes, input } = call
    input.body = bytes === null ? emptyBody(plan) : decode(call, plan, bytes)
    if (plan.isRaw) input.rawBody = bytes ?? new Uint8Array()
    call.bytes = null
  }
}

/** What stands for no body at all. */
function emptyBody({ kind }: BodyPlan): unknown {
  if (kind === 'text') return ''
  if (kind === 'bytes') return new Uint8Array()
  return kind === 'form' ? {} : undefined
}

function decode(call: Call, { kind, depth }: BodyPlan, bytes: Buffer): unknown {
  if (kind === 'unparsed') return undefined
  if (kind === 'json') return parseJson(bytes, depth)
  if (kind === 'bytes') return bytes
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  return kind === 'form' ? parseForm(text, call.app.limits.keys) : text
}
