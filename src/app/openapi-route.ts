/** The endpoint of the option `openapi`. It serves the document of the requested version. */
import { reply } from '../context/reply.js'
import type { Context } from '../context/types.js'
import type { Documents } from '../openapi/documents.js'
import { frameworkError, type HttpError } from '../errors/http-error.js'
import type { Uses } from '../injection/provide.js'
import { tryLog } from '../observe/logger.js'
import type { VersionSettings } from '../setup/options.js'
import type { RouteClass } from '../route/route-class.js'
import { Route } from '../route/route.js'
import { parseVersion, type Version } from '../versioning/version.js'

export interface BuiltInPlace {
  readonly path: string
  readonly uses: Uses
  /** Whether a document without a guard is intended. */
  readonly isPublic?: boolean | undefined
}

export function openApiRoute(place: BuiltInPlace, documents: Documents, versioning: VersionSettings): RouteClass {
  return class extends Route {
    static readonly path = place.path
    static readonly uses = place.uses
    static readonly public = place.isPublic

    get(context: Context): unknown {
      const { request } = context
      const { text, etag } = documents.text(documents.isVersioned ? requestedVersion(context, versioning) : undefined)
      const vary = documents.isVersioned ? { vary: versioning.vary } : undefined
      const headers = { etag, 'cache-control': 'no-cache', ...vary }
      if (isKnown(request.headers['if-none-match'], etag)) return reply(304, null, headers)
      return reply(200, text, { ...headers, 'content-type': 'application/json' })
    }
  }
}

/** Returns the version that a request asks for. Throws a 400 if it is malformed. */
export function requestedVersion({ request, log }: Context, { read, place }: VersionSettings): Version | undefined {
  const documentOptions = read({
    exchange: { header: (name) => request.headers[name] },
    context: { request },
    report: (level, fields, message) => tryLog(log, level, fields, message),
  })
  const version = documentOptions === undefined ? undefined : parseVersion(documentOptions)
  if (documentOptions === undefined || version !== undefined) return version
  throw malformedVersion(place)
}

export function malformedVersion(place: string): HttpError {
  return frameworkError(400, `The version${place} is malformed. Send a version such as 1.4.0`)
}

/** Whether `if-none-match` matches. Uses weak comparison (RFC 9110 section 13.1.2), because a proxy may have weakened the ETag. */
export function isKnown(field: string | undefined, etag: string): boolean {
  const tags = (field ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
