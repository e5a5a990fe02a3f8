/** Registration: from the classes of an app to its router, and what answers each path. */
import { isDeepStrictEqual } from 'node:util'
import { CONTEXT_NAMES } from '../context/context-names.js'
import type { Middleware } from '../context/middleware.js'
import { preparedError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import { formatAllow } from '../http/methods.js'
import { classPath } from '../naming/kebab-case.js'
import type { Call } from '../request/call.js'
import type { Endpoint, PathEntry, PathUpgrade, EndpointlessPipelines } from '../request/endpoint.js'
import { ErrorFormats } from '../request/error-format.js'
import { endpointlessPipelines } from '../request/pipeline.js'
import { fieldError, readStatics, type RouteClass } from '../route/route-class.js'
import { collectRoutes, looksMangled, type RouteEntry, type Section, TOP } from '../route/collect.js'
import type { TakeUpgrades } from '../route/upgrade-mark.js'
import { Mounts } from '../router/mounts.js'
import { createRouter, insert, type Router } from '../router/router.js'
import { parseTemplate, type Template } from '../router/template.js'
import { methodsForVerb, type SetupContext, type PreparedRoute, prepareEndpoints } from './prepare.js'
import { isVersioned, pathVersions } from './versions.js'

export interface Registry {
  readonly router: Router<PathEntry<Call>>
  /** For paths that the router does not know; `null` where no route is a fallback. */
  readonly fallbacks: Router<PathEntry<Call>> | null
  /** Of the app, outermost first. */
  readonly middleware: readonly Middleware[]
  readonly endpoints: readonly Endpoint<Call>[]
  /** Where each class is mounted, for reverse routing: the first place first. */
  readonly templates: ReadonlyMap<RouteClass, readonly Template[]>
  /** Names that come from classes and look as if a bundler had changed them. */
  readonly mangled: ReadonlySet<string>
  /** What answers for paths below a group that no route has; `null` where they are answered as all others. */
  readonly mounts: Mounts<EndpointlessPipelines<Call>> | null
  /** `null` where all errors are problem details. */
  readonly formats: ErrorFormats | null
  /** What answers requests for an upgrade; `null` where there is none. */
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
  const plainClaims = claims.filter(({ entry, statics }) => entry.upgrade === null && !statics.isFallback)
  insertPaths(router, plainClaims, preparation, upgrading)
  const fallbacks = fallbackClaims.length === 0 ? null : createRouter<PathEntry<Call>>(router.spellings)
  if (fallbacks !== null) insertPaths(fallbacks, fallbackClaims, preparation)
  for (const claim of fallbackClaims) checkFallback(claim, plainClaims)
  const endpoints = claims.flatMap((claim) => claim.endpoints)
  const formats = planErrorFormats(entries, router, preparation)
  const mounts = buildMounts(entries, middleware, preparation)
  const upgrades = planUpgrades(upgrading, router, preparation)
  return { router, fallbacks, middleware, endpoints, templates, mangled, formats, mounts, upgrades }
}

/** They stand in a router of their own, where each answers GET: what else its path has is not asked for. */
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
    const state = `it answers GET and HEAD alone, and the class has the method "${writingVerb}"`
    throw fieldError('static fallback', entry.name, `${state}. Move that to a route that is no fallback`)
  }
  const rival = usual.find((claim) => templateShape(claim.template) === templateShape(template))
  // The path of a section may be that of a route: the section has others.
  if (rival === undefined || entry.isRoot) return
  const state = `"${rival.template.text}" of "${rival.entry.name}" answers all that it could. Remove one`
  throw new SetupError('ROUTE_CONFLICT', `Cannot register the fallback "${template.text}" of "${entry.name}": ${state}`)
}

/** Names of parameters do not tell templates apart. */
function templateShape({ segments }: Template): string {
  return segments.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : `/{${segment.kind}}`)).join('')
}

function topSection({ errorFormat, answers }: SetupContext): Section {
  return { ...TOP, errorFormat, answers }
}

function planErrorFormats(
  entries: readonly RouteEntry[],
  router: Registry['router'],
  own: SetupContext,
): ErrorFormats | null {
  const { errorFormat, formatPlans } = own
  const sections = entries.map(({ section }) => section)
  if (errorFormat === undefined && sections.every((section) => section.errorFormat === undefined)) return null
  const mounts = mountsWith(sections, (section) => formatPlans.of(section.errorFormat))
  return new ErrorFormats(formatPlans.of(errorFormat), router, mounts)
}

/** Groups that say something else of every answer than the app say it of the paths below them, too. */
function buildMounts(
  entries: readonly RouteEntry[],
  middleware: readonly Middleware[],
  { answers }: SetupContext,
): Registry['mounts'] {
  const sections = entries.map(({ section }) => section)
  if (sections.every((section) => section.answers === answers)) return null
  return mountsWith(sections, (section) => endpointlessPipelines(middleware, section.answers))
}

