/** Runs middleware around the steps of the endpoint. Outer middleware receives every error of inner middleware as a reply. */
import { FullReply } from '../context/reply.js'
import { discard, isChunks, NO_PAYLOAD } from '../http/payload.js'
import { PHASE } from '../observe/request-recorder.js'
import type { Call } from './call.js'
import { WAITING, type Step } from './endpoint.js'
import { rejectPromises } from './check-response.js'
import { failureReply } from './failure.js'
import { abandonMethod } from './late.js'
import { isAwaited } from './reply-steps.js'
import { serialize } from './respond.js'
import type { PipelineTarget } from './step-entry.js'

/** Returns the step that runs middleware, outermost first. A thrown error becomes a reply with `error` for the next outer middleware. */
export function runMiddleware({ chain }: PipelineTarget): Step<Call> | null {
  if (chain.length === 0) return null
  return function runMiddleware(call) {
    // Most replies are already serialized, so there is nothing to await.
    const acceptReply = (reply: unknown): FullReply | Promise<FullReply> =>
      reply instanceof FullReply && reply.isSerialized ? reply : takeReply(call, reply)
    const thrown = (error: unknown): FullReply | Promise<FullReply> => middlewareFailure(call, error)
    const enter = (at: number): Promise<FullReply> => {
      const middleware = chain[at]
      if (middleware === undefined) {
        return new Promise((resolve) => {
          call.inner = { resolve, payload: NO_PAYLOAD }
          // If middleware has already returned, its reply is sent instead.
          if (call.stage === 'handling') call.resume(call.generation)
        })
      }
      let isEntered = false
      const next = (): Promise<FullReply> => {
        if (isEntered)
          return Promise.reject(new Error('Cannot call next(): it was already called. Store its reply and reuse it'))
        isEntered = true
        return enter(at + 1)
      }
      let reply: unknown
      try {
        reply = middleware(call.context, next)
      } catch (error) {
        reply = Promise.reject(error)
      }
      // Native promises are not wrapped, because that costs two more turns of the microtask queue.
      return (reply instanceof Promise ? reply : Promise.resolve(reply)).then(acceptReply, thrown)
    }
    void enter(0).then((reply) => leaveMiddleware(call, reply))
    return WAITING
  }
}

/** Returns the reply to middleware, which continues the request with its result. */
export function returnToMiddleware(call: Call): typeof WAITING {
  const { reply, inner, observer } = call
  if (isAwaited(call, reply) || (observer !== null && call.app.channel.hasListeners('end'))) call.keepContext()
  if (inner !== null) {
    inner.payload = reply.payload
    inner.resolve(reply)
  }
  return WAITING
}

/** Sends the reply of the outermost middleware, whether or not it called or awaited `next()`. */
function leaveMiddleware(call: Call, reply: FullReply): void {
  const { inner, pipeline } = call
  // A step after the endpoint failed, and the client already has a 500.
  if (call.isSent) return discard(reply.payload)
  if (call.stage === 'handling') {
    // The endpoint may already have a reply if its providers are still cleaning up.
    discard(call.reply.payload)
    const isReading = pipeline.phases[call.stepIndex - 1] === PHASE.readBody
    if (inner !== null)
      abandonMethod(call, new DOMException('Middleware did not wait for next()', 'AbortError'), isReading)
    // Middleware replied instead of the error of routing.
    else call.failure = null
  }
  call.stage = 'replied'
  call.generation++
  call.reply = reply
  call.stepIndex = pipeline.onReply
  // Ends a stream that middleware discarded. If middleware streams, it may have wrapped that stream, so `handleSent` ends it later.
  if (inner !== null && inner.payload !== reply.payload && !isChunks(reply.payload.data)) discard(inner.payload)
  call.resume(call.generation)
}

/**
 * Middleware may return a new reply. It is serialized here, so that outer middleware receives the error if that fails.
 *
 * @see docs/decisions/0004-error-replies.md
 */
async function takeReply(call: Call, reply: unknown): Promise<FullReply> {
  try {
    if (!(reply instanceof FullReply))
      throw new TypeError(
        'Cannot use the result of middleware: it must be a reply. Return the reply of "next()", or "reply(…)"',
      )
    rejectPromises(call, reply.body)
    if (reply.status >= 400)
      throw new TypeError(
        `Cannot reply with status ${reply.status} from middleware: the status must be less than 400. Throw an HttpError`,
      )
    return await serialize(reply, call)
  } catch (error) {
    return middlewareFailure(call, error)
  }
}

/** The reply of the endpoint is lost, including headers that middleware set earlier. These are applied again. */
function middlewareFailure(call: Call, error: unknown): FullReply | Promise<FullReply> {
  for (const change of call.changes ?? []) change.isMerged = false
  call.tasks = null
  return failureReply(call, error)
}
