/** Calls the method and turns its return value into a reply: validates, projects and serializes it. */
import { FullReply, serializedReply } from '../context/reply.js'
import { isAsyncIterable, openChunks, peekFirst, type OpenChunks } from '../http/chunks.js'
import { encodeEvent, EventChunks, type EventFields, type EventSource } from '../http/event-stream.js'
import { applyChanges, NO_FIELDS, overlayFields, type HeaderMap } from '../http/fields.js'
import {
  discard,
  isChunks,
  jsonPayload,
  toJson,
  DEFERRED,
  DeferredBody,
  NO_PAYLOAD,
  toPayload,
  UNSENT,
  UNSERIALIZED,
  type Payload,
} from '../http/payload.js'
import { essenceMatcher } from '../http/media-type.js'
import { serverClosing } from '../http/exchange.js'
import { isWebResponse, readWebResponse, type WebResponse } from '../http/web-response.js'
import type { StringSource } from '../validation/text/string-source.js'
import { isThenable } from '../values/objects.js'
import { thenSync } from '../values/promises.js'
import type { Call } from './call.js'
import { countRunning, endAbandoned, reportLate, startTimer } from './late.js'
import {
  checkReply,
  checkMediaType,
  checkResponseHeaders,
  ContractViolation,
  rejectPromises,
} from './check-response.js'
import type { ReplyPlan, CheckedPlan, EndpointPlan, Step } from './endpoint.js'
import { eventReply } from './event-reply.js'
import { failureBody } from './failure.js'

type MadeReply = FullReply | Promise<FullReply>
type BuildReply = (call: Call, status: number, body: unknown, headers: HeaderMap) => MadeReply

/** How an endpoint turns return values into replies. */
interface ReplyMaker {
  /** Status of a value that is not a reply; 0 if it depends on the value. */
  readonly status: number
  readonly fromValue: BuildReply
  readonly fromReply: (call: Call, reply: FullReply) => MadeReply
}

export function callMethod(endpoint: EndpointPlan): Step<Call> {
  const { create, handler, wrapper, timeout } = endpoint
  return function callMethod(call) {
    if (timeout > 0) startTimer(call, timeout)
    const { input, observer } = call
    const instance = observer === null ? new create() : observer.create(create)
    const result =
      wrapper === null
        ? handler.call(instance, input)
        : wrapper(input, () => countRunning(call, handler.call(instance, input)))
    if (isThenable(result)) return result
    call.result = result
    return undefined
  }
}

export function respond(endpoint: EndpointPlan): Step<Call> {
  const { status, fromValue, fromReply } = buildReplyMaker(endpoint)
  return function respond(call) {
    const { result } = call
    const reply = result instanceof FullReply ? fromReply(call, result) : fromValue(call, status, result, NO_FIELDS)
    if (reply instanceof Promise) return keepInTime(call, reply)
    const { data } = reply.payload
    if (isChunks(data)) call.stream = data
    call.reply = reply
    return undefined
  }
}

async function keepInTime(call: Call, promise: Promise<FullReply>): Promise<void> {
  const { generation } = call
  const reply = await promise
  if (generation !== call.generation) return discardLateReply(call, reply)
  const { data } = reply.payload
  if (isChunks(data)) call.stream = data
  call.reply = reply
}

/** Handles a late result. A late return value of the method becomes a reply, which is discarded so that its streams end. */
export function tooLate(call: Call, generation: number, value: unknown, isResult: boolean): void {
  const { endpoint } = call
  if (!isResult || endpoint === null) return endAbandoned(call, generation)
  const { status, fromValue, fromReply } = buildReplyMaker(endpoint)
  new Promise<FullReply>((resolve) =>
    resolve(value instanceof FullReply ? fromReply(call, value) : fromValue(call, status, value, NO_FIELDS)),
  )
    .then((reply) => discardLateReply(call, reply))
    .catch((error: unknown) => reportLate(call, error))
    .then(() => endAbandoned(call, generation))
}

/** Discards a late reply. If it is a stream, the promise resolves when its generator has stopped. */
async function discardLateReply(call: Call, { status, payload }: FullReply): Promise<void> {
  call.report('warn', { status }, 'Late response discarded')
  discard(payload)
  if (isChunks(payload.data)) await payload.data.ended
}

/** Returns the functions that create replies: without a schema, with one schema, or with a schema for each status. */
function buildReplyMaker({ response, status }: EndpointPlan): ReplyMaker {
  if (response === null) return { status: status ?? 0, fromValue: freeReply, fromReply: serializeReply }
  if (!('kind' in response)) return recordReply(response)
  const fromValue = plannedReply(response)
  const fromReply = (call: Call, reply: FullReply): MadeReply => {
    const allowedReply = checkFree(call, reply)
    return fromValue(call, allowedReply.status, allowedReply.body, allowedReply.headers)
  }
  return { status: status ?? (response.kind === 'none' ? 204 : 200), fromValue, fromReply }
}

