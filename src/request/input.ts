/** The input of a handler: the body, taken and decoded, and all that the client has sent, validated. */
import { isUtf8 } from 'node:buffer'
import { RequestContext } from '../context/request-context.js'
import { frameworkError, type HttpError } from '../errors/http-error.js'
import { parseCookies } from '../http/cookies.js'
import type { Exchange } from '../http/exchange.js'
import { parseJson } from '../http/json-body.js'
import { parseMediaType, type MediaType } from '../http/media-type.js'
import { parseForm, parseQuery } from '../http/query.js'
import { NO_SCOPE } from '../injection/scope.js'
import type { PreparedReader } from '../route/body-reader.js'
import { SOURCES, type Source } from '../route/contract.js'
import { ShownIssues, withCode, type Issue, type Issues } from '../validation/issues.js'
import type { RawText } from '../validation/text/text-source.js'
import type { Outcome } from '../validation/validate.js'
import { ignore } from '../values/ignore.js'
import type { Call, Resume } from './call.js'
import { WAITING, type BodyPlan, type EndpointPlan, type Step } from './endpoint.js'

/** The steps that take a body, up to its bytes. `resume` continues the call when they come later. */
export function readBody(plan: BodyPlan, resume: Resume): Step<Call>[] {
  if (plan.reader !== null) return [takeApart(plan, plan.reader), takeRead]
  return plan.kind === 'stream' ? [streamBody(plan)] : [collectBody(plan, resume), takeBytes]
}

/** Has the body read by what knows its form. */
function takeApart(plan: BodyPlan, reader: PreparedReader): Step<Call> {
  return async (call) => {
    const { exchange } = call
    if (!exchange.hasBody) return reader.read(null)
    const media = takenMedia(plan, sentType(exchange))
    checkEncoding(exchange)
    return reader.read({ chunks: exchange.stream(plan.limit), media, onEnd: (cleanUp) => (call.cleanUp = cleanUp) })
  }
}

function takeRead({ input, value }: Call): void {
  input.body = value
}

