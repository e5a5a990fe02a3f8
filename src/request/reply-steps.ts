/** Steps that finalize the reply, send it, and run after the response. */
import { serializedReply, type FullReply } from '../context/reply.js'
import { clientGone, type ResponseMessage, type SentListener } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, overlayFields } from '../http/fields.js'
import { discard, isChunks, EMPTY_STATUSES, NO_PAYLOAD } from '../http/payload.js'
import type { Call } from './call.js'
import { WAITING } from './endpoint.js'
import { endEventsWithApp } from './event-reply.js'
import { failureReply, plainFailure } from './failure.js'
import { withFrameworkHeaders } from './framework-headers.js'
import { untilStreamEnds } from './late.js'
import { endAfterResponse, noteSendFailure } from './providers.js'

/** Sets the final reply. If the endpoint failed, drops its header changes, and keeps the changes made by middleware and guards. */
export function decideReply(call: Call): Promise<void> | undefined {
  call.stage = 'replied'
  const failure = call.providers?.failure ?? call.failure
  if (failure === null) return undefined
  call.stream?.cancel()
  if (call.changes !== null) call.changes = call.changes.filter(({ survives }) => survives)
  call.tasks = null
  const reply = failureReply(call, failure.error)
  if (!(reply instanceof Promise)) {
    call.reply = reply
    return undefined
  }
  const { generation } = call
  return reply.then((made) => void (generation === call.generation && (call.reply = made)))
}

/** Merges header changes into the reply, so that middleware sees them. Merges later changes by middleware before sending. */
export function mergeHeaderChanges(call: Call): void {
  const { reply, changes } = call
  if (changes !== null) mergeNewChanges(call, reply, changes)
  if (isChunks(reply.payload.data)) endEventsWithApp(call)
}

function mergeNewChanges(call: Call, reply: FullReply, changes: NonNullable<Call['changes']>): void {
  const newChanges = changes.filter(({ isMerged }) => !isMerged)
  if (newChanges.length === 0) return
  call.reply = reply.withFields(overlayFields(applyChanges(NO_FIELDS, newChanges), reply.headers))
  // The others can no longer be applied again.
  call.changes = changes.filter(({ survives }) => survives)
  for (const change of call.changes) change.isMerged = true
}

export function addRequestId(call: Call): void {
  const { reply, id } = call
  call.reply = reply.withFields(overlayFields(reply.headers, new Map([['x-request-id', id]])))
}

/** Sends the reply, and waits until it is sent if there is something to do after that. */
export function send(call: Call): typeof WAITING | undefined {
  call.stage = 'sending'
  const { reply, observer, exchange, pathMatch } = call
  observer?.stopWatch()
  const full = EMPTY_STATUSES.has(reply.status) ? dropBody(reply) : reply
  const own = pathMatch !== null && pathMatch.entry.hasFrameworkHeaders ? withFrameworkHeaders(call, full) : full
  const message = call.endpoint?.credentialHeaders?.add(call, own) ?? own
  const listener = isAwaited(call, message) ? new SentWait(call) : null
  if (observer === null) exchange.send(message, listener)
  else observer.send(message, listener)
  call.stage = 'sent'
  return listener === null || listener.hasLeft ? undefined : WAITING
}

/** Continues a request after its response is sent. One object instead of a closure for each step, because it exists as long as its stream. */
class SentWait implements SentListener {
  hasLeft: boolean = false
  readonly #call: Call
  readonly #generation: number

  constructor(call: Call) {
    this.#call = call
    this.#generation = call.generation
    call.keepContext()
  }

  sent(error: unknown): void {
    const call = this.#call
    // The response could not be written, and the request has continued without it.
    if (this.#generation !== call.generation) return
    this.hasLeft = true
    call.run(() => handleSent(call, error))
    if (call.stage === 'sent') call.resume(this.#generation)
  }
}

function handleSent(call: Call, error: unknown): void {
  const { inner, reply } = call
  // Middleware may have sent a different stream.
  if (inner !== null && reply.payload !== inner.payload) discard(inner.payload)
  if (error !== undefined) {
    call.sendError = error
    call.reportError(error, 'Response interrupted')
  }
  call.observer?.stopWatch()
}

function dropBody({ status, payload, headers, error }: FullReply): FullReply {
  discard(payload)
  const reply = serializedReply(status, null, NO_PAYLOAD, headers)
  reply.error = error
  return reply
}

/** Whether something runs after the response is sent. */
export function isAwaited({ tasks, providers }: Call, { payload }: ResponseMessage): boolean {
  if (tasks !== null || isChunks(payload.data)) return true
  return providers !== null && providers.isOpen('after-response')
}

/** Sends a plain 500 instead of a response that could not be written. If its headers are already sent, closes the connection. */
export function couldNotSend(call: Call, error: unknown): void {
  const { exchange, observer, inner, reply } = call
  call.report('error', { err: error }, 'Failed to send the response')
  discard(reply.payload)
  if (inner !== null && reply.payload !== inner.payload) discard(inner.payload)
  call.reply = plainFailure(call, error)
  call.sendError = error ?? new Error('Nothing was thrown')
  call.stage = 'sent'
  const message = call.endpoint?.credentialHeaders?.add(call, call.reply) ?? call.reply
  if (observer === null) exchange.abandon(message)
  else observer.abandon(message)
  // Middleware that awaits `next()` must still clean up.
  inner?.resolve(call.reply)
}

/** Notifies observers and cleans up the last providers. If the request waits for its response, runs after that is sent. */
export function finishResponse(call: Call): Promise<void> | undefined {
  const { observer, sendError, providers, body, overrun } = call
  call.stage = 'concluded'
  observer?.responded()
  if (sendError !== undefined) call.tasks = null
  let waiting: Promise<void> | undefined
  const isUsed = (body !== null && body.cleanUp !== null) || (providers !== null && providers.isOpen('after-response'))
  if (isUsed && overrun?.isLate !== true) waiting = endWithResponse(call)
  observer?.leaves()
  return waiting
}

/** The generator of a canceled stream may still be running. The resources that it uses are cleaned up after it has stopped. */
function endWithResponse(call: Call): Promise<void> | undefined {
  const ended = call.stream?.ended ?? null
  if (ended === null) return endAfterResponse(call)
  // Once the stream has ended, the exchange no longer knows that its client has disconnected.
  noteSendFailure(call)
  if (call.isAborted) call.abort(clientGone())
  return untilStreamEnds(call, ended).then(() => endAfterResponse(call))
}

/** Runs the tasks of `response.after` in sequence, even if one fails, and then the cleanup of the body. */
export function runTasks(call: Call): void {
  const { tasks, body, overrun, app } = call
  // A method that is still running keeps its request in the list, and the files of its body.
  const isLate = overrun !== null && overrun.isLate
  const cleanUp = isLate || body === null ? null : body.cleanUp
  if (tasks === null && cleanUp === null) {
    if (!isLate) app.work.remove(call)
    return
  }
  void allTasks(call, [...(tasks ?? []), ...(cleanUp === null ? [] : [cleanUp])])
}

async function allTasks(call: Call, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    const done = Promise.resolve().then(task)
    await done.catch((error: unknown) => call.reportError(error, 'Task in "response.after" failed'))
  }
  if (call.overrun?.isLate !== true) call.app.work.remove(call)
}
