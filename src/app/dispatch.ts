/** Dispatch: the way of a request through the app. Nothing here waits unless someone on the way is asynchronous. */
import { finalReply, type FullReply } from '../context/reply.js'
import { HttpError } from '../errors/http-error.js'
import type { Exchange } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, overlayFields } from '../http/fields.js'
import { admits } from '../http/media-type.js'
import { allowOf, VERBS } from '../http/methods.js'
import { discard, isChunks, isEmptyStatus, NO_PAYLOAD } from '../http/payload.js'
import { bind } from './bind.js'
import { runChain } from './chain.js'
import type { Core } from './core.js'
import { failureReply } from './failure.js'
import { locate } from './locate.js'
import { ServedCall } from './served-call.js'

/**
 * Answers one request.
 *
 * @param core of the app
 * @param exchange the request and the way to answer it
 */
export function serve(core: Core, exchange: Exchange): void {
  core.work.begin()
  const call = new DispatchedCall(exchange, core)
  call.run(begin, undefined)
}

class DispatchedCall extends ServedCall {
  override fail(error: unknown): void {
    if (this.stage === 'locating') {
      this.refusal = error
      this.run(enter, undefined)
    } else if (this.stage === 'answering') {
      this.changes = this.changes?.slice(0, this.kept) ?? null
      this.tasks = null
      this.settle(failureReply(this, error))
    } else if (this.stage === 'sending') {
      this.report('error', { err: error }, 'The answer could not be sent')
      this.conclude()
    } else this.report('warn', { err: error }, 'A handler failed after the request was answered')
  }

  override settle(reply: FullReply): void {
    if (this.stage !== 'answering') {
      this.report('warn', { status: reply.status }, 'An answer came too late and was dropped')
      discard(reply.payload)
      return
    }
    this.stage = 'settled'
    this.stopTime()
    const final = this.#withChanges(reply)
    if (this.handOver === null) this.run(send, final)
    else {
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
  enter(call)
}

function enter(call: ServedCall): void {
  call.stage = 'answering'
  const middleware = call.record === null ? call.core.chain : call.record.chain
  if (middleware.length === 0) answer(call)
  else void runChain(call, { middleware, inner: answer }).then((reply) => call.finish(reply))
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
  const answer = isEmptyStatus(reply.status) ? emptied(reply) : reply
  const isAwaited = call.tasks !== null || isChunks(answer.payload.data)
  call.exchange.send(answer, isAwaited ? call : null)
  call.stage = 'sent'
  if (!isAwaited) call.conclude()
}

function emptied(reply: FullReply): FullReply {
  discard(reply.payload)
  return reply.finished(null, NO_PAYLOAD)
}
