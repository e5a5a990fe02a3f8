/** Registration of an app's route classes: router, fallbacks, mounts and upgrades. */
import { isDeepStrictEqual } from 'node:util'
import { CONTEXT_NAMES } from '../context/context-names.js'
import type { Middleware } from '../context/middleware.js'
import { preparedError } from '../errors/prepared-error.js'
import { SetupError } from '../errors/setup-error.js'
import { formatAllow, methodsForVerb } from '../http/methods.js'
import { classPath } from '../naming/kebab-case.js'
import type { Call } from '../request/call.js'
import type { Endpoint, PathEntry, PathUpgrade, EndpointlessSettings } from '../request/endpoint.js'
import { responseSteps } from '../features/responses/response-steps.js'
import { fieldError, readStatics, type RouteClass } from '../route/route-class.js'
import { collectRoutes, looksMangled, type RouteEntry, type Section, TOP_SECTION } from './collect.js'
import type { TakeUpgrades } from '../route/upgrade-mark.js'
import { Mounts } from '../router/mounts.js'
import { createRouter, insertLeaf, type Router } from '../router/router.js'
import { addSpellings } from '../router/spellings.js'
import { joinPaths, parseTemplate, type Template } from '../router/template.js'
import { type SetupContext, type PreparedRoute, prepareEndpoints } from './prepare.js'
import { isVersioned, pathVersions } from './versions.js'

export interface Registry {
  readonly router: Router<PathEntry<Call>>
  /** Used for paths that do not match in `router`; `null` without fallback routes. */
  readonly fallbacks: Router<PathEntry<Call>> | null
  /** Mounted handlers; `null` without handlers. */
  readonly handlers: Mounts<PathEntry<Call>> | null
  /** Middleware of the app, outermost first. */
  readonly middleware: readonly Middleware[]
  readonly endpoints: readonly Endpoint<Call>[]
  /** Endpoints of the options `openapi` and `metrics`. */
  readonly builtIn: Endpoint<Call>[]
  /** Templates of each class in the order of registration. Reverse routing uses the first one. */
  readonly templates: ReadonlyMap<RouteClass, readonly Template[]>
  /** Class names that look as if a bundler had changed them. */
  readonly mangled: ReadonlySet<string>
  /** Names of classes in an array whose path is derived from the class name. */
  readonly unpinned: ReadonlySet<string>
  /** Settings of unmatched paths below a group; `null` if all groups have the settings of the app. */
  readonly mounts: Mounts<EndpointlessSettings<Call>> | null
  /** Whether the app or a group has an `errorFormat`. */
  readonly hasErrorFormats: boolean
  /** Router of upgrade requests; `null` without upgrade routes. */
  readonly upgrades: Upgrades | null
}

interface Upgrades {
  readonly router: Router<PathEntry<Call>>
  readonly take: TakeUpgrades
}

