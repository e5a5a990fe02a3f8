/** Sources of the requested version: a header, a parameter of `Accept`, or a function. */
import type { RequestView } from '../context/types.js'
import { acceptParameter } from '../http/media-type.js'
import type { VersionedRequest, VersionSource } from '../request/endpoint.js'
import { discardPromise, rejectedHook } from '../values/promises.js'

/** A parameter of the media types in `Accept`. */
export interface VersionParameter {
  /** Name of the parameter: `version` for `Accept: application/json;version=1.4`. */
  readonly mediaType: string
}

/**
 * Reads the version that a request specifies.
 *
 * @param request read-only
 * @returns the version as the client sent it; `undefined` if the request specifies none
 */
export type VersionReader = (request: RequestView) => string | undefined

/** Source of the requested version: the header with this name, a parameter of `Accept`, or a function. */
export type VersionFrom = string | VersionParameter | VersionReader

export function versionSource(from: VersionFrom): VersionSource {
  if (typeof from === 'string') {
    const name = from.toLowerCase()
    const place = ` in the header ${name}`
    const field = (version: string): string => `${name}: ${version}`
    return { read: ({ exchange }) => exchange.header(name), place, header: name, field, vary: name }
  }
  // A function may read any header, and only "*" covers all of them (RFC 9110 section 12.5.5).
  if (typeof from === 'function')
    return {
      read: (asking) => checkVersionText(from(asking.context.request), asking),
      place: '',
      header: undefined,
      field: undefined,
      vary: '*',
    }
  const name = from.mediaType.toLowerCase()
  return {
    read: ({ exchange }) => acceptParameter(exchange.header('accept'), name),
    place: ` in the parameter "${name}" of accept`,
    header: undefined,
    field: (version) => `accept: application/json;${name}=${version}`,
    vary: 'accept',
  }
}

function checkVersionText(value: unknown, asking: VersionedRequest): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  discardPromise(value, (err) => asking.report('error', { err }, rejectedHook('"versioning.from"')))
  throw new TypeError('Cannot use the result of "versioning.from": it must be a string or undefined')
}
