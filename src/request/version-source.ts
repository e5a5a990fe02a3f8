/** Where a request names the version that it asks for. */
import type { RequestView } from '../context/types.js'
import type { Exchange } from '../http/exchange.js'
import { acceptParameter } from '../http/media-type.js'
import type { Level } from '../observe/logger.js'
import { discardPromise, rejectedHook } from '../values/promises.js'

/** A parameter of the media types in `Accept`. */
export interface VersionParameter {
  /** Its name: `version` for `Accept: application/json;version=1.4`. */
  readonly mediaType: string
}

/**
 * Reads the version that a request asks for.
 *
 * @param request read-only
 * @returns the version as the request has it; `undefined` when it names none
 */
export type VersionReader = (request: RequestView) => string | undefined

/** Where a request names its version: in the header of this name, in a parameter of `Accept`, or where a function finds it. */
export type VersionFrom = string | VersionParameter | VersionReader

/** A request, as far as it can name a version. */
interface Asking {
  readonly exchange: Pick<Exchange, 'header'>
  readonly context: { readonly request: RequestView }
  /** Writes a line of the log. */
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface VersionSource {
  /** The version that a request asks for, as it wrote it. Returns the text; `undefined` when it names none. */
  readonly read: (asking: Asking) => string | undefined
  /** Where that stands, for the client: such as ` in the header accept-version`; empty when only a function knows. */
  readonly place: string
  /** Name of the header that it stands in, lower case; `undefined` where it is no header's whole value. */
  readonly header: string | undefined
  /** Value of `Vary`: what of the request the answer depends on. */
  readonly vary: string
}

export function versionSource(from: VersionFrom): VersionSource {
  if (typeof from === 'string') {
    const name = from.toLowerCase()
    const place = ` in the header ${name}`
    return { read: ({ exchange }) => exchange.header(name), place, header: name, vary: name }
  }
  // What a function reads is not known: "*" alone is true of all of them (RFC 9110 section 12.5.5).
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

/** An async function gives a promise, which is no version. */
function textFrom(value: unknown, asking: Asking): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  discardPromise(value, (err) => asking.report('error', { err }, rejectedHook('"versioning.from"')))
  throw new TypeError('The function in the option "versioning.from" returned neither a text nor undefined')
}
