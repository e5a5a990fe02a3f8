/** Types of middleware, which wraps the requests of an app, a group or a class. */
import type { Reply } from './reply.js'
import type { Context, EndpointView } from './types.js'

/** First argument of middleware. */
export interface MiddlewareContext extends Context {
  /** The endpoint that handles the request; `undefined` if no endpoint matches (404, 405, OPTIONS). */
  readonly endpoint: EndpointView | undefined
}

/**
 * Wraps the handling of a request. `next()` never rejects: if the endpoint fails, it resolves to a reply with `error` set, so headers that
 * middleware adds are also sent with errors.
 *
 * @example
 * ```ts
 * import type { Middleware } from 'verbena'
 *
 * const timing: Middleware = async (context, next) => {
 *   const began = performance.now()
 *   const reply = await next()
 *   return reply.with({ 'server-timing': `total;dur=${(performance.now() - began).toFixed(1)}` })
 * }
 * timing.length // => 2
 * ```
 */
export type Middleware = (context: MiddlewareContext, next: () => Promise<Reply>) => Promise<Reply>
