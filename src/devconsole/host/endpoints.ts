/** The endpoints of the app, with what records, figures and the view of routes say of each, made once. */
import type { NumberedEndpoint } from '../../observe/event-types.js'
import type { HostEndpoint } from './host.js'
import { readLine } from './stack.js'
import type { CodePlace } from '../wire/request-types.js'

export interface KnownEndpoint extends HostEndpoint, NumberedEndpoint {
  /** `UserProfiles.post`. */
  readonly handler: string
  readonly at: CodePlace | null
}

export function knowEndpoints(endpoints: readonly HostEndpoint[], root: string): readonly KnownEndpoint[] {
  return endpoints.map((endpoint, number) => known(endpoint, number, root))
}

function known(endpoint: HostEndpoint, number: number, root: string): KnownEndpoint {
  const { route, verb, place } = endpoint
  const frame = place === undefined ? undefined : readLine(place, root)
  const at = frame === undefined ? null : { file: frame.file, line: frame.line }
  return { ...endpoint, number, handler: `${route}.${verb}`, at }
}
