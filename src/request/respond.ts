/** From what a handler returned to a reply: validated, projected, serialised. */
import { finalReply, FullReply } from '../context/reply.js'
import { isAsyncIterable, openChunks } from '../http/chunks.js'
import { applyChanges, changesOf, NO_FIELDS, overlayFields, type Fields } from '../http/fields.js'
import { jsonPayload, NO_PAYLOAD, payloadOf, PENDING, type Payload } from '../http/payload.js'
import { PHASE } from '../observe/trail.js'
import { ContractBreach } from './contract-breach.js'
import type { CheckedPlan, Endpoint, ReturnPlan, ReturnsPlan } from './endpoint.js'
import { accepted, checked, kindPayload } from './respond-kind.js'
import type { ServedCall } from './served-call.js'

/** Makes the reply of a handler's value and settles the call with it. */
export function respond(call: ServedCall, value: unknown): void {
  const endpoint = call.prepared
  call.trail?.enter(PHASE.serialize)
  if (endpoint !== null && endpoint.returns !== null) respondByContract(call, endpoint.returns, value)
  else if (value instanceof FullReply) respondWith(call, checkFree(value))
  else if (value instanceof Response) respondWith(call, fromWeb(value))
  else respondFreely(call, endpoint?.status, value)
}

function respondFreely(call: ServedCall, declared: number | undefined, value: unknown): void {
  const status = declared ?? (value === undefined ? 204 : 200)
  const payload = payloadOf(value, false)
  if (payload instanceof Promise)
    call.runLater(
      payload.then((made) => finalReply(status, value, made)),
      settle,
    )
  else call.settle(finalReply(status, value, payload))
}

function settle(call: ServedCall, reply: FullReply): void {
  call.settle(reply)
}

/** Everything that is not 2xx or 3xx is a problem, unless a contract declares its status. */
function checkFree(reply: FullReply): FullReply {
  if (reply.status < 400) return reply
  throw new ContractBreach(`status ${reply.status} is not declared. Throw an HttpError, or declare it in "returns"`)
}

function fromWeb(response: Response): FullReply {
  if (response.type === 'error') throw new TypeError('Cannot answer with "Response.error()": it has no status')
  // What `fetch` brings is decoded already, and its connection was another.
  const isFetched = response.type !== 'default'
  const lines = [...response.headers].filter(([name]) => !isFetched || !OF_TRANSFER.has(name))
  const headers = lines.flatMap(([name, value]) => changesOf({ [name]: value }))
  const reply = new FullReply(response.status, response.body, applyChanges(NO_FIELDS, headers))
  if (response.body === null) reply.payload = NO_PAYLOAD
  return reply
}

const OF_TRANSFER: ReadonlySet<string> = new Set([
  ...['content-encoding', 'content-length', 'transfer-encoding'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'],
])

function respondWith(call: ServedCall, reply: FullReply): void {
  const final = finalize(reply)
  if (final instanceof Promise) call.runLater(final, settle)
  else call.settle(final)
}

/**
 * Serialises a reply that is only its author's word so far. Returns the reply with what is written for it; later when
 * the first chunk of a stream is awaited.
 */
export function finalize(reply: FullReply): FullReply | Promise<FullReply> {
  const { body, headers } = reply
  const payload = reply.payload === PENDING ? payloadOf(body, headers.has('content-type')) : reply.payload
  if (payload instanceof Promise) return payload.then((made) => reply.finished(body, made))
  return reply.finished(body, payload)
}

function respondByContract(call: ServedCall, returns: ReturnsPlan, value: unknown): void {
  const reply = value instanceof FullReply ? value : bareReply(returns, call.prepared, value)
  const plan = returns.isRecord ? returns.byStatus.get(reply.status) : returns.single
  if (plan === undefined) {
    const declared = [...returns.byStatus.keys()].join(', ')
    throw new ContractBreach(`status ${reply.status} is not declared. Declared are ${declared}`)
  }
  if (!returns.isRecord) checkFree(reply)
  if (plan.kind === 'none') call.settle(withoutBody(reply))
  else if (plan.kind === 'json') validateBody(call, plan, reply)
  else settleKind(call, plan, reply)
}

/** A handler that returns the value alone takes the contract's status. */
function bareReply(returns: ReturnsPlan, endpoint: Endpoint | null, body: unknown): FullReply {
  if (returns.isRecord) throw new ContractBreach('a bare value was returned. Answer with "reply(status, body)"')
  const status = endpoint?.status ?? (returns.single.kind === 'none' ? 204 : 200)
  return new FullReply(status, body, NO_FIELDS)
}

function withoutBody(reply: FullReply): FullReply {
  if (reply.body !== undefined && reply.body !== null)
    throw new ContractBreach('a body was returned where none is declared')
  return reply.finished(null, NO_PAYLOAD)
}

function validateBody(call: ServedCall, plan: CheckedPlan, reply: FullReply): void {
  if (reply.body === undefined) throw new ContractBreach('nothing was returned')
  refuseForeign(reply.body)
  const { body } = reply
  const outcome = checked(call, plan, body)
  if (outcome === null) call.settle(projected(plan, reply, body))
  else if (outcome instanceof Promise) {
    call.runLater(outcome, (_, made) => call.settle(projected(plan, reply, accepted(call, made, body))))
  } else call.settle(projected(plan, reply, accepted(call, outcome, body)))
}

/** A schema may let anything pass; what has a way of its own to the wire still is no JSON. */
function refuseForeign(body: unknown): void {
  // Nearly all are plain, and to ask them whose instances they are costs 0.1 µs.
  if (typeof body !== 'object' || body === null || isPlain(body)) return
  if (body instanceof Response) {
    throw new ContractBreach('a web response was returned where "returns" names a schema')
  }
  if (!isAsyncIterable(body)) return
  openChunks(body).cancel()
  throw new ContractBreach('a stream was returned where "returns" names a schema')
}

function isPlain(body: object): boolean {
  return Array.isArray(body) || (Object.getPrototypeOf(body) === Object.prototype && !(Symbol.asyncIterator in body))
}

function settleKind(call: ServedCall, plan: ReturnPlan, reply: FullReply): void {
  const payload = kindPayload(call, plan, reply.body)
  const finish = (made: Payload): FullReply => {
    const final = reply.finished(reply.body, made)
    return plan.kind === 'events' ? final.withFields(overlayFields(eventFields(call), final.headers)) : final
  }
  if (payload instanceof Promise) call.runLater(payload.then(finish), settle)
  else call.settle(finish(payload))
}

/** An event stream that a cache or a proxy keeps back is none. */
const EVENT_FIELDS: Fields = new Map([
  ['cache-control', 'no-store'],
  ['x-accel-buffering', 'no'],
])

/** Those of which nobody has said anything through `response`. */
function eventFields({ changes }: ServedCall): Fields {
  if (changes === null) return EVENT_FIELDS
  const named = new Set(changes.map(({ name }) => name))
  return new Map([...EVENT_FIELDS].filter(([name]) => !named.has(name)))
}

function projected({ project }: ReturnPlan, reply: FullReply, value: unknown): FullReply {
  const body = project === null ? value : project(value)
  return reply.finished(body, jsonPayload(body))
}