function freeReply(call: Call, status: number, value: unknown): MadeReply {
  if (isWebResponse(value)) return serialize(fromWeb(value, call.exchange.method), call)
  rejectPromises(call, value)
  return serialize(new FullReply(status || (value === undefined ? 204 : 200), value, NO_FIELDS), call)
}

function serializeReply(call: Call, reply: FullReply): MadeReply {
  rejectPromises(call, reply.body)
  return serialize(checkFree(call, reply), call)
}

const DECLARE = 'Throw an HttpError, or declare it in "returns"'

/** Throws if the status is 400 or higher, because errors must be thrown unless the contract declares their status. */
function checkFree(call: Call, reply: FullReply): FullReply {
  if (reply.status < 400) return reply
  rejectPromises(call, reply.body)
  throw new ContractViolation(call, `status ${reply.status} is not declared. ${DECLARE}`)
}

function recordReply(byStatus: ReadonlyMap<number, ReplyPlan>): ReplyMaker {
  const makers = new Map([...byStatus].map(([status, plan]) => [status, plannedReply(plan)]))
  const fromValue = (call: Call): never => {
    throw new ContractViolation(call, 'a value without a status was returned. Return "reply(status, body)"')
  }
  const fromReply = (call: Call, { status, body, headers }: FullReply): MadeReply => {
    const make = makers.get(status)
    if (make !== undefined) return make(call, status, body, headers)
    const declared = [...makers.keys()].join(', ')
    throw new ContractViolation(call, `status ${status} is not one of the declared statuses ${declared}. ${DECLARE}`)
  }
  return { status: 0, fromValue, fromReply }
}

function plannedReply(plan: ReplyPlan): BuildReply {
  if (plan.headers !== null) return headedReply(plan.headers, plannedReply({ ...plan, headers: null }))
  if (plan.kind === 'json') return jsonReply(plan)
  if (plan.schema === null && plan.types !== null) return typedReply(plan.types, plannedReply({ ...plan, types: null }))
  return plan.kind === 'none' ? emptyReply : kindReply(plan)
}

/** Validates declared headers, whether they are part of the reply or were set through `response` before. */
function headedReply(described: StringSource, make: BuildReply): BuildReply {
  return (call, status, body, headers) => {
    const fullReply = make(call, status, body, headers)
    const check = (reply: FullReply): MadeReply => {
      const fields = call.changes === null ? headers : overlayFields(applyChanges(NO_FIELDS, call.changes), headers)
      return checkResponseHeaders(call, described, fields, reply)
    }
    return thenSync(fullReply, check)
  }
}

/** Compares the media type with the declared ones. */
function typedReply(types: readonly string[], make: BuildReply): BuildReply {
  const accepts = essenceMatcher(types)
  return (call, status, body, headers) =>
    thenSync(make(call, status, body, headers), (reply) => checkMediaType(call, reply, types, accepts))
}

function emptyReply(call: Call, status: number, body: unknown, headers: HeaderMap): FullReply {
  if (body !== undefined && body !== null) {
    rejectPromises(call, body)
    throw new ContractViolation(
      call,
      'a body was returned, but "returns" declares none. Return nothing, or declare a schema',
    )
  }
  return serializedReply(status, null, NO_PAYLOAD, headers)
}

function jsonReply(plan: CheckedPlan): BuildReply {
  return (call, status, body, headers) => {
    if (body === undefined)
      throw new ContractViolation(call, 'nothing was returned. Return a value, or declare "returns: null"')
    // Most bodies are plain, and the checks in `rejectForeign` cost 0.1 µs.
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      const isPlain = Object.getPrototypeOf(body) === Object.prototype && !(Symbol.asyncIterator in body)
      if (!isPlain) rejectForeign(call, body)
    }
    // Without validation, a Date can be anywhere.
    const mayContainDate = plan.mayContainDate || !call.app.validateResponses
    const data = checkReply(call, plan, body)
    if (!(data instanceof Promise))
      return serializedReply(status, data, jsonPayload(data, undefined, mayContainDate), headers)
    return data.then((made) => serializedReply(status, made, jsonPayload(made, undefined, mayContainDate), headers))
  }
}

/** Throws for a web response or a stream, which a permissive schema would accept. */
function rejectForeign(call: Call, body: unknown): void {
  if (isWebResponse(body)) {
    throw new ContractViolation(call, 'a web Response was returned, but "returns" is a schema. Return a value')
  }
  if (!isAsyncIterable(body)) return
  openChunks(body).cancel()
  throw new ContractViolation(call, 'a stream was returned, but "returns" is a schema. Declare "stream()" instead')
}

function fromWeb(response: WebResponse, method: string): FullReply {
  const { status, headers, body } = readWebResponse(response)
  const reply = new FullReply(status, body, headers)
  if (body === null) reply.payload = method === 'HEAD' ? UNSENT : NO_PAYLOAD
  return reply
}

