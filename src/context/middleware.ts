/** Middleware: functions around the answers of an app, a group or a class. */
import type { Reply } from './reply.js'
import type { Context, EndpointView } from './types.js'

/** What middleware gets. */
export interface MiddlewareContext extends Context {
  /** The endpoint that will answer; `undefined` where none does (404, 405, OPTIONS). */
  readonly endpoint: EndpointView | undefined
}

/**
 * Wraps answers. `next()` always resolves: a failure is a reply with `error` set, so that headers set here are never lost.
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
