/** Sources of the requested version: a header, a parameter of `Accept`, or a function. */
import type { RequestView } from '../context/types.js'
import type { Exchange } from '../http/exchange.js'
import { acceptParameter } from '../http/media-type.js'
import type { Level } from '../observe/logger.js'
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

interface Asking {
  readonly exchange: Pick<Exchange, 'header'>
  readonly context: { readonly request: RequestView }
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface VersionSource {
  /** Returns the requested version as the client sent it; `undefined` if the request specifies none. */
  readonly read: (asking: Asking) => string | undefined
  /** Location of the version for error messages, such as ` in the header accept-version`; empty if only a function knows it. */
  readonly place: string
  /** Name of the header, in lower case, if its whole value is the version; otherwise `undefined`. */
  readonly header: string | undefined
  /** Value of `Vary`: headers on which the response depends. */
  readonly vary: string
}

export function versionSource(from: VersionFrom): VersionSource {
  if (typeof from === 'string') {
    const name = from.toLowerCase()
    const place = ` in the header ${name}`
    return { read: ({ exchange }) => exchange.header(name), place, header: name, vary: name }
  }
  // A function may read any header, and only "*" covers all of them (RFC 9110 section 12.5.5).
  if (typeof from === 'function')
    return { read: (asking) => textFrom(from(asking.context.request), asking), place: '', header: undefined, vary: '*' }
  const name = from.mediaType.toLowerCase()
  return {
    read: ({ exchange }) => acceptParameter(exchange.header('accept'), name),
    place: ` in the parameter "${name}" of accept`,
    header: undefined,
    vary: 'accept',
  }
}

function textFrom(value: unknown, asking: Asking): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  discardPromise(value, (err) => asking.report('error', { err }, rejectedHook('"versioning.from"')))
  throw new TypeError('Cannot use the result of "versioning.from": it must be a string or undefined')
}
