/** Runs middleware around the steps of the endpoint. Outer middleware receives every error of inner middleware as a reply. */
import type { Middleware, MiddlewareContext } from '../context/middleware.js'
import { FullReply } from '../context/reply.js'
import { OuterContext } from '../context/request-context.js'
import type { Call } from './call.js'
import { WAITING, type Step } from './endpoint.js'
import { refusePromises } from './check-response.js'
import { failureReply } from './failure.js'
import { serialize } from './respond.js'

export interface AroundMiddleware {
  /** Runs the steps inside of the middleware. The last one resolves `call.resolveInner`. */
  readonly inner: (call: Call) => void
  /** Sends the reply of the outermost middleware. */
  readonly outer: (call: Call, reply: FullReply) => void
}

/** Returns the step that runs middleware, outermost first. A thrown error becomes a reply with `error` for the next outer middleware. */
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
        if (isEntered)
          return Promise.reject(new Error('Cannot call next(): it was already called. Store its reply and reuse it'))
        isEntered = true
        return enter(at + 1)
      }
      return beginMiddleware(middleware, context, next).then(acceptReply, thrown)
    }
    void enter(0).then((reply) => outer(call, reply))
    return WAITING
  }
}

/** Native promises are not wrapped, because that costs two more turns of the microtask queue. */
function beginMiddleware(
  middleware: Middleware,
  context: MiddlewareContext,
  next: () => Promise<FullReply>,
): Promise<unknown> {
  try {
    const reply: unknown = middleware(context, next)
    return reply instanceof Promise ? reply : Promise.resolve(reply)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Header changes up to this point were made by middleware, and are kept if the endpoint fails. */
function enterEndpoint(call: Call, inner: AroundMiddleware['inner']): Promise<FullReply> {
  return new Promise((resolve) => {
    call.middlewareChangeCount = call.changes?.length ?? 0
    call.resolveInner = resolve
    inner(call)
  })
}

/** Most replies are already serialized, so there is nothing to await. */
function takeReply(call: Call, reply: unknown): FullReply | Promise<FullReply> {
  if (reply instanceof FullReply && reply.isSerialized) return reply
  return new Promise<FullReply>((resolve) => resolve(checkMiddlewareResult(call, reply))).catch((error: unknown) =>
    middlewareFailure(call, error),
  )
}

/** Middleware may return a new reply. It is serialized here, so that outer middleware receives the error if that fails. */
function checkMiddlewareResult(call: Call, reply: unknown): FullReply | Promise<FullReply> {
  if (!(reply instanceof FullReply))
    throw new TypeError(
      'Cannot use the result of middleware: it must be a reply. Return the reply of "next()", or "reply(…)"',
    )
  refusePromises(call, reply.body)
  if (reply.status >= 400)
    throw new TypeError(
      `Cannot reply with status ${reply.status} from middleware: the status must be less than 400. Throw an HttpError`,
    )
  return serialize(reply, call)
}

/** The reply of the endpoint is lost, including headers that middleware set earlier. These are applied again. */
function middlewareFailure(call: Call, error: unknown): FullReply | Promise<FullReply> {
  call.changes = [...call.middlewareChanges, ...(call.changes ?? [])]
  call.middlewareChanges = []
  call.tasks = null
  return failureReply(call, error)
}
