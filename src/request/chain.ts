/** The chain of middleware: an onion around the endpoint in which nothing is ever lost to a throw. */
import type { Middleware, MiddlewareContext } from '../context/middleware.js'
import { FullReply } from '../context/reply.js'
import { failureReply } from './failure.js'
import { finalize } from './respond.js'
import type { ServedCall, Step } from './served-call.js'

/** Middleware, and what it is wrapped around. */
export interface Chain {
  readonly middleware: readonly Middleware[]
  /** What each of them gets. */
  readonly context: MiddlewareContext
  /** Ends in `settle` or `fail` of the call. */
  readonly inner: Step<undefined>
}

/**
 * Runs a call through middleware. What one throws becomes a reply with `error` set for the one around it. Returns the
 * outermost reply; never rejects.
 */
export function runChain(call: ServedCall, chain: Chain): Promise<FullReply> {
  return enter(call, chain, 0)
}

function enter(call: ServedCall, chain: Chain, index: number): Promise<FullReply> {
  const middleware = chain.middleware[index]
  if (middleware === undefined) return answer(call, chain.inner)
  let isEntered = false
  const next = (): Promise<FullReply> => {
    if (isEntered) return Promise.reject(new Error('Cannot call next(): it was called before. Keep its reply'))
    isEntered = true
    return enter(call, chain, index + 1)
  }
  return begun(middleware, chain.context, next).then(
    (reply) => leave(call, reply),
    (error: unknown) => failed(call, error),
  )
}

/** The promise of most middleware is taken as it is: to wrap it costs two more turns of the queue. */
function begun(middleware: Middleware, context: MiddlewareContext, next: () => Promise<FullReply>): Promise<unknown> {
  try {
    const reply: unknown = middleware(context, next)
    return reply instanceof Promise ? reply : Promise.resolve(reply)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** What most middleware returns is final: then nothing more is awaited. */
function leave(call: ServedCall, reply: unknown): FullReply | Promise<FullReply> {
  if (reply instanceof FullReply && reply.isFinal) return reply
  return new Promise<FullReply>((resolve) => resolve(checked(reply))).catch((error: unknown) => failed(call, error))
}

/** Header changes made up to here are the middleware's: a failure of the endpoint keeps them. */
function answer(call: ServedCall, inner: Step<undefined>): Promise<FullReply> {
  return new Promise((resolve) => {
    call.kept = call.changes?.length ?? 0
    call.handOver = resolve
    call.run(inner, undefined)
  })
}

/** A middleware may answer by itself; then its reply is serialised here, where a failure still meets the others. */
function checked(reply: unknown): FullReply | Promise<FullReply> {
  if (!(reply instanceof FullReply))
    throw new TypeError('A middleware returned no reply. Return that of "next()", or "reply(…)"')
  if (reply.status >= 400)
    throw new TypeError(`A middleware replied with status ${reply.status}. Throw an HttpError instead`)
  return finalize(reply)
}

/** The reply of the endpoint is lost, with the headers that middleware had set before it: they are set once more. */
function failed(call: ServedCall, error: unknown): FullReply {
  call.changes = [...call.before, ...(call.changes ?? [])]
  call.before = []
  call.tasks = null
  return failureReply(call, error)
}