export function registerRoutes(
  routes: unknown,
  middleware: readonly Middleware[],
  preparation: SetupContext,
): Registry {
  checkServiceNames(preparation.services)
  const router = createRouter<PathEntry<Call>>()
  const claims: RegisteredClass[] = []
  const templates = new Map<RouteClass, Template[]>()
  const mangled = new Set<string>()
  const entries = collectRoutes(routes, topSection(preparation))
  for (const entry of entries) {
    const isOfClass = entry.upgrade === null && (entry.isRoot || Array.isArray(routes))
    if (isOfClass && looksMangled(entry.name)) mangled.add(entry.name)
    const claim = registerClass(entry, middleware, preparation)
    claims.push(claim)
    templates.set(entry.routeClass, [...(templates.get(entry.routeClass) ?? []), claim.template])
  }
  const fallbackClaims = claims.filter(({ statics }) => statics.isFallback)
  const upgrading = claims.filter(({ entry }) => entry.upgrade !== null)
  const isPlain = ({ entry, statics }: RegisteredClass): boolean =>
    entry.upgrade === null && !entry.isMount && !statics.isFallback
  const plainClaims = claims.filter(isPlain)
  insertPaths(router, plainClaims, preparation, upgrading)
  const fallbacks = fallbackClaims.length === 0 ? null : createRouter<PathEntry<Call>>(router.spellings)
  if (fallbacks !== null) insertPaths(fallbacks, fallbackClaims, preparation)
  for (const claim of fallbackClaims) checkFallback(claim, plainClaims)
  const endpoints = claims.flatMap((claim) => claim.endpoints)
  const hasErrorFormats =
    preparation.errorFormat !== undefined || entries.some(({ section }) => section.errorFormat !== undefined)
  const mounts = buildMounts(entries, middleware, preparation)
  const upgrades = planUpgrades(upgrading, router, preparation)
  return {
    router,
    fallbacks,
    handlers: planHandlers(claims, router, preparation),
    middleware,
    endpoints,
    builtIn: [],
    templates,
    mangled,
    unpinned: Array.isArray(routes) ? unpinnedNames(claims) : new Set(),
    hasErrorFormats,
    mounts,
    upgrades,
  }
}

/** Mounted handlers are not in the router, because they match all paths below theirs, also with empty segments and a trailing slash. */
function planHandlers(
  claims: readonly RegisteredClass[],
  { spellings }: Registry['router'],
  own: SetupContext,
): Registry['handlers'] {
  const mounted = claims.filter(({ entry }) => entry.isMount)
  const names = mounted.map(({ entry }) => entry.name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) {
    const state = 'another handler is mounted at the same path. Remove one of them'
    throw new SetupError('ROUTE_CONFLICT', `Cannot mount a handler at "${repeated}": ${state}`)
  }
  if (mounted.length === 0) return null
  return new Mounts(
    mounted.map((claim) => {
      const { name } = claim.entry
      const template = parseTemplate(name, name)
      addSpellings(spellings, template)
      return { template, value: buildPathEntry([claim], own, null) }
    }),
  )
}

function unpinnedNames(claims: readonly RegisteredClass[]): Set<string> {
  return new Set(claims.filter(({ statics }) => statics.path === undefined).map(({ entry }) => entry.name))
}

/** Builds a separate router for upgrade requests, in which each path handles only its upgrade. */
function planUpgrades(
  claims: readonly RegisteredClass[],
  { spellings }: Registry['router'],
  own: SetupContext,
): Upgrades | null {
  const take = claims[0]?.entry.upgrade?.take
  if (take === undefined) return null
  const router = createRouter<PathEntry<Call>>(spellings)
  insertPaths(router, claims, own)
  return { router, take }
}

function checkFallback({ entry, endpoints, template }: RegisteredClass, usual: readonly RegisteredClass[]): void {
  const writingVerb = endpoints.find(({ verb }) => verb !== 'get')?.verb
  if (writingVerb !== undefined) {
    const state = `a fallback only handles GET and HEAD, but the class has the method "${writingVerb}"`
    throw fieldError('static fallback', entry.name, `${state}. Move it to a route that is not a fallback`)
  }
  const rival = usual.find((claim) => templateShape(claim.template) === templateShape(template))
  // A section may share its root path with a route, because it also has other paths.
  if (rival === undefined || entry.isRoot) return
  const state = `"${rival.template.text}" of "${rival.entry.name}" matches all of its paths. Remove one of them`
  throw new SetupError('ROUTE_CONFLICT', `Cannot register the fallback "${template.text}" of "${entry.name}": ${state}`)
}

/** Returns the template without parameter names, because they do not affect which paths match. */
function templateShape({ segments }: Template): string {
  return segments.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : `/{${segment.kind}}`)).join('')
}

function topSection({ errorFormat, responseSettings }: SetupContext): Section {
  return { ...TOP_SECTION, errorFormat, responseSettings }
}

