/** The endpoints of the app, with what records, figures and the view of routes say of each, made once. */
import type { HostEndpoint } from './host.js'
import { readLine } from './stack.js'
import type { CodePlace } from './wire.js'

/** An endpoint of the app. */
export interface KnownEndpoint extends HostEndpoint {
  /** `UserProfiles.post`. */
  readonly handler: string
  /** Where its contract stands. */
  readonly at: CodePlace | null
}

/**
 * Looks at endpoints once.
 *
 * @param endpoints of the app
 * @param root folder that files are named from
 * @returns them by the object that names them in a trail, in the order of registration
 */
export function knowEndpoints(endpoints: readonly HostEndpoint[], root: string): ReadonlyMap<object, KnownEndpoint> {
  return new Map(endpoints.map((endpoint) => [endpoint.key, known(endpoint, root)]))
}

function known(endpoint: HostEndpoint, root: string): KnownEndpoint {
  const { route, verb, place } = endpoint
  const frame = place === undefined ? undefined : readLine(place, root)
  const at = frame === undefined ? null : { file: frame.file, line: frame.line }
  return { ...endpoint, handler: `${route}.${verb}`, at }
}
