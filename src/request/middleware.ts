/** Middleware: an onion around the steps of the endpoint, in which nothing is lost to a throw. */
import type { Middleware, MiddlewareContext } from '../context/middleware.js'
import { FullReply } from '../context/reply.js'
import { OuterContext } from '../context/request-context.js'
import type { Call } from './call.js'
import { WAITING, type Step } from './endpoint.js'
import { refusePromises } from './check-response.js'
import { failureReply } from './failure.js'
import { serialize } from './respond.js'

export interface AroundMiddleware {
  /** Takes the steps that follow on the way of the call; the last of them resolves `call.resolveInner`. */
  readonly inner: (call: Call) => void
  /** Goes on with the reply of the outermost one. */
  readonly outer: (call: Call, reply: FullReply) => void
}

/** The step that runs middleware, outermost first. What one throws becomes a reply with `error` set for the one around it. */
export function runMiddleware(chain: readonly Middleware[], { inner, outer }: AroundMiddleware): Step<Call> {
  return (call) => {
    const context = new OuterContext(call)
    const acceptReply = (reply: unknown): FullReply | Promise<FullReply> => takeReply(call, reply)
    const thrown = (error: unknown): FullReply | Promise<FullReply> => middlewareFailure(call, error)
    const enter = (at: number): Promise<FullReply> => {
      const middleware = chain[at]
      if (middleware === undefined) return enterEndpoint(call, inner)
      let isEntered = false
      const next = (): Promise<FullReply> => {
        if (isEntered) return Promise.reject(new Error('Cannot call next(): it was called before. Keep its reply'))
        isEntered = true
        return enter(at + 1)
      }
      return begin(middleware, context, next).then(acceptReply, thrown)
    }
    void enter(0).then((reply) => outer(call, reply))
    return WAITING
  }
}

/** The promise of most middleware is taken as it is: to wrap it costs two more turns of the queue. */
function begin(middleware: Middleware, context: MiddlewareContext, next: () => Promise<FullReply>): Promise<unknown> {
  try {
    const reply: unknown = middleware(context, next)
    return reply instanceof Promise ? reply : Promise.resolve(reply)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Header changes made up to here are the middleware's: a failure of the endpoint keeps them. */
function enterEndpoint(call: Call, inner: AroundMiddleware['inner']): Promise<FullReply> {
  return new Promise((resolve) => {
    call.middlewareChangeCount = call.changes?.length ?? 0
    call.resolveInner = resolve
    inner(call)
  })
}

/** What most middleware returns is serialized: then nothing more is awaited. */
function takeReply(call: Call, reply: unknown): FullReply | Promise<FullReply> {
  if (reply instanceof FullReply && reply.isSerialized) return reply
  return new Promise<FullReply>((resolve) => resolve(checkMiddlewareResult(call, reply))).catch((error: unknown) =>
    middlewareFailure(call, error),
  )
}

/** A middleware may answer by itself; then its reply is serialized here, where a failure still meets the others. */
function checkMiddlewareResult(call: Call, reply: unknown): FullReply | Promise<FullReply> {
  if (!(reply instanceof FullReply))
    throw new TypeError('A middleware returned no reply. Return that of "next()", or "reply(…)"')
  refusePromises(call, reply.body)
  if (reply.status >= 400)
    throw new TypeError(`A middleware replied with status ${reply.status}. Throw an HttpError instead`)
  return serialize(reply, call)
}

/** The reply of the endpoint is lost, with the headers that middleware had set before it: they are set once more. */
function middlewareFailure(call: Call, error: unknown): FullReply | Promise<FullReply> {
  call.changes = [...call.middlewareChanges, ...(call.changes ?? [])]
  call.middlewareChanges = []
  call.tasks = null
  return failureReply(call, error)
}
