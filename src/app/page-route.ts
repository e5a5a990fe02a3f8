/** The endpoint of `openapi.page`. It serves the page of the document of the requested version. */
import { reply } from '../context/reply.js'
import type { Context } from '../context/types.js'
import { BASE, type ConsoleState } from '../devconsole/host/console-state.js'
import type { Documents } from '../openapi/documents.js'
import type { Endpoint } from '../request/endpoint.js'
import type { RouteClass } from '../route/route-class.js'
import { Route } from '../route/route.js'
import type { VersionSettings } from '../setup/options.js'
import { parseVersion, type Version } from '../versioning/version.js'
import { isKnown, malformedVersion, requestedVersion, type BuiltInPlace } from './openapi-route.js'
import type { PageVersion } from '../reference/page-options.js'
import type { PreviousDocument, ServedPages } from '../reference/served-page.js'

interface PageParts {
  readonly documents: Documents
  readonly versioning: VersionSettings
  /** Path of the document; `null` if it is not served. */
  readonly path: string | null
  /** Forms of the console by operation id; `null` outside of development. */
  readonly forms: ReadonlyMap<string, string> | null
}

export function pageRoute(place: BuiltInPlace, { documents, versioning, path, forms }: PageParts): RouteClass {
  let pages: ServedPages | undefined
  return class extends Route {
    static readonly path = place.path
    static readonly uses = place.uses
    static readonly public = place.isPublic

    async get(context: Context): Promise<unknown> {
      /* c8 ignore next -- the test runner compiles an import to an additional branch */
      const { ServedPages } = await import('../reference/served-page.js')
      pages ??= new ServedPages()
      const version = documents.isVersioned ? pageVersion(context, versioning) : undefined
      const document = documents.text(version)
      const versions = documents.versions(version).map((each) => ({ ...each, url: `?version=${each.name}` }))
      const previous = previousDocument(documents, versions)
      const options = { documentUrl: path ?? undefined, forms, versions, previous }
      const etag = pages.etag(document, options)
      const vary = documents.isVersioned ? { vary: versioning.vary } : undefined
      const headers = {
        ...{ etag, 'cache-control': 'no-cache', 'content-security-policy': ServedPages.policy },
        ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', ...vary },
      }
      if (isKnown(context.request.headers['if-none-match'], etag)) return reply(304, null, headers)
      const body = pages.body(etag, document, options)
      return reply(200, body, { ...headers, 'content-type': 'text/html; charset=utf-8' })
    }
  }
}

/** Returns the document of the version before the current one; `undefined` for the first. */
function previousDocument(documents: Documents, versions: readonly PageVersion[]): PreviousDocument | undefined {
  const name = versions[versions.findIndex(({ isCurrent }) => isCurrent) - 1]?.name
  return name === undefined ? undefined : { name, ...documents.text(parseVersion(name)) }
}

/** The version in the query, for links of the page, takes precedence over the version of the request. */
function pageVersion(context: Context, versioning: VersionSettings): Version | undefined {
  const [, query = ''] = context.request.url.split('?', 2)
  const text = new URLSearchParams(query).get('version')
  if (text === null) return requestedVersion(context, versioning)
  const version = parseVersion(text)
  if (version === undefined) throw malformedVersion(' in the query parameter "version"')
  return version
}

/** Returns the forms of the console by operation id, in development. */
export function consoleForms(endpoints: readonly Endpoint[], state: ConsoleState): ReadonlyMap<string, string> | null {
  if (state !== 'open') return null
  return new Map(
    endpoints.map(({ route, verb, contract }) => {
      const id = `${route}.${verb}`
      return [contract?.operationId ?? id, `${BASE}#/routes/${encodeURIComponent(id)}`]
    }),
  )
}
