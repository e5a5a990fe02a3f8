/** Input of the handler: reads, decodes and validates the body and the other sources. */
import { RequestContext } from '../context/request-context.js'
import { frameworkError, type HttpError } from '../errors/http-error.js'
import { buildValidationMembers, VALIDATION_STATUS, type RequestIssue } from '../errors/request-issue.js'
import { parseCookies } from '../http/cookies.js'
import type { BodyListener, Exchange } from '../http/exchange.js'
import { parseMediaType, type MediaType } from '../http/media-type.js'
import { parseQuery } from '../http/target.js'
import { RequestScope } from '../injection/scope.js'
import type { PreparedReader } from '../route/body-reader.js'
import { SOURCES, type Source } from '../route/contract.js'
import { listIssues, type Issues } from '../validation/issues.js'
import type { RawText } from '../validation/text/convert-text.js'
import type { Outcome } from '../validation/validate.js'
import { BareRecord } from '../values/objects.js'
import type { Call, BodyState } from './call.js'
import { similarKeyReporter } from './similar-keys.js'
import { WAITING, type BodyPlan, type EndpointPlan, type Step } from './endpoint.js'

/** Returns the steps that read a body up to its bytes. */
export function readBody({ verb, body: plan }: EndpointPlan): Step<Call>[] | null {
  if (plan === null) return null
  const steps = readingSteps(plan)
  if (verb !== 'query') return steps
  // The body is the query (RFC 10008 section 2), so even a kind whose body can be empty needs one. Its length may only be known at its end.
  const rejectMissing = (call: Call): void => {
    if (!call.exchange.hasBody || call.body?.isEmpty === true) throw missingBody(plan)
  }
  return [rejectMissing, ...steps, rejectMissing]
}

function readingSteps(plan: BodyPlan): Step<Call>[] {
  if (plan.reader !== null) return [destructureBody(plan, plan.reader)]
  return plan.kind === 'stream' ? [streamBody(plan)] : [collectBody(plan), takeBytes]
}

function beginBody(call: Call): BodyState {
  return (call.body = { bytes: null, error: undefined, isEmpty: false, cleanUp: null })
}

function destructureBody(plan: BodyPlan, reader: PreparedReader): Step<Call> {
  return async function destructureBody(call) {
    const { exchange, input } = call
    if (!exchange.hasBody) input.body = await reader.read(null)
    else {
      const body = beginBody(call)
      const media = acceptedMedia(plan, contentType(exchange, plan))
      const rejection = media === null ? unsupportedMediaType(plan) : findCoding(exchange)
      const chunks = await openBody(call, body, plan, rejection)
      const isEmpty = chunks === null || media === null
      const onEnd = (cleanUp: () => Promise<void>): void => void (body.cleanUp = cleanUp)
      input.body = await reader.read(isEmpty ? null : { chunks, media, onEnd })
    }
  }
}