function buildMounts(
  entries: readonly RouteEntry[],
  middleware: readonly Middleware[],
  { responseSettings, errorFormat, formatPlans, endpointless }: SetupContext,
): Registry['mounts'] {
  const sections = entries.map(({ section }) => section)
  const isOfApp = (section: Section): boolean =>
    section.responseSettings === responseSettings && section.errorFormat === errorFormat
  if (sections.every(isOfApp)) return null
  const byMount = new Map(sections.flatMap(({ mounted }) => mounted).map((section) => [section.mount, section]))
  const mounts = [...byMount].map(([mount, section]) => {
    const value = endpointless.settings(
      middleware,
      responseSteps(section.responseSettings),
      formatPlans.of(section.errorFormat),
    )
    // A group with the key `/` has the mount of its parent.
    return { template: parseTemplate(mount || '/', mount), value }
  })
  return new Mounts(mounts)
}

/**
 * Registers a built-in route, such as the metrics, and returns its endpoints. They are not added to `registry.endpoints`.
 *
 * @see docs/decisions/0020-guards-of-built-in-routes.md
 */
export function registerOwn(
  registry: Registry,
  name: string,
  routeClass: RouteClass,
  preparation: SetupContext,
): readonly Endpoint<Call>[] {
  const claim = registerClass(
    { name, routeClass, section: topSection(preparation), isRoot: false, upgrade: null, isMount: false },
    registry.middleware,
    preparation,
  )
  insertPaths(registry.router, [claim], preparation)
  registry.builtIn.push(...claim.endpoints)
  return claim.endpoints
}

interface RegisteredClass extends PreparedRoute {
  readonly endpoints: readonly Endpoint<Call>[]
}

/** Classes that share a path. */
type PathClaims = readonly [RegisteredClass, ...RegisteredClass[]]

function registerClass(entry: RouteEntry, outer: readonly Middleware[], preparation: SetupContext): RegisteredClass {
  const { name, routeClass, section, isRoot } = entry
  const statics = readStatics(routeClass, name)
  const classOwnPath = statics.path ?? (isRoot ? '' : classPath(name))
  const path = joinPaths(section.mount + statics.prefix, classOwnPath)
  const template = parseTemplate(path === '' && isRoot ? '/' : path, name)
  const route = { entry, statics, template, chain: [...outer, ...section.middleware, ...statics.middleware] }
  // Middleware does not wrap an upgrade, because there is no reply to return. It still wraps other requests to the path.
  const inner = entry.upgrade === null ? route : { ...route, chain: [] }
  return { ...route, endpoints: prepareEndpoints(inner, preparation) }
}

function checkServiceNames(services: object): void {
  const name = Object.keys(services).find((each) => CONTEXT_NAMES.includes(each))
  if (name === undefined) return
  const state = 'the name is reserved for the context of handlers. Rename the service'
  throw new SetupError('SERVICE_NAME', `Cannot register the service "${name}": ${state}`)
}

/**
 * Inserts each path once. Classes can share a path if their version constraints differ. A path can have an upgrade in addition to
 * classes, which handle all other requests.
 */
function insertPaths(
  router: Router<PathEntry<Call>>,
  claims: readonly RegisteredClass[],
  preparation: SetupContext,
  upgrading: readonly RegisteredClass[] = [],
): void {
  const byPath = new Map<string, PathClaims>()
  for (const claim of claims) {
    const samePath = byPath.get(claim.template.text)
    byPath.set(claim.template.text, samePath === undefined ? [claim] : [...samePath, claim])
  }
  for (const claim of upgrading) {
    if (!byPath.has(claim.template.text)) byPath.set(claim.template.text, [{ ...claim, endpoints: [] }])
  }
  for (const [path, sharing] of byPath) {
    checkShared(sharing)
    checkCorsShared(sharing)
    const owner = sharing.map(({ entry }) => entry.name).join(', ')
    const upgrade = upgrading.find(({ template }) => template.text === path)?.entry.upgrade ?? null
    const value = buildPathEntry(sharing, preparation, upgrade && pathUpgrade(upgrade.protocol))
    insertLeaf(router, { template: sharing[0].template, owner, value })
  }
}

