/** The end of the way back, and the way out: settle, hand over, send, and what follows the answer. */
import { serializedReply, type FullReply } from '../context/reply.js'
import type { Answer, SentListener } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, overlayFields, type FieldChange } from '../http/fields.js'
import { discard, isChunks, isEmptyStatus, NO_PAYLOAD } from '../http/payload.js'
import { NO_SCOPE } from '../injection/scope.js'
import type { Work } from './app-state.js'
import type { Call, Resume } from './call.js'
import { WAITING, type Step } from './endpoint.js'
import { failureReply } from './failure.js'
import { withFrameworkHeaders } from './framework-headers.js'
import { endAfterAnswer } from './providers.js'

/** The endpoint has its reply, and what was set before joins it. */
export function settle(call: Call): Promise<void> | undefined {
  const { turn } = call
  const waiting = decideReply(call)
  if (waiting === undefined) return joinChanges(call)
  return waiting.then(() => (turn === call.turn ? joinChanges(call) : undefined))
}

/** The endpoint has its reply. Where it failed, what it set is dropped, and what middleware and guards set is kept. */
export function decideReply(call: Call): Promise<void> | undefined {
  call.stage = 'settled'
  const failure = call.providers.failure ?? call.failure
  if (failure === null) return undefined
  discard(call.reply.payload)
  if (call.changes !== null) call.changes = keptChanges(call, call.changes)
  call.tasks = null
  const reply = failureReply(call, failure.error)
  if (!(reply instanceof Promise)) return void (call.reply = reply)
  const { turn } = call
  return reply.then((made) => void (turn === call.turn && (call.reply = made)))
}

/** What the endpoint set becomes part of its reply, so that middleware sees it; what middleware sets later joins at the end. */
export function joinChanges(call: Call): undefined {
  const { reply, changes } = call
  if (changes === null) return
  call.middlewareChanges = keptChanges(call, changes)
  call.changes = null
  call.keptChanges = 0
  call.reply = reply.withFields(overlayFields(applyChanges(NO_FIELDS, changes), reply.headers))
}

/** The reply with what the endpoint itself has set, before anything of middleware and guards joins it. */
export function ownReply(call: Call): FullReply {
  const { reply, changes } = call
  if (changes === null) return reply
  const kept = new Set(keptChanges(call, changes))
  const own = changes.filter((change) => !kept.has(change))
  return reply.withFields(overlayFields(applyChanges(NO_FIELDS, own), reply.headers))
}

function keptChanges({ keptChanges: count, guardChanges }: Call, changes: readonly FieldChange[]): FieldChange[] {
  return changes.filter((change, at) => at < count || guardChanges?.has(change) === true)
}

/** Gives the reply to the middleware around the endpoint. What that makes of it is sent from outside of it. */
export function handOver(call: Call): typeof WAITING {
  const { reply, resolveInner } = call
  if (isAwaited(call, reply) || call.app.channel.hasListeners('end')) call.keepContext()
  call.innerPayload = reply.payload
  resolveInner?.(reply)
  return WAITING
}

/** A stream that middleware threw away must end. One that streams itself may have wrapped it, and ends it then. */
export function leaveMiddleware(call: Call): void {
  if (!isChunks(call.reply.payload.data)) discard(call.innerPayload)
  joinChanges(call)
}

/** Sends the reply. `resume` continues the call where something waits for it to have left. */
export function send(resume: Resume): Step<Call> {
  return (call) => {
    call.stage = 'sending'
    const { reply, observer, exchange } = call
    observer?.stopWatch()
    const full = isEmptyStatus(reply.status) ? emptied(reply) : reply
    const answer = call.pathRecord?.hasFrameworkHeaders === true ? withFrameworkHeaders(call, full) : full
    const listener = isAwaited(call, answer) ? sentWaiter(call, resume) : null
    if (listener !== null) call.keepContext()
    if (observer === null) exchange.send(answer, listener)
    else observer.send(answer, listener)
    call.stage = 'sent'
    return listener === null || listener.hasLeft ? undefined : WAITING
  }
}

function sentWaiter(call: Call, resume: Resume): SentListener & { hasLeft: boolean } {
  return {
    hasLeft: false,
    sent(error) {
      this.hasLeft = true
      call.run(() => tellLeft(call, error))
      if (call.stage === 'sent') resume(call, call.turn)
    },
  }
}

function tellLeft(call: Call, error: unknown): void {
  // Middleware may have streamed something else.
  if (call.reply.payload !== call.innerPayload) discard(call.innerPayload)
  if (error !== undefined) {
    call.sendError = error
    call.reportError(error, 'The answer broke off')
  }
  call.observer?.stopWatch()
}

/** A status without content loses what its handler gave. */
function emptied({ status, payload, headers, error }: FullReply): FullReply {
  discard(payload)
  const reply = serializedReply(status, null, NO_PAYLOAD, headers)
  reply.error = error
  return reply
}

function isAwaited({ tasks, providers }: Call, { payload }: Answer): boolean {
  if (tasks !== null || isChunks(payload.data)) return true
  return providers !== NO_SCOPE && providers.isOpen('after-response')
}

/** Nothing of the answer has left, because it could not be written. */
export function couldNotSend(call: Call, error: unknown): void {
  call.report('error', { err: error }, 'The answer could not be sent')
  call.sendError = error
  call.stage = 'sent'
}

/** The connection has the answer, which has left where something waits for that. Observers are told, and the last providers end. */
export function conclude(call: Call): Promise<void> | undefined {
  const { observer, sendError } = call
  call.isConcluded = true
  observer?.answered()
  if (sendError !== undefined) call.tasks = null
  const waiting = call.providers === NO_SCOPE ? undefined : endAfterAnswer(call)
  observer?.leaves()
  return waiting
}

/** Runs the tasks of `response.after`, one after the other; one that fails does not keep the next from running. Then the body is let go. */
export function runTasks(call: Call): void {
  const { tasks, cleanUp, app } = call
  if (tasks === null && cleanUp === null) endWork(app.work)
  else void allTasks(call, [...(tasks ?? []), ...(cleanUp === null ? [] : [cleanUp])]).then(() => endWork(app.work))
}

export function endWork(work: Work): void {
  work.running--
  if (work.running === 0) work.onIdle?.()
}

async function allTasks(call: Call, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    const done = Promise.resolve().then(task)
    await done.catch((error: unknown) => call.reportError(error, 'A task after the answer failed'))
  }
}