/** Passes the body to the handler as a stream. If its type is not accepted, waits for the first byte, because the body may be empty. */
function streamBody(plan: BodyPlan): Step<Call> {
  const check = mediaTypeCheck(plan)
  return function streamBody(call) {
    const { exchange, input } = call
    const give = (chunks: AsyncIterable<Uint8Array> | null): void => void (input.body = chunks ?? noChunks())
    if (!exchange.hasBody) return give(null)
    const body = beginBody(call)
    const rejection = check(exchange)
    if (rejection === null) return give(exchange.stream(plan.limit))
    return openBody(call, body, plan, rejection).then(give)
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {}

/** Returns `null` if the body is empty. Throws `rejection` immediately if the body cannot be empty, otherwise after the first byte. */
async function openBody(
  { exchange }: Call,
  body: BodyState,
  plan: BodyPlan,
  rejection: HttpError | null,
): Promise<AsyncIterable<Buffer> | null> {
  if (rejection !== null && !exchange.mayBeEmpty && !(await mayBeMissing(exchange, plan))) throw rejection
  const { limit } = plan
  if (rejection === null && exchange.header('content-length') !== undefined) return exchange.stream(limit)
  // A body of the wrong type gets a 415, even if its first chunk is too large.
  const chunks = exchange.stream(rejection === null ? limit : Number.POSITIVE_INFINITY)[Symbol.asyncIterator]()
  const first = await chunks.next()
  body.isEmpty = first.done === true
  if (first.done === true) return null
  if (rejection === null) return firstSource(first, chunks)
  await chunks.return?.()
  throw rejection
}

/**
 * Whether a body without a length, whose client waits for a 100, can be empty: no body must be valid. PHP sends such an empty form for a POST
 * without fields.
 */
async function mayBeMissing(exchange: Exchange, { reader, empty, validate }: BodyPlan): Promise<boolean> {
  if (exchange.header('content-length') !== undefined) return false
  try {
    const outcome = await validate?.(reader === null ? empty() : await reader.read(null))
    return outcome === undefined || outcome.issues === undefined
  } catch {
    return false
  }
}

function firstSource(first: IteratorResult<Buffer>, chunks: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  let isTaken = false
  const next = (): Promise<IteratorResult<Buffer>> => {
    if (isTaken) return chunks.next()
    isTaken = true
    return Promise.resolve(first)
  }
  const end = async (): Promise<IteratorResult<Buffer>> => {
    await chunks.return?.()
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
}

function collectBody(plan: BodyPlan): Step<Call> {
  const check: TypeCheck = plan.kind === 'unparsed' ? () => null : mediaTypeCheck(plan)
  return function collectBody(call) {
    const { exchange, generation } = call
    if (!exchange.hasBody) return undefined
    const rejection = check(exchange)
    // The body is rejected, unless it turns out to be empty.
    if (rejection !== null && !exchange.mayBeEmpty) return openBody(call, beginBody(call), plan, rejection)
    const body = beginBody(call)
    let isWaiting = false
    call.keepContext()
    const done: BodyListener = (error, bytes) => {
      body.error = error
      body.bytes = bytes ?? null
      if (isWaiting) call.resume(generation)
    }
    exchange.collect(plan.limit, done, rejection)
    isWaiting = body.bytes === null && body.error === undefined
    return isWaiting ? WAITING : undefined
  }
}

/** Returns a 415 if the media type or the content coding is not accepted; otherwise `null`. */
type TypeCheck = (exchange: Exchange) => HttpError | null

/** Caches the last accepted type, because most clients send the same one. This saves 3 % of a small POST. */
function mediaTypeCheck(plan: BodyPlan): TypeCheck {
  let acceptedType: string | undefined
  return (exchange) => {
    const type = contentType(exchange, plan)
    if (type !== undefined && type === acceptedType) return findCoding(exchange)
    if (acceptedMedia(plan, type) === null) return unsupportedMediaType(plan)
    const rejection = findCoding(exchange)
    if (rejection === null) acceptedType = type
    return rejection
  }
}

/** `undefined` if the header is missing and the plan has no default, or if it was sent more than once. */
function contentType(exchange: Exchange, { missingType }: BodyPlan): string | undefined {
  return exchange.contentTypes > 1 ? undefined : (exchange.header('content-type') ?? missingType)
}

function acceptedMedia({ acceptsType }: BodyPlan, type: string | undefined): MediaType | null {
  const media = type === undefined ? undefined : parseMediaType(type)
  return media !== undefined && acceptsType(media) ? media : null
}

type BodyTypes = Pick<BodyPlan, 'types' | 'typeHeaders'>

export function unsupportedMediaType({ types, typeHeaders }: BodyTypes): HttpError {
  return frameworkError(415, `Send the body as ${types}`, { headers: typeHeaders })
}

function missingBody({ types, typeHeaders }: BodyTypes): HttpError {
  return frameworkError(400, `This request needs a body. Send it as ${types}`, { headers: typeHeaders })
}

function findCoding(exchange: Exchange): HttpError | null {
  const encoding = exchange.header('content-encoding')
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return null
  return frameworkError(415, 'Send the body without a content encoding', { headers: { 'accept-encoding': 'identity' } })
}

/** Throws the error of the body, if any. */
function takeBytes({ body, observer }: Call): void {
  if (body === null) return
  if (body.error !== undefined) throw body.error
  if (body.bytes?.length === 0) {
    body.isEmpty = true
    body.bytes = null
  }
  if (observer !== null) observer.body = body.bytes
}

export function decodeBody({ body: plan }: EndpointPlan): Step<Call> | null {
  const decode = plan?.decode ?? null
  if (plan === null || decode === null) return null
  const { empty, isRaw } = plan
  return function decodeBody(call) {
    const { body, input } = call
    const bytes = body?.bytes ?? null
    input.body = bytes === null ? empty() : decode(bytes, call.app.limits)
    if (isRaw) input.rawBody = bytes ?? new Uint8Array()
    if (body !== null) body.bytes = null
  }
}

interface Validation {
  readonly source: Source
  readonly target: RequestContext
  readonly outcome: Outcome | Promise<Outcome>
}

/** Returns the step that validates the sources of the contract. */
export function validateInput(plan: EndpointPlan): Step<Call> | null {
  const validate = validateSources(plan)
  const report = validate === null ? null : similarKeyReporter(plan)
  if (validate === null || report === null) return validate
  return function validateInput(call) {
    report(call)
    return validate(call)
  }
}

/** Validates all sources before it throws, so that the client gets all issues in one response. */
export function validateSources({
  sources,
  body,
  path,
}: Pick<EndpointPlan, 'sources' | 'body' | 'path'>): ((call: Call) => Promise<void> | undefined) | null {
  const validateBody = body?.validate ?? null
  if (sources.length === 0 && validateBody === null) return null
  const readers = sources.map((plan) => ({ ...plan, readText: textReader(plan, path) }))
  return function validateSources(call) {
    const validations: Validation[] = []
    for (const { source, text, slot, readText } of readers) {
      const target = slot === null ? call.input : openInput(call, slot)
      const outcome = text.read(readText(call))
      // Avoids an unhandled rejection if the next source throws.
      if (outcome instanceof Promise) outcome.catch(() => {})
      validations.push({ source, target, outcome })
    }
    const { input } = call
    if (validateBody !== null) validations.push({ source: 'body', target: input, outcome: validateBody(input.body) })
    return takeOutcomes(call, validations)
  }
}

/** Returns the scope of the request; creates it on first use. */
export function openScope(call: Call): RequestScope {
  return (call.providers ??= new RequestScope((error, provider) =>
    call.report('error', { err: error, provider, route: call.endpoint?.route }, 'Provider cleanup failed'),
  ))
}

/** Returns the input of a provider; creates it on first use. */
export function openInput(call: Call, slot: number): RequestContext {
  return (openScope(call).inputs[slot] ??= new RequestContext(call))
}

const READ_SOURCE: Readonly<Record<Exclude<Source, 'body'>, (call: Call) => RawText>> = {
  params: ({ params }) => params,
  query: ({ query, app }) => parseQuery(query, app.limits.keys),
  headers: ({ exchange }) => exchange.headers(),
  cookies: ({ exchange }) => parseCookies(exchange.header('cookie')),
}

function textReader({ source, text }: EndpointPlan['sources'][number], path: string): (call: Call) => RawText {
  const names = path.split('/').map((segment) => text.lists.find((name) => segment === `{${name}}`))
  return source === 'params' && names.some(Boolean) ? listReader(names) : READ_SOURCE[source]
}

/**
 * Returns the function that reads path parameters with lists. Items are separated by commas before they are decoded, so that an encoded
 * comma belongs to its item (OpenAPI 3.1.1 section 4.8.12, style `simple`).
 *
 * @param names by segment of the path: the list in it
 */
function listReader(names: readonly (string | undefined)[]): (call: Call) => RawText {
  return ({ params, path }) => {
    const raw = new BareRecord<string | string[]>()
    Object.assign(raw, params)
    for (const [at, segment] of path.split('/').entries()) {
      const name = names[at]
      if (name !== undefined) raw[name] = segment.split(',').map((item) => decodeURIComponent(item))
    }
    return raw
  }
}

type RejectedSource = readonly [source: Source, issues: Issues]

/** Sets the validated values, and throws if there are issues. Returns a promise if a validation is asynchronous. */
function takeOutcomes(call: Call, validations: readonly Validation[]): Promise<void> | undefined {
  let rejected: RejectedSource[] | null = null
  for (const { source, target, outcome } of validations) {
    if (outcome instanceof Promise) {
      const settled = validations.map(async (validation) => ({ ...validation, outcome: await validation.outcome }))
      return Promise.all(settled).then((all) => takeOutcomes(call, all))
    }
    target[source] = outcome.value
    if (outcome.issues !== undefined) (rejected ??= []).push([source, outcome.issues])
  }
  if (rejected === null) return undefined
  if ((call.body === null || call.body.isEmpty) && rejected.some(([source]) => source === 'body')) {
    throw frameworkError(400, 'This request needs a body')
  }
  rejected.sort(([a], [b]) => SOURCES.indexOf(a) - SOURCES.indexOf(b))
  const { list, omitted } = listIssues(rejected, call.app.limits.issues)
  // Proof: each issue has the source with which it was listed.
  const members = buildValidationMembers(list as readonly RequestIssue[], omitted)
  throw frameworkError(VALIDATION_STATUS, 'The request does not follow its schema', { ...members })
}
