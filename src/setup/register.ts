/** Registration: from the classes of an app to its router, and what answers each path. */
import { isDeepStrictEqual } from 'node:util'
import { CONTEXT_NAMES } from '../context/context-names.js'
import type { Middleware } from '../context/middleware.js'
import { preparedError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import { allowOf } from '../http/methods.js'
import { classPath } from '../naming/kebab-case.js'
import type { VersionSettings } from '../options/options.js'
import type { Call } from '../request/call.js'
import type { Endpoint, PathRecord, Unanswered } from '../request/endpoint.js'
import { waysWithout } from '../request/way.js'
import { readStatics, type RouteClass } from '../route/route-class.js'
import { collectRoutes, looksMangled, type RouteEntry, type Section, TOP } from '../route/collect.js'
import { Mounts } from '../router/mounts.js'
import { createRouter, insert, type Router } from '../router/router.js'
import { parseTemplate, type Template } from '../router/template.js'
import { methodsOf, type Preparation, type PreparedRoute, prepareEndpoints } from './prepare.js'
import { isVersioned, pathVersions } from './versions.js'

export interface Registry {
  readonly router: Router<PathRecord<Call>>
  /** Of the app, outermost first. */
  readonly middleware: readonly Middleware[]
  readonly endpoints: readonly Endpoint<Call>[]
  /** Where each class is mounted, for reverse routing: the first place first. */
  readonly templates: ReadonlyMap<RouteClass, readonly Template[]>
  /** Names that come from classes and look as if a bundler had changed them. */
  readonly mangled: ReadonlySet<string>
  /** What answers for paths below a group that no route has; `null` where they are answered as all others. */
  readonly mounts: Mounts<Unanswered<Call>> | null
}

export function registerRoutes(routes: unknown, middleware: readonly Middleware[], preparation: Preparation): Registry {
  checkServiceNames(preparation.services)
  const router = createRouter<PathRecord<Call>>()
  const claims: Claim[] = []
  const templates = new Map<RouteClass, Template[]>()
  const mangled = new Set<string>()
  const entries = collectRoutes(routes, topOf(preparation))
  for (const entry of entries) {
    if ((entry.isRoot || Array.isArray(routes)) && looksMangled(entry.name)) mangled.add(entry.name)
    const claim = claimOf(entry, middleware, preparation)
    claims.push(claim)
    templates.set(entry.routeClass, [...(templates.get(entry.routeClass) ?? []), claim.template])
  }
  insertPaths(router, claims, preparation.versioning)
  const endpoints = claims.flatMap((claim) => claim.endpoints)
  return { router, middleware, endpoints, templates, mangled, mounts: mountsOf(entries, middleware, preparation) }
}

function topOf({ answers }: Preparation): Section {
  return { ...TOP, answers }
}

/** Groups that say something else of every answer than the app say it of the paths below them, too. */
function mountsOf(
  entries: readonly RouteEntry[],
  middleware: readonly Middleware[],
  { answers }: Preparation,
): Registry['mounts'] {
  const sections = entries.flatMap(({ section }) => section.mounted)
  if (sections.every((section) => section.answers === answers)) return null
  const byMount = new Map(sections.map((section) => [section.mount, section]))
  const mounts = [...byMount].map(([mount, section]) => {
    return { template: parseTemplate(mount, mount), value: waysWithout(middleware, section.answers) }
  })
  return new Mounts(mounts)
}

/** Registers a route of the framework's own, with a path. It is reached as any other, and stands in no list. */
export function registerOwn(registry: Registry, name: string, routeClass: RouteClass, preparation: Preparation): void {
  const section = topOf(preparation)
  const claim = claimOf({ name, routeClass, section, isRoot: false }, registry.middleware, preparation)
  insertPaths(registry.router, [claim], preparation.versioning)
}

/** Those of one path. */
type Sharing = readonly [Claim, ...Claim[]]

/** A class with its path and its endpoints. */
interface Claim extends PreparedRoute {
  readonly endpoints: readonly Endpoint<Call>[]
}

function claimOf(entry: RouteEntry, outer: readonly Middleware[], preparation: Preparation): Claim {
  const { name, routeClass, section, isRoot } = entry
  const statics = readStatics(routeClass, name)
  const own = statics.path ?? (isRoot ? '' : classPath(name))
  const path = `${section.mount}${statics.prefix}${own}`
  const template = parseTemplate(path === '' && isRoot ? '/' : path, name)
  const route = { entry, statics, template, chain: [...outer, ...section.middleware, ...statics.middleware] }
  return { ...route, endpoints: prepareEndpoints(route, preparation) }
}

function checkServiceNames(services: object): void {
  const name = Object.keys(services).find((each) => CONTEXT_NAMES.includes(each))
  if (name === undefined) return
  const state = 'handlers get something else by it. Rename the service'
  throw new SetupError('SERVICE_NAME', `Cannot give a service the name "${name}": ${state}`)
}

/** Classes with the same path template share it, when version constraints tell them apart. */
function insertPaths(router: Router<PathRecord<Call>>, claims: readonly Claim[], settings: VersionSettings): void {
  const byPath = new Map<string, Sharing>()
  for (const claim of claims) {
    const others = byPath.get(claim.template.text)
    byPath.set(claim.template.text, others === undefined ? [claim] : [...others, claim])
  }
  for (const [path, sharing] of byPath) {
    checkShared(sharing)
    checkCorsShared(sharing)
    const owner = sharing.map(({ entry }) => entry.name).join(', ')
    insert(router, { template: sharing[0].template, owner, value: recordOf(path, sharing, settings) })
  }
}

/** A class without any constraint does not share its path: what a path answers stays in one place. */
function checkShared(sharing: Sharing): void {
  const [first, second] = sharing
  const bare = sharing.find(({ endpoints }) => !endpoints.some(isVersioned))
  if (second === undefined || bare === undefined) return
  const { entry, template } = bare === first ? second : bare
  const what = `the path "${template.text}" of "${entry.name}"`
  const state = `"${template.text}" of "${first.entry.name}" matches the same requests`
  const wayOut = 'Remove one, change a literal segment, or put @version on the methods of both'
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. ${wayOut}`)
}

/** A browser asks before it has chosen a version: the answer must hold for all of them. */
function checkCorsShared([first, ...others]: Sharing): void {
  const { cors } = first.entry.section.answers
  const other = others.find(({ entry }) => !isDeepStrictEqual(entry.section.answers.cors, cors))
  if (other === undefined) return
  const what = `the path "${first.template.text}" of "${other.entry.name}"`
  const state = `"${first.entry.name}" has the same path, and other "cors"`
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. Put both into groups with the same "cors"`)
}

function recordOf(path: string, sharing: Sharing, settings: VersionSettings): PathRecord<Call> {
  const endpoints = sharing.flatMap((claim) => claim.endpoints)
  const versions = pathVersions(endpoints, settings)
  const allow = allowOf(endpoints.map(({ verb }) => verb))
  const byMethod = endpoints
    .filter((endpoint) => !isVersioned(endpoint))
    .flatMap((endpoint) => methodsOf(endpoint.verb).map((method) => [method, endpoint] as const))
  return {
    path,
    endpoints: new Map(byMethod),
    versions,
    hasFrameworkHeaders: versions !== null || endpoints.some(({ isTimed, sunset }) => isTimed || sunset !== null),
    allow,
    notAllowed: preparedError(405, `This path answers ${allow}`, { headers: { allow } }),
    ...waysWithout(sharedChain(sharing.map(({ chain }) => chain)), sharing[0].entry.section.answers),
  }
}

/** For requests that no class answers: the middleware that is outermost in all of them. */
function sharedChain([first = [], ...others]: readonly (readonly Middleware[])[]): readonly Middleware[] {
  const end = first.findIndex((middleware, at) => others.some((chain) => chain[at] !== middleware))
  return end === -1 ? first : first.slice(0, end)
}