/** Gives the handler the body as a stream, which it reads. */
function streamBody(plan: BodyPlan): Step<Call> {
  const checkType = typeCheck(plan)
  return ({ exchange, input }) => {
    if (exchange.hasBody) checkType(exchange)
    input.body = exchange.hasBody ? exchange.stream(plan.limit) : noChunks()
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}

function collectBody(plan: BodyPlan, resume: Resume): Step<Call> {
  const checkType = plan.kind === 'unparsed' ? ignore : typeCheck(plan)
  return (call) => {
    const { exchange, turn } = call
    if (!exchange.hasBody) return undefined
    checkType(exchange)
    let isWaiting = false
    call.keepContext()
    exchange.collect(plan.limit, (error, bytes) => {
      call.bodyError = error
      call.bytes = bytes ?? null
      if (isWaiting) resume(call, turn)
    })
    isWaiting = call.bytes === null && call.bodyError === undefined
    return isWaiting ? WAITING : undefined
  }
}

/** Most clients send the same type, so the last one that was taken is not read again: 3 % of a small POST. */
function typeCheck(plan: BodyPlan): (exchange: Exchange) => void {
  let taken: string | undefined
  return (exchange) => {
    const type = sentType(exchange)
    if (type === undefined || type !== taken) {
      takenMedia(plan, type)
      taken = type
    }
    checkEncoding(exchange)
  }
}

/** `undefined` where it is missing, or was sent more than once. */
function sentType(exchange: Exchange): string | undefined {
  return exchange.contentTypes > 1 ? undefined : exchange.header('content-type')
}

function takenMedia({ takesType, types }: BodyPlan, type: string | undefined): MediaType {
  const media = type === undefined ? undefined : parseMediaType(type)
  if (media !== undefined && takesType(media)) return media
  throw frameworkError(415, `Send the body as ${types}`, { headers: { accept: types } })
}

function checkEncoding(exchange: Exchange): void {
  const encoding = exchange.header('content-encoding')
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw frameworkError(415, 'Send the body without a content encoding', { headers: { 'accept-encoding': 'identity' } })
}

/** Throws why the body could not be collected. Its bytes go to providers that want them before anything is made of them. */
function takeBytes(call: Call): void {
  if (call.bodyError !== undefined) throw call.bodyError
  if (call.observer !== null) call.observer.body = call.bytes
  if (call.bytes !== null && call.providers !== NO_SCOPE) call.providers.rawBody = call.bytes
}

export function decodeBody(plan: BodyPlan): Step<Call> | null {
  if (plan.kind === 'stream' || plan.reader !== null) return null
  return (call) => {
    const { bytes, input } = call
    input.body = bytes === null ? emptyBody(plan) : decode(call, plan, bytes)
    if (plan.isRaw) input.rawBody = bytes ?? new Uint8Array()
    call.bytes = null
  }
}

function emptyBody({ kind }: BodyPlan): unknown {
  if (kind === 'text') return ''
  if (kind === 'bytes') return new Uint8Array()
  return kind === 'form' ? {} : undefined
}

function decode(call: Call, { kind, depth }: BodyPlan, bytes: Buffer): unknown {
  if (kind === 'unparsed') return undefined
  if (kind === 'json') return parseJson(bytes, depth)
  if (kind === 'bytes') return bytes
  if (!isUtf8(bytes)) throw frameworkError(400, 'The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  return kind === 'form' ? parseForm(text, call.app.limits.keys) : text
}

/** Something that was sent, and what its schema says of it. */
interface Validation {
  readonly source: Source
  readonly target: RequestContext
  readonly outcome: Outcome | Promise<Outcome>
}

/** Validates all that was sent, so that a client learns of all its mistakes at once. */
export function validateSources({ sources, body }: Pick<EndpointPlan, 'sources' | 'body'>): Step<Call> | null {
  const validateBody = body?.validate ?? null
  if (sources.length === 0 && validateBody === null) return null
  return (call) => {
    const validations: Validation[] = []
    for (const { source, text, slot } of sources) {
      const target = slot === null ? call.input : inputAt(call, slot)
      const outcome = text.read(rawOf(call, source))
      // Should the next source fail at once, nobody will wait for this one.
      if (outcome instanceof Promise) outcome.catch(() => {})
      validations.push({ source, target, outcome })
    }
    const { input } = call
    if (validateBody !== null) validations.push({ source: 'body', target: input, outcome: validateBody(input.body) })
    return takeOutcomes(call, validations)
  }
}

/** What a provider gets: an input of its own. */
export function inputAt(call: Call, slot: number): RequestContext {
  return (call.providers.inputs[slot] ??= new RequestContext(call))
}

function rawOf(call: Call, source: Exclude<Source, 'body'>): RawText {
  if (source === 'query') return parseQuery(call.query, call.app.limits.keys)
  if (source === 'params') return call.params
  return source === 'headers' ? call.exchange.headers() : parseCookies(call.exchange.header('cookie'))
}

/** Gives the handler what is valid, and refuses the call for what is not; later where a validation is asynchronous. */
function takeOutcomes(call: Call, validations: readonly Validation[]): Promise<void> | undefined {
  let refused: RefusedSource[] | null = null
  for (const { source, target, outcome } of validations) {
    if (outcome instanceof Promise) return acceptLater(call, validations)
    target[source] = outcome.value
    if (outcome.issues !== undefined) (refused ??= []).push([source, outcome.issues])
  }
  if (refused === null) return undefined
  if (!call.exchange.hasBody && refused.some(([source]) => source === 'body')) {
    throw frameworkError(400, 'This request needs a body')
  }
  throw refusal(refused, call.app.limits.issues)
}

async function acceptLater(call: Call, validations: readonly Validation[]): Promise<void> {
  const settled = validations.map(async (validation) => ({ ...validation, outcome: await validation.outcome }))
  void takeOutcomes(call, await Promise.all(settled))
}

type RefusedSource = readonly [source: Source, issues: Issues]

function refusal(refused: readonly RefusedSource[], most: number): HttpError {
  const shown = new ShownIssues<Issue & { readonly in: Source }>(most)
  for (const [source, issues] of refused.toSorted(([a], [b]) => SOURCES.indexOf(a) - SOURCES.indexOf(b))) {
    shown.add(issues, ({ pointer, message, code }) => Object.freeze(withCode({ in: source, pointer, message }, code)))
  }
  const { omitted } = shown
  const errors = Object.freeze(shown.list)
  const members = omitted === 0 ? { errors } : { errors, omitted }
  return frameworkError(422, 'The request does not follow its schema', members)
}
