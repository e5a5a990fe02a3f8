/** The endpoint of the option `metrics`, and the setup of measuring. */
import { reply } from '../context/reply.js'
import type { Context } from '../context/types.js'
import { SPEED, warnOfSlowCalls } from '../decorators/speed.js'
import { frameworkError } from '../errors/http-error.js'
import { acceptWeight } from '../http/media-type.js'
import type { Metrics } from '../observe/metrics.js'
import { metricsText, OPEN_METRICS, PROMETHEUS_TEXT } from '../observe/open-metrics.js'
import type { AppState } from '../request/app-state.js'
import type { Endpoint } from '../request/endpoint.js'
import type { RouteClass } from '../route/route-class.js'
import { Route } from '../route/route.js'
import type { BuiltInPlace } from './openapi-route.js'

/** Media types of metrics. The first one is preferred if the client accepts both equally. */
const TYPES = [OPEN_METRICS, PROMETHEUS_TEXT] as const

export function metricsRoute(place: BuiltInPlace, metrics: Metrics): RouteClass {
  return class extends Route {
    static readonly path = place.path
    static readonly uses = place.uses

    get({ request }: Context): unknown {
      const type = chosenType(request.headers['accept'])
      const text = metricsText(metrics.series(), metrics.active, type, metrics.usesFastPath?.())
      return reply(200, text, { 'content-type': type, 'cache-control': 'no-store', vary: 'accept' })
    }
  }
}

/** Returns the media type with the greatest weight (RFC 9110 section 12.5.1). */
function chosenType(accept: string | undefined): string {
  const offers = TYPES.map((type) => ({ type, weight: acceptWeight(accept, stripParameters(type)) }))
  const [best] = offers.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  if (best !== undefined) return best.type
  throw frameworkError(406, `Metrics are available as ${TYPES.map(stripParameters).join(' and ')}`, {
    available: [...TYPES],
  })
}

function stripParameters(type: string): string {
  return type.slice(0, type.indexOf(';'))
}

/** Starts measuring endpoints with `@speed`, or all endpoints if `isAll`. Adds no observer if there is nothing to measure. */
export function measureProcess(
  metrics: Metrics,
  state: AppState,
  endpoints: readonly Endpoint[],
  isAll: boolean,
): void {
  const { channel, logger } = state
  const measured = endpoints.filter(({ isTimed }) => isAll || isTimed)
  if (isAll || measured.length > 0) metrics.observe(channel, measured)
  if (isAll) metrics.observeActive(channel)
  const warnsOf = measured.flatMap(({ meta }) => SPEED.read(meta)?.slow ?? [])
  if (warnsOf.some((slow) => slow < Infinity)) warnOfSlowCalls(channel, logger)
}
