/** Paths: what answers each, put together from the classes that have it. */
import type { Middleware } from '../context/middleware.js'
import { HttpError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import { allowOf } from '../http/methods.js'
import { insert, type Router } from '../router/router.js'
import type { Template } from '../router/template.js'
import type { Call } from '../request/call.js'
import type { Endpoint, PathRecord } from '../request/endpoint.js'
import { wayTo } from '../request/way.js'
import { methodsOf } from './prepare.js'
import type { VersionSettings } from '../options/settings.js'
import { isVersioned, pathVersions } from './versions.js'

/** A class, and the path that it answers. */
export interface Claim {
  /** Name of the route. */
  readonly owner: string
  readonly template: Template
  readonly endpoints: readonly Endpoint<Call>[]
  /** Middleware of app, groups and class, outermost first. */
  readonly chain: readonly Middleware[]
}

/** Puts paths into a router. Classes with the same path template share it, when version constraints tell them apart. */
export function insertPaths(
  router: Router<PathRecord<Call>>,
  claims: readonly Claim[],
  settings: VersionSettings,
): void {
  const byPath = new Map<string, [Claim, ...Claim[]]>()
  for (const claim of claims) {
    const sharing = byPath.get(claim.template.text)
    if (sharing === undefined) byPath.set(claim.template.text, [claim])
    else sharing.push(claim)
  }
  for (const [path, sharing] of byPath) {
    checkShared(sharing)
    const owner = sharing.map((claim) => claim.owner).join(', ')
    insert(router, { template: sharing[0].template, owner, value: recordOf(path, sharing, settings) })
  }
}

/** A class without any constraint shares its path with nobody: what a path answers stays in one place. */
function checkShared(sharing: readonly [Claim, ...Claim[]]): void {
  const [first, second] = sharing
  const bare = sharing.find(({ endpoints }) => !endpoints.some(isVersioned))
  if (second === undefined || bare === undefined) return
  const { owner, template } = bare === first ? second : bare
  throw new SetupError(
    'ROUTE_CONFLICT',
    `Cannot register the path "${template.text}" of "${owner}": "${template.text}" of "${first.owner}" matches the same ` +
      'requests. Remove one, change a literal segment, or put @version on the methods of both',
  )
}

function recordOf(path: string, sharing: readonly Claim[], settings: VersionSettings): PathRecord<Call> {
  const endpoints = sharing.flatMap((claim) => claim.endpoints)
  const allow = allowOf(endpoints.map(({ verb }) => verb))
  const byMethod = endpoints
    .filter((endpoint) => !isVersioned(endpoint))
    .flatMap((endpoint) => methodsOf(endpoint.verb).map((method) => [method, endpoint] as const))
  return {
    path,
    endpoints: new Map(byMethod),
    versions: pathVersions(endpoints, settings),
    allow,
    notAllowed: new HttpError(405, `This path answers ${allow}`, { headers: { allow } }),
    way: wayTo(null, sharedChain(sharing.map(({ chain }) => chain))),
  }
}

/** What no class answers, all of them wrap: the middleware that is outermost in each. */
function sharedChain([first = [], ...others]: readonly (readonly Middleware[])[]): readonly Middleware[] {
  const end = first.findIndex((middleware, at) => others.some((chain) => chain[at] !== middleware))
  return end === -1 ? first : first.slice(0, end)
}
