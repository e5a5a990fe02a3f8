/** Version negotiation: finds the endpoint of a path that supports the requested version. */
import { HttpError } from '../errors/http-error.js'
import type { HeaderChange } from '../http/fields.js'
import { satisfies } from '../versioning/constraint.js'
import { parseVersion, printVersion, type Version } from '../versioning/version.js'
import type { Call } from './call.js'
import type { VersionChoice, PathVersions, VersionTable } from './endpoint.js'
import { frameworkHeaders, addVary } from './framework-headers.js'

/** Limits the cache of requested strings, which clients control. */
const MAX_KNOWN = 100

/** Finds the endpoint for a request to a path with versions. A method without constraints supports every version. */
export function negotiate(call: Call, { tables, read }: PathVersions<Call>): VersionChoice<Call> | null {
  const table = tables.get(call.exchange.method)
  if (table === undefined) return null
  const media = read(call)
  if (call.observer !== null) call.observer.requestedVersion = media
  const choice = media === undefined ? table.fallback : (table.known.get(media) ?? chooseMediaType(table, media))
  if (choice instanceof HttpError) {
    call.failure = { error: choice }
    return null
  }
  call.endpoint = choice.endpoint
  return choice
}

function chooseMediaType(table: VersionTable<Call>, requestedVersion: string): VersionChoice<Call> | HttpError {
  const version = parseVersion(requestedVersion)
  if (version === undefined) return table.malformed
  const choice = chooseVersion(table, version)
  if (choice === undefined) return table.unsupported
  // A full cache is cleared, so that a client that requests many versions cannot keep common versions out of the cache.
  if (table.known.size >= MAX_KNOWN) table.known.clear()
  table.known.set(requestedVersion, choice)
  return choice
}

/** Returns the endpoint that supports a version; `undefined` if there is none. */
export function chooseVersion<C>(
  { endpoints, vary }: Pick<VersionTable<C>, 'endpoints' | 'vary'>,
  requestedVersion: Version,
): VersionChoice<C> | undefined {
  const endpoint = endpoints.find(({ constraint }) => satisfies(constraint, requestedVersion))
  if (endpoint === undefined) return undefined
  const version = printVersion(requestedVersion)
  const named: HeaderChange = { name: 'api-version', value: version, append: false }
  const { changes } = endpoint.frameworkHeaders
  return { endpoint, version, frameworkHeaders: frameworkHeaders([addVary(vary), named, ...changes]) }
}