function mountsWith<T>(sections: readonly Section[], valueOf: (section: Section) => T): Mounts<T> {
  const mounted = sections.flatMap((section) => section.mounted)
  const byMount = new Map(mounted.map((section) => [section.mount, section]))
  const mounts = [...byMount].map(([mount, section]) => {
    // A group under `/` has the path of what is around it.
    return { template: parseTemplate(mount || '/', mount), value: valueOf(section) }
  })
  return new Mounts(mounts)
}

/** Registers a route of the framework's own, with a path. It is reached as any other, and stands in no list. Returns its endpoints. */
export function registerOwn(
  registry: Registry,
  name: string,
  routeClass: RouteClass,
  preparation: SetupContext,
): readonly Endpoint<Call>[] {
  const claim = registerClass(
    { name, routeClass, section: topSection(preparation), isRoot: false, upgrade: null },
    registry.middleware,
    preparation,
  )
  insertPaths(registry.router, [claim], preparation)
  return claim.endpoints
}

/** A class with its path and its endpoints. */
interface RegisteredClass extends PreparedRoute {
  readonly endpoints: readonly Endpoint<Call>[]
}

/** Those of one path. */
type PathClaims = readonly [RegisteredClass, ...RegisteredClass[]]

function registerClass(entry: RouteEntry, outer: readonly Middleware[], preparation: SetupContext): RegisteredClass {
  const { name, routeClass, section, isRoot } = entry
  const statics = readStatics(routeClass, name)
  const classOwnPath = statics.path ?? (isRoot ? '' : classPath(name))
  const path = `${section.mount}${statics.prefix}${classOwnPath}`
  const template = parseTemplate(path === '' && isRoot ? '/' : path, name)
  const route = { entry, statics, template, chain: [...outer, ...section.middleware, ...statics.middleware] }
  // No middleware stands around an upgrade: there is no reply to return. It stands around what else the path answers.
  const inner = entry.upgrade === null ? route : { ...route, chain: [] }
  return { ...route, endpoints: prepareEndpoints(inner, preparation) }
}

function checkServiceNames(services: object): void {
  const name = Object.keys(services).find((each) => CONTEXT_NAMES.includes(each))
  if (name === undefined) return
  const state = 'handlers get something else by it. Rename the service'
  throw new SetupError('SERVICE_NAME', `Cannot give a service the name "${name}": ${state}`)
}

/**
 * Classes with the same path template share it, when version constraints tell them apart. What a path answers to requests that
 * ask for no upgrade is theirs, where an upgrade has it as well.
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
    insert(router, { template: sharing[0].template, owner, value })
  }
}

/** What says at a path that it takes upgrades (RFC 9110 section 15.5.22). */
function pathUpgrade(protocol: string): PathUpgrade {
  const headers = { upgrade: protocol, connection: 'upgrade' }
  return { protocol, required: preparedError(426, `This path is for upgrades to ${protocol}`, { headers }) }
}

/** A class without any constraint does not share its path: what a path answers stays in one place. */
function checkShared(sharing: PathClaims): void {
  const [first, second] = sharing
  const unversioned = sharing.find(({ endpoints }) => !endpoints.some(isVersioned))
  if (second === undefined || unversioned === undefined) return
  const { entry, template } = unversioned === first ? second : unversioned
  const what = `the path "${template.text}" of "${entry.name}"`
  const state = `"${template.text}" of "${first.entry.name}" matches the same requests`
  const fix = 'Remove one, change a literal segment, or put @version on the methods of both'
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. ${fix}`)
}

/** A browser asks before it has chosen a version: the answer must hold for all of them. */
function checkCorsShared([first, ...others]: PathClaims): void {
  const { cors } = first.entry.section.answers
  const conflict = others.find(({ entry }) => !isDeepStrictEqual(entry.section.answers.cors, cors))
  if (conflict === undefined) return
  const what = `the path "${first.template.text}" of "${conflict.entry.name}"`
  const state = `"${first.entry.name}" has the same path, and other "cors"`
  throw new SetupError('ROUTE_CONFLICT', `Cannot register ${what}: ${state}. Put both into groups with the same "cors"`)
}

function buildPathEntry(sharing: PathClaims, preparation: SetupContext, upgrade: PathUpgrade | null): PathEntry<Call> {
  const { versioning, errorFormat, formatPlans } = preparation
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
    versions,
    hasFrameworkHeaders: versions !== null || endpoints.some(({ isTimed, sunset }) => isTimed || sunset !== null),
    allow,
    notAllowed: preparedError(405, `This path answers ${allow}`, { headers: { allow } }),
    upgrade,
    errorFormat: formatPlans.of(isOfAll ? format : errorFormat),
    ...endpointlessPipelines(sharedChain(sharing.map(({ chain }) => chain)), first.section.answers),
  }
}

/** For requests that no class answers: the middleware that is outermost in all of them. */
function sharedChain([first = [], ...others]: readonly (readonly Middleware[])[]): readonly Middleware[] {
  const end = first.findIndex((middleware, at) => others.some((chain) => chain[at] !== middleware))
  return end === -1 ? first : first.slice(0, end)
}
