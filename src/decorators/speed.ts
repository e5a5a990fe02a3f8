/** `@speed`: how long the calls of a verb method take, in figures, in a header of each answer, and as a warning. */
import type { Logger } from '../observe/logger.js'
import { decorator, decoratorError, MetaKey, type Decorator } from '../route/decorator.js'
import type { Channel } from '../observe/channel.js'
import type { RequestEnd } from '../observe/event-types.js'
import { toMicros } from '../observe/histogram.js'
import { discardPromise } from '../values/promises.js'

/** What is said of slow calls. */
export interface SpeedOptions {
  /** A call that takes longer than this, in ms, is logged as a warning; none unless given. */
  readonly slow?: number
}

export const SPEED: MetaKey<{ readonly slow: number }> = new MetaKey('speed')

/**
 * Measures the calls of a verb method: figures of them stand in `app.metrics()`, and each answer says in `Server-Timing` how many
 * ms it took.
 *
 * @throws SetupError `DECORATOR_MISUSED` on anything but a verb method, `DECORATOR_INVALID` when `slow` is no time
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { speed } from 'verbena/decorators'
 *
 * class Home extends Route {
 *   @speed({ slow: 200 })
 *   async get() {
 *     return { hello: 'world' }
 *   }
 * }
 * const app = createApp({ routes: { Home } })
 * const { headers } = await app.fetch(new Request('http://localhost/home'))
 * headers.get('server-timing')?.startsWith('app;dur=') // => true
 * app.metrics().total.count // => 1
 * ```
 */
export const speed: Decorator<[options?: SpeedOptions]> = decorator(function speed({
  slow = Infinity,
}: SpeedOptions = {}) {
  if (typeof slow === 'number' && slow >= 0) return { meta: SPEED.carry({ slow }) }
  throw decoratorError('@speed', `"slow" is ${String(slow)}. Give a number of ms from 0 up`)
})

/** Warns of each call that takes longer than the `slow` of its `@speed`. */
export function warnOfSlowCalls(channel: Channel, logger: Logger): void {
  channel.subscribe({
    end(end) {
      const { slow = Infinity } = (end.meta === undefined ? undefined : SPEED.read(end.meta)) ?? {}
      if (end.duration > slow) writeWarning(logger, end, slow)
    },
  })
}

/** The template stands for the path, in which there may be a secret. */
function writeWarning(logger: Logger, end: RequestEnd, slow: number): void {
  const { requestId, traceId, route, method, template, status } = end
  const duration = toMicros(end.duration)
  const trace = traceId === undefined ? undefined : { traceId }
  const fields = { requestId, ...trace, route, method, template, status, duration, slow }
  discardPromise(logger.warn(fields, `${method} ${template} took ${duration} ms, more than ${slow} ms`))
}
