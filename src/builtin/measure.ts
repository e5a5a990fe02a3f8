/** What is measured: endpoints with `@speed`, and with the option `metrics` all of them. */
import { SPEED, warnOfSlowCalls } from '../decorators/speed.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Logger } from '../logging/logger.js'
import type { Channel } from '../observe/channel.js'
import type { Endpoint } from '../request/endpoint.js'

/** An app that is to be measured. */
export interface Measurable {
  readonly channel: Channel
  readonly endpoints: readonly Endpoint[]
  readonly logger: Logger
  /** Whether all endpoints are measured. */
  readonly isAll: boolean
}

/** Begins to measure. Where nobody asked for it, nobody listens. */
export function measure(metrics: Metrics, { channel, logger, endpoints, isAll }: Measurable): void {
  const measured = endpoints.filter(({ isTimed }) => isAll || isTimed)
  if (isAll || measured.length > 0) metrics.observe(channel, measured)
  if (isAll) metrics.observeActive(channel)
  const settings = measured.flatMap(({ meta }) => SPEED.read(meta) ?? [])
  if (settings.some(({ slow }) => slow < Infinity)) warnOfSlowCalls(channel, logger)
}
