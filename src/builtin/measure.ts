/** What is measured: endpoints with `@speed`, and with the option `metrics` all of them. */
import { SPEED, warnOfSlowCalls } from '../decorators/speed.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Core } from '../request/core.js'
import type { Endpoint } from '../request/endpoint.js'

/** An app that is to be measured. */
export interface Measurable {
  readonly core: Core
  readonly endpoints: readonly Endpoint[]
  /** Whether all endpoints are measured. */
  readonly isAll: boolean
}

/** Begins to measure. Where nobody asked for it, nobody listens. */
export function measure(metrics: Metrics, { core, endpoints, isAll }: Measurable): void {
  const measured = endpoints.filter(({ isTimed }) => isAll || isTimed)
  if (isAll || measured.length > 0) metrics.observe(core.telemetry, measured)
  if (isAll) metrics.observeActive(core.telemetry)
  const settings = measured.flatMap(({ meta }) => SPEED.read(meta) ?? [])
  if (settings.some(({ slow }) => slow < Infinity)) warnOfSlowCalls(core.telemetry, core.logger)
}
