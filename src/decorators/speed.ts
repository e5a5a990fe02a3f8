/** `@speed`: measures requests to a verb method, for `app.metrics()`, the header `Server-Timing` and warnings. */
import { checkOptions, rule, type Rules } from '../errors/options.js'
import type { Logger } from '../observe/logger.js'
import { decorator, MetaKey, type Decorator } from '../route/decorator.js'
import type { Channel } from '../observe/channel.js'
import type { RequestEnd } from '../observe/event-types.js'
import { toMicros } from '../observe/histogram.js'
import { discardPromise } from '../values/promises.js'

/** Options of `@speed`. */
export interface SpeedOptions {
  /** Duration in ms above which a request is logged as a warning; default: no warnings. */
  readonly slow?: number
}

export const SPEED: MetaKey<{ readonly slow: number }> = new MetaKey('speed')

/**
 * Measures requests to a verb method. `app.metrics()` returns the figures, and the response header `Server-Timing` contains the duration
 * in ms.
 *
 * @throws SetupError `DECORATOR_MISUSED` if it is not on a verb method, `DECORATOR_INVALID` if `slow` is not a number of 0 or greater
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { speed } from 'verbena/decorators'
 *
 * class Home extends Route {@speed({ slow: 200 }) async get() { return { hello: 'world' } }}
 *
 * const app = createApp({ routes: { Home } })
 * const { headers } = await app.fetch(new Request('http://localhost/home'))
 * headers.get('server-timing')?.startsWith('app;dur=') // => true
 * app.metrics().total.count // => 1
 * ```
 */
export const speed: Decorator<[options?: SpeedOptions]> = decorator(function speed(options: SpeedOptions = {}) {
  checkOptions(options, RULES, '@speed')
  const { slow = Infinity } = options
  return { meta: SPEED.carry({ slow }) }
})

const RULES: Rules<SpeedOptions> = {
  slow: rule((value) => typeof value === 'number' && value >= 0, 'be a number of ms, 0 or greater', '200'),
}

/** Logs a warning for each request that takes longer than `slow` of its `@speed`. */
export function warnOfSlowCalls(channel: Channel, logger: Logger): void {
  channel.subscribe({
    end(end) {
      const { slow = Infinity } = (end.meta === undefined ? undefined : SPEED.read(end.meta)) ?? {}
      if (end.duration > slow) writeWarning(logger, end, slow)
    },
  })
}

/** Logs the path template, because the path may contain a secret. */
function writeWarning(logger: Logger, end: RequestEnd, slow: number): void {
  const { requestId, traceId, route, method, template, status } = end
  const duration = toMicros(end.duration)
  const trace = traceId === undefined ? undefined : { traceId }
  const fields = { requestId, ...trace, route, method, template, status, duration, slow }
  discardPromise(logger.warn(fields, `${method} ${template} took ${duration} ms, more than ${slow} ms`))
}
