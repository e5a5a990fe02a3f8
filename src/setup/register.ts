/** Registration: from the classes of an app to its router. */
import { CONTEXT_NAMES } from '../context/context-names.js'
import type { Middleware } from '../context/middleware.js'
import { SetupError } from '../errors/setup-error.js'
import { classPath } from '../naming/class-path.js'
import { collectRoutes, looksMangled, TOP, type RouteEntry } from '../route/collect.js'
import { readStatics, type RouteClass } from '../route/statics.js'
import { createRouter, type Router } from '../router/router.js'
import { parseTemplate, type Template } from '../router/template.js'
import type { Call } from '../request/call.js'
import type { Endpoint, PathRecord } from '../request/endpoint.js'
import { insertPaths, type Claim } from './paths.js'
import { prepareEndpoints, type Preparation, type PreparedRoute } from './prepare.js'

/** Everything that registration makes. */
export interface Registry {
  readonly router: Router<PathRecord<Call>>
  /** In the order of registration. */
  readonly endpoints: readonly Endpoint<Call>[]
  /** Where each class is mounted, for reverse routing: the first place first. */
  readonly templates: ReadonlyMap<RouteClass, readonly Template[]>
  /** Names that come from classes and look as if a bundler had changed them. */
  readonly mangled: ReadonlySet<string>
}

/** Registers the routes of an app. */
export function registerRoutes(routes: unknown, middleware: readonly Middleware[], preparation: Preparation): Registry {
  checkServiceNames(preparation.services)
  const router = createRouter<PathRecord<Call>>()
  const claims: Claim[] = []
  const templates = new Map<RouteClass, Template[]>()
  const mangled = new Set<string>()
  for (const entry of collectRoutes(routes)) {
    if ((entry.isRoot || Array.isArray(routes)) && looksMangled(entry.name)) mangled.add(entry.name)
    const claim = claimOf(preparedRoute(entry, middleware), preparation)
    const { template } = claim
    claims.push(claim)
    templates.set(entry.routeClass, [...(templates.get(entry.routeClass) ?? []), template])
  }
  insertPaths(router, claims, preparation.versioning)
  return { router, endpoints: claims.flatMap((claim) => claim.endpoints), templates, mangled }
}

/** What a route of the framework's own is registered with. */
export interface OwnRoute {
  /** For the texts of errors. */
  readonly name: string
  /** A class with a path. */
  readonly routeClass: RouteClass
  /** Middleware of the app. */
  readonly middleware: readonly Middleware[]
  readonly preparation: Preparation
}

/** Registers a route of the framework's own. It is reached as any other, and stands in no list. */
export function registerOwn({ router }: Registry, { name, routeClass, middleware, preparation }: OwnRoute): void {
  const route = preparedRoute({ name, routeClass, section: TOP, isRoot: false }, middleware)
  insertPaths(router, [claimOf(route, preparation)], preparation.versioning)
}

function claimOf(route: PreparedRoute, preparation: Preparation): Claim {
  const owner = route.entry.name
  const template = parseTemplate(route.path, owner)
  return { owner, template, endpoints: prepareEndpoints(route, preparation), chain: route.chain }
}

function preparedRoute(entry: RouteEntry, outer: readonly Middleware[]): PreparedRoute {
  const statics = readStatics(entry.routeClass, entry.name)
  const { mount } = entry.section
  const path = `${mount}${statics.prefix}${ownPath(entry, statics.path)}`
  const chain = [...outer, ...entry.section.middleware, ...statics.middleware]
  return { entry, statics, path: path === '' && entry.isRoot ? '/' : path, chain }
}

function ownPath({ name, isRoot }: RouteEntry, path: string | undefined): string {
  if (path !== undefined) return path
  return isRoot ? '' : classPath(name)
}

function checkServiceNames(services: object): void {
  for (const name of Object.keys(services)) {
    if (!CONTEXT_NAMES.includes(name)) continue
    throw new SetupError(
      'SERVICE_NAME',
      `Cannot give a service the name "${name}": handlers get something else by it. Rename the service`,
    )
  }
}
