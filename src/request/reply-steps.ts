/** Steps that finalize the reply, return it to middleware, send it, and run after the response. */
import { serializedReply, type FullReply } from '../context/reply.js'
import type { ResponseMessage, SentListener } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, overlayFields, type HeaderChange } from '../http/fields.js'
import { discard, isChunks, isEmptyStatus, NO_PAYLOAD } from '../http/payload.js'
import { NO_SCOPE } from '../injection/scope.js'
import { clientGone, type Call, type Resume } from './call.js'
import { WAITING, type Step } from './endpoint.js'
import { failureReply, plainFailure } from './failure.js'
import { withFrameworkHeaders } from './framework-headers.js'
import { untilStreamEnds } from './late.js'
import { endAfterAnswer, noteSendFailure } from './providers.js'

export function finalizeReply(call: Call): Promise<void> | undefined {
  const { generation } = call
  const waiting = decideReply(call)
  if (waiting === undefined) return mergeHeaderChanges(call)
  return waiting.then(() => (generation === call.generation ? mergeHeaderChanges(call) : undefined))
}

/** Sets the final reply. If the endpoint failed, drops its header changes, and keeps the changes made by middleware and guards. */
export function decideReply(call: Call): Promise<void> | undefined {
  call.stage = 'replied'
  const failure = call.providers.failure ?? call.failure
  if (failure === null) return undefined
  discard(call.reply.payload)
  if (call.changes !== null) call.changes = protectedChanges(call, call.changes)
  call.tasks = null
  const reply = failureReply(call, failure.error)
  if (!(reply instanceof Promise)) return void (call.reply = reply)
  const { generation } = call
  return reply.then((made) => void (generation === call.generation && (call.reply = made)))
}

/** Merges header changes into the reply, so that middleware sees them. Later changes by middleware are merged before sending. */
export function mergeHeaderChanges(call: Call): undefined {
  const { reply, changes } = call
  if (changes === null) return
  call.middlewareChanges = protectedChanges(call, changes)
  call.changes = null
  call.middlewareChangeCount = 0
  call.reply = reply.withFields(overlayFields(applyChanges(NO_FIELDS, changes), reply.headers))
}

/** Returns the reply with the header changes of the endpoint, but without the changes made by middleware and guards. */
export function ownReply(call: Call): FullReply {
  const { reply, changes } = call
  if (changes === null) return reply
  const keptSet = new Set(protectedChanges(call, changes))
  const handlerChanges = changes.filter((change) => !keptSet.has(change))
  return reply.withFields(overlayFields(applyChanges(NO_FIELDS, handlerChanges), reply.headers))
}

function protectedChanges(
  { middlewareChangeCount: count, guardChanges }: Call,
  changes: readonly HeaderChange[],
): HeaderChange[] {
  return changes.filter((change, at) => at < count || guardChanges?.has(change) === true)
}

/** Returns the reply to middleware, which continues the request with its result. */
export function returnToMiddleware(call: Call): typeof WAITING {
  const { reply, resolveInner } = call
  if (isAwaited(call, reply) || call.app.channel.hasListeners('end')) call.keepContext()
  call.innerPayload = reply.payload
  resolveInner?.(reply)
  return WAITING
}

/** Ends a stream that middleware discarded. If middleware streams, it may have wrapped that stream, so `handleSent` ends it later. */
export function leaveMiddleware(call: Call): void {
  if (!isChunks(call.reply.payload.data)) discard(call.innerPayload)
  mergeHeaderChanges(call)
}

/** Sends the reply. `resume` continues the request if it has to wait until the response is sent. */
export function send(resume: Resume): Step<Call> {
  return (call) => {
    call.stage = 'sending'
    const { reply, observer, exchange } = call
    observer?.stopWatch()
    const full = isEmptyStatus(reply.status) ? dropBody(reply) : reply
    const answer = call.pathRecord?.hasFrameworkHeaders === true ? withFrameworkHeaders(call, full) : full
    const listener = isAwaited(call, answer) ? waitForSent(call, resume) : null
    if (listener !== null) call.keepContext()
    if (observer === null) exchange.send(answer, listener)
    else observer.send(answer, listener)
    call.stage = 'sent'
    return listener === null || listener.hasLeft ? undefined : WAITING
  }
}

function waitForSent(call: Call, resume: Resume): SentListener & { hasLeft: boolean } {
  const { generation } = call
  return {
    hasLeft: false,
    sent(error) {
      // The response could not be written, and the request has continued without it.
      if (generation !== call.generation) return
      this.hasLeft = true
      call.run(() => handleSent(call, error))
      if (call.stage === 'sent') resume(call, generation)
    },
  }
}

function handleSent(call: Call, error: unknown): void {
  // Middleware may have sent a different stream.
  if (call.reply.payload !== call.innerPayload) discard(call.innerPayload)
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

function isAwaited({ tasks, providers }: Call, { payload }: ResponseMessage): boolean {
  if (tasks !== null || isChunks(payload.data)) return true
  return providers !== NO_SCOPE && providers.isOpen('after-response')
}

/** Sends a plain 500 instead of a response that could not be written. If its headers are already sent, closes the connection. */
export function couldNotSend(call: Call, error: unknown): void {
  const { exchange, observer, innerPayload, reply } = call
  call.report('error', { err: error }, 'Failed to send the response')
  discard(reply.payload)
  if (reply.payload !== innerPayload) discard(innerPayload)
  call.reply = plainFailure(call, error)
  call.sendError = error ?? new Error('Nothing was thrown')
  call.stage = 'sent'
  exchange.abandon(call.reply)
  if (observer !== null) observer.answer = exchange.aborted ? null : call.reply
}

/** Notifies observers and cleans up the last providers. If the request waits for its response, runs after that is sent. */
export function finishResponse(call: Call): Promise<void> | undefined {
  const { observer, sendError } = call
  call.isConcluded = true
  observer?.responded()
  if (sendError !== undefined) call.tasks = null
  const waiting = call.answeredByMiddleware ? undefined : endWithAnswer(call)
  observer?.leaves()
  return waiting
}

/** The generator of a canceled stream may still be running. The resources that it uses are cleaned up after it has stopped. */
function endWithAnswer(call: Call): Promise<void> | undefined {
  const { providers, stream, cleanUp } = call
  const ended = stream?.ended ?? null
  if (ended === null || (cleanUp === null && !providers.isOpen('after-response'))) return endAfterAnswer(call)
  // Once the stream has ended, the exchange no longer knows that its client has disconnected.
  noteSendFailure(call)
  if (call.isAborted) call.abort(clientGone())
  return untilStreamEnds(call, ended).then(() => endAfterAnswer(call))
}

/** Runs the tasks of `response.after` in sequence, even if one fails, and then the cleanup of the body. */
export function runTasks(call: Call): void {
  const { tasks, answeredByMiddleware } = call
  const cleanUp = answeredByMiddleware ? null : call.cleanUp
  if (tasks === null && cleanUp === null) endWork(call)
  else void allTasks(call, [...(tasks ?? []), ...(cleanUp === null ? [] : [cleanUp])]).then(() => endWork(call))
}

/** A method that is still running keeps its request in the list. */
function endWork(call: Call): void {
  const { work } = call.app
  if (!call.answeredByMiddleware) work.remove(call)
  work.release()
}

async function allTasks(call: Call, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    const done = Promise.resolve().then(task)
    await done.catch((error: unknown) => call.reportError(error, 'Task in "response.after" failed'))
  }
}