/** Serializes a reply. Returns a promise if it opens a file, or waits for the first chunk of a stream. */
export function serialize(reply: FullReply, call: Call): MadeReply {
  const { status, body, headers, payload } = reply
  if (payload === DEFERRED && body instanceof DeferredBody) return openedReply(body, reply, call)
  const finalPayload = payload === UNSERIALIZED ? toPayload(body, headers.get('content-type')) : payload
  if (finalPayload instanceof Promise)
    return finalPayload.then((ready) => serializedReply(status, body, ready, headers))
  return serializedReply(status, body, finalPayload, headers)
}

async function openedReply(
  body: DeferredBody,
  { status, headers }: Pick<FullReply, 'status' | 'headers'>,
  { exchange, readsCredentials }: Call,
): Promise<FullReply> {
  const openedBody = await body.open(exchange, readsCredentials)
  return serializedReply(status, body, openedBody.payload, overlayFields(openedBody.headers, headers))
}

function kindReply(plan: ReplyPlan): BuildReply {
  return (call, status, body, headers) => {
    const isFile = (plan.kind === 'stream' || plan.kind === 'file') && body instanceof DeferredBody
    if (isFile) return openedReply(body, { status, headers }, call)
    const payload = createKindPayload(call, plan, body)
    if (plan.schema !== null) return thenSync(payload, (ready) => eventReply(call, status, ready, headers))
    return thenSync(payload, (ready) => serializedReply(status, body, ready, headers))
  }
}

/** Waits for the first chunk, or with events for one turn of the event loop, so that an immediate error becomes a problem. */
function createKindPayload(call: Call, plan: ReplyPlan, body: unknown): Payload | Promise<Payload> {
  const { kind, type } = plan
  if (kind === 'text' && typeof body === 'string') return { type, data: body }
  if (kind === 'bytes' && body instanceof Uint8Array) return { type, data: body }
  if (!isAsyncIterable(body)) {
    rejectPromises(call, body)
    throw kindViolation(call, kind, 'the returned value')
  }
  const chunks = openChunks(body)
  if (plan.schema !== null && plan.write) return plan.write(chunks, (item) => checkReply(call, plan, item), call)
  if (plan.kind === 'events') return new CheckedEvents(call, plan, chunks).begin()
  if (kind === 'stream') return peekFirst(chunks).then(({ all }) => ({ type, data: all }))
  chunks.cancel()
  throw kindViolation(call, kind, 'a stream')
}

function kindViolation(call: Call, kind: ReplyPlan['kind'], what: string): ContractViolation {
  const fix = kind === 'file' ? 'Return "sendFile(…)"' : 'Return a value of this kind'
  return new ContractViolation(call, `"${kind}()" does not accept ${what}. ${fix}, or declare another kind`)
}

/** The events of a call. One object instead of a closure for each function, because it exists as long as its stream. */
class CheckedEvents implements EventSource {
  readonly heartbeat: number
  readonly #chunks: EventChunks
  readonly #call: Call
  readonly #plan: CheckedPlan

  constructor(call: Call, plan: CheckedPlan, source: OpenChunks) {
    this.heartbeat = plan.heartbeat
    this.#call = call
    this.#plan = plan
    this.#chunks = new EventChunks(source, this)
  }

  async begin(): Promise<Payload> {
    this.#call.app.openStreams.add(this.#end)
    await this.#chunks.begin()
    return { type: this.#plan.type, data: this.#chunks }
  }

  encode(event: unknown): string | Promise<string> {
    const call = this.#call
    if (typeof event !== 'object' || event === null || !('data' in event)) {
      rejectPromises(call, event)
      throw new ContractViolation(call, 'an event has no "data". Yield "{ data }"')
    }
    if ('event' in event && event.event === this.#plan.errorEvent) {
      const state = `the event "${event.event}" reports a failure. Throw an error instead, or set "errorEvent" of events() to another name`
      throw new ContractViolation(call, state)
    }
    const data = checkReply(call, this.#plan, event.data)
    if (data instanceof Promise) return data.then((checked) => writeEvent(call, event, checked))
    return writeEvent(call, event, data)
  }

  fail(error: unknown): string | Promise<string> | null {
    const call = this.#call
    if (call.exchange.aborted) return null
    call.sendError = error ?? new Error('Nothing was thrown')
    call.reportError(error, 'Response interrupted')
    return thenSync(failureBody(call, error), (body) => writeEvent(call, { event: this.#plan.errorEvent }, body))
  }

  ended(): void {
    this.#call.app.openStreams.delete(this.#end)
  }

  /** Ends the stream cleanly because the server is closing. The client will reconnect. */
  readonly #end = (): void => {
    this.#call.abort(serverClosing())
    this.#chunks.cancel()
  }
}

function writeEvent(call: Call, event: object, data: unknown): string {
  const text = toJson(data, true)
  if (text === undefined)
    throw new ContractViolation(call, 'JSON cannot represent the "data" of an event. Yield a JSON value')
  // Proof: `encodeEvent` checks the fields, and gets the data separately. A copy has only the own properties.
  return encodeEvent((Object.getPrototypeOf(event) === Object.prototype ? event : { ...event }) as EventFields, text)
}