/** Builds the 426 response for requests without an upgrade (RFC 9110 section 15.5.22). */
function pathUpgrade(protocol: string): PathUpgrade {
  const headers = { upgrade: protocol, connection: 'upgrade' }
  return { protocol, required: preparedError(426, `This path requires an upgrade to ${protocol}`, { headers }) }
}

/** Throws if one of several classes with the same path has no version constraint. */
function checkShared(sharing: PathClaims): void {
  const [first, second] = sharing
  const unversioned = sharing.find(({ endpoints }) => !endpoints.some(isVersioned))
  if (second === undefined || unversioned === undefined) return
  const { entry, template } = unversioned === first ? second : unversioned
  const what = `the path "${template.text}" of "${entry.name}"`
  const state = `"${template.text}" of "${first.entry.name}" matches the same requests`
  const fix = 'Remove one, change a literal segment, or add @version to the methods of both'
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. ${fix}`)
}

/** Throws if classes with the same path have different CORS settings, because a preflight request does not specify a version. */
function checkCorsShared([first, ...others]: PathClaims): void {
  const { cors } = first.entry.section.responseSettings
  const conflict = others.find(({ entry }) => !isDeepStrictEqual(entry.section.responseSettings.cors, cors))
  if (conflict === undefined) return
  const what = `the path "${first.template.text}" of "${conflict.entry.name}"`
  const state = `"${first.entry.name}" has the same path but different "cors" options`
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. Move both to groups with the same "cors"`)
}

function buildPathEntry(sharing: PathClaims, preparation: SetupContext, upgrade: PathUpgrade | null): PathEntry<Call> {
  const { versioning, errorFormat, formatPlans, endpointless } = preparation
  const [{ entry: first, template }] = sharing
  const endpoints = sharing.flatMap((claim) => claim.endpoints)
  const versions = pathVersions(endpoints, versioning)
  const { errorFormat: format } = first.section
  const isOfAll = sharing.every(({ entry }) => entry.section.errorFormat === format)
  const allow = formatAllow([...endpoints.map(({ verb }) => verb), ...(upgrade === null ? [] : (['get'] as const))])
  const byMethod = endpoints
    .filter((endpoint) => !isVersioned(endpoint))
    .flatMap((endpoint) => methodsForVerb(endpoint.verb).map((method) => [method, endpoint] as const))
  return {
    path: template.text,
    endpoints: new Map(byMethod),
    mounted: endpoints.find(({ verb }) => verb === 'all') ?? null,
    versions,
    hasFrameworkHeaders: versions !== null || endpoints.some(({ isTimed, sunset }) => isTimed || sunset !== null),
    allow,
    acceptQuery: formatAcceptQuery(endpoints),
    notAllowed: endpointless.notAllowed(allow),
    upgrade,
    ...endpointless.settings(
      sharedChain(sharing.map(({ chain }) => chain)),
      responseSteps(first.section.responseSettings),
      formatPlans.of(isOfAll ? format : errorFormat),
    ),
  }
}

/** Returns the value of `Accept-Query`: the media types of all QUERY endpoints of a path. */
function formatAcceptQuery(endpoints: readonly Endpoint<Call>[]): string | null {
  const types = endpoints.flatMap(({ verb, body }) => (verb === 'query' && body !== null ? body.types.split(', ') : []))
  return types.length === 0 ? null : [...new Set(types)].join(', ')
}

/** Returns the middleware for requests without an endpoint: the outermost middleware that all chains have in common. */
function sharedChain([first = [], ...others]: readonly (readonly Middleware[])[]): readonly Middleware[] {
  const end = first.findIndex((middleware, at) => others.some((chain) => chain[at] !== middleware))
  return end === -1 ? first : first.slice(0, end)
}
