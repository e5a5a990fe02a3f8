/** Findings about the services of an app that has started. */
import type { AppServices } from '../injection/services.js'
import type { Endpoint } from '../request/endpoint.js'
import { isWithoutListener } from '../setup/service-errors.js'
import { hasMethods } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { Finding } from './findings.js'

/** Reports connections without a listener for errors. The first endpoint stands for the app. */
export function connectionsWithoutListener([first]: readonly Endpoint[], services: AppServices): Finding[] {
  if (first === undefined || !services.isMade) return []
  const { route, method } = first
  return Object.entries(services.values)
    .filter(([, service]) => isWithoutListener(service) && isConnection(service))
    .map(([name]) => {
      const message = `The service "${name}" has no "error" listener: Node ends the process if its connection is lost`
      const fix = `Write "${name}.on('error', …)" in its function. A pool connects again, a single client does not: use a pool`
      return { code: 'LISTENER_MISSING', route, method, message, fix } as const
    })
}

/** An emitter without these methods, such as a bus for events, has no connection to lose. */
function isConnection(value: unknown): boolean {
  return valueOr(() => hasMethods(value, ['query']) || hasMethods(value, ['connect']), false)
}
