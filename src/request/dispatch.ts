/** Dispatch: the way of a request through the app. Nothing here waits unless someone on the way is asynchronous. */
import { clientGone } from '../context/call.js'
import { finalReply, type FullReply } from '../context/reply.js'
import { OuterContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import type { Answer, Exchange } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, overlayFields } from '../http/fields.js'
import { admits } from '../http/media-type.js'
import { allowOf, VERBS } from '../http/methods.js'
import { discard, isChunks, isEmptyStatus, NO_PAYLOAD } from '../http/payload.js'
import type { Failure } from '../injection/scope.js'
import { PHASE } from '../observe/trail.js'
import { conclude } from './after-answer.js'
import { bind } from './bind.js'
import { NO_PROVIDERS } from './call-providers.js'
import { runChain } from './chain.js'
import type { Core } from './core.js'
import { emitLocated } from './emit.js'
import { failureReply } from './failure.js'
import { hasOwnFields, refuseWithdrawn, withOwnFields } from './own-fields.js'
import { locate } from './locate.js'
import { ServedCall } from './served-call.js'
import { endTrail, endWhenLeft, follow, sendFollowed } from './watched.js'

/** Answers one request. */
export function serve(core: Core, exchange: Exchange): ServedCall {
  core.work.begin()
  const call = new DispatchedCall(exchange, core)
  call.resume(begin, undefined)
  return call
}

/** Answers a request that nothing will look at. */
export function refuse(core: Core, exchange: Exchange, error: unknown): void {
  core.work.begin()
  new DispatchedCall(exchange, core).fail(error)
}

/** Where the request failed before there was a reply. */
const NO_REPLY = finalReply(500, null, NO_PAYLOAD)

class DispatchedCall extends ServedCall {
  override fail(error: unknown): void {
    if (this.stage === 'locating') {
      this.refusal = error ?? new Error('Nothing was thrown')
      this.run(enter, undefined)
    } else if (this.stage === 'answering') {
      if (this.providers === NO_PROVIDERS) this.#failed(error)
      else this.#endProviders(NO_REPLY, { error })
    } else if (this.stage === 'sending') {
      this.report('error', { err: error }, 'The answer could not be sent')
      this.tasks = null
      this.stage = 'sent'
      this.resume(conclude, error)
      if (this.trail !== null) endTrail(this, this.trail)
    } else this.report('warn', { err: error }, 'A handler failed after the request was answered')
  }

  override settle(reply: FullReply): void {
    if (this.stage !== 'answering') {
      this.report('warn', { status: reply.status }, 'An answer came too late and was dropped')
      discard(reply.payload)
      return
    }
    if (this.providers === NO_PROVIDERS) this.#settled(reply)
    else this.#endProviders(reply, null)
  }

  /** Until the head is sent a provider can still fail, and nothing of the answer has left then. */
  #endProviders(reply: FullReply, failure: Failure | null): void {
    const { providers } = this
    this.stage = 'ending'
    this.trail?.enter(PHASE.providers)
    this.stopTime()
    if (failure !== null) providers.failure = failure
    else if (this.exchange.aborted && providers.isOpen('before-response')) providers.failure = { error: clientGone() }
    const waiting = providers.end('before-response')
    if (waiting === null) this.#afterProviders(reply)
    else void waiting.then(() => this.#afterProviders(reply))
  }

  #afterProviders(reply: FullReply): void {
    const { failure } = this.providers
    if (failure === null) this.#settled(reply)
    else {
      discard(reply.payload)
      this.#failed(failure.error)
    }
  }

  #failed(error: unknown): void {
    this.changes = this.changes?.slice(0, this.kept) ?? null
    this.tasks = null
    this.#settled(failureReply(this, error))
  }

  #settled(reply: FullReply): void {
    this.stage = 'settled'
    this.stopTime()
    const final = this.#withChanges(reply)
    if (this.handOver === null) this.run(send, final)
    else {
      // What middleware makes of the reply is sent from outside of it.
      if (isAwaited(this, final) || this.core.telemetry.hasListeners('end')) this.keepContext()
      this.trail?.enter(PHASE.rest)
      this.produced = final.payload
      this.handOver(final)
    }
  }

  /** A stream that middleware threw away must end. One that streams itself may have wrapped it, and ends it then. */
  override finish(reply: FullReply): void {
    if (!isChunks(reply.payload.data)) discard(this.produced)
    this.run(send, this.#withChanges(reply))
  }

  /** What the endpoint set becomes part of its reply, so that middleware sees it; what middleware set later joins at the end. */
  #withChanges(reply: FullReply): FullReply {
    if (this.changes === null) return reply
    const headers = overlayFields(applyChanges(NO_FIELDS, this.changes), reply.headers)
    this.before = this.changes.slice(0, this.kept)
    this.changes = null
    this.kept = 0
    return reply.withFields(headers)
  }
}

function begin(call: ServedCall): void {
  locate(call)
  if (call.trail !== null) follow(call, call.trail)
  enter(call)
}

function enter(call: ServedCall): void {
  call.stage = 'answering'
  if (call.began >= 0) emitLocated(call.core.telemetry, call)
  const middleware = (call.prepared ?? call.record ?? call.core).chain
  if (middleware.length === 0) answer(call)
  else {
    call.trail?.enter(PHASE.rest)
    const context = new OuterContext(call)
    void runChain(call, { middleware, context, inner: answer }).then((reply) => call.finish(reply))
  }
}

function answer(call: ServedCall): void {
  if (call.refusal !== undefined) {
    call.fail(call.refusal)
    return
  }
  const endpoint = call.prepared
  if (endpoint === null) {
    answerOptions(call)
    return
  }
  if (endpoint.deprecation !== null) refuseWithdrawn(endpoint)
  if (endpoint.produces !== null && !admits(call.exchange.header('accept'), endpoint.produces)) {
    throw new HttpError(406, `This is available as ${endpoint.produces}`, { available: [endpoint.produces] })
  }
  bind(call, endpoint)
}

/** OPTIONS (RFC 9110 section 9.3.7): of a path what it allows, of `*` what the server does. */
function answerOptions(call: ServedCall): void {
  const headers = new Map([['allow', call.record?.allow ?? allowOf(VERBS)]])
  call.settle(finalReply(204, null, NO_PAYLOAD).withFields(headers))
}

/** A status without content loses what its handler gave. */
function send(call: ServedCall, reply: FullReply): void {
  call.stage = 'sending'
  call.answered = reply
  call.stopWatch()
  const full = isEmptyStatus(reply.status) ? emptied(reply) : reply
  const answer = hasOwnFields(call) ? withOwnFields(call, full) : full
  const isLater = isAwaited(call, answer)
  if (isLater) call.keepContext()
  const listener = isLater ? call : null
  if (call.watcher === null) call.exchange.send(answer, listener)
  else sendFollowed(call, { answer, listener })
  call.stage = 'sent'
  if (isLater) return
  call.resume(conclude, undefined)
  if (call.trail !== null) endWhenLeft(call, call.trail)
}

/** Whether something happens once an answer has left. */
function isAwaited({ tasks, providers }: ServedCall, { payload }: Answer): boolean {
  if (tasks !== null || isChunks(payload.data)) return true
  return providers !== NO_PROVIDERS && providers.isOpen('after-response')
}

function emptied(reply: FullReply): FullReply {
  discard(reply.payload)
  return reply.finished(null, NO_PAYLOAD)
}
