/** Registration: from the classes of an app to its router. */
import type { Middleware } from '../context/middleware.js'
import { HttpError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import { allowOf } from '../http/methods.js'
import { classPath } from '../naming/class-path.js'
import { CONTEXT_NAMES } from '../route/bind-class.js'
import { collectRoutes, type RouteEntry } from '../route/collect.js'
import { readStatics, type RouteClass } from '../route/statics.js'
import { insert } from '../router/insert.js'
import { createRouter, type Router } from '../router/node.js'
import { parseTemplate, type Template } from '../router/template.js'
import type { Endpoint, PathRecord } from './endpoint.js'
import { methodsOf, prepareEndpoints, type Preparation, type PreparedRoute } from './prepare.js'

/** Everything that registration makes. */
export interface Registry {
  readonly router: Router<PathRecord>
  /** In the order of registration. */
  readonly endpoints: readonly Endpoint[]
  /** Where each class is mounted, for reverse routing: the first place first. */
  readonly templates: ReadonlyMap<RouteClass, readonly Template[]>
}

/**
 * Registers the routes of an app.
 *
 * @param routes as given to `createApp`
 * @param middleware of the app
 * @param preparation what all endpoints share
 * @returns the router and what belongs to it
 * @throws SetupError for every mistake in routes and classes
 */
export function registerRoutes(routes: unknown, middleware: readonly Middleware[], preparation: Preparation): Registry {
  checkServiceNames(preparation.services)
  const router = createRouter<PathRecord>()
  const endpoints: Endpoint[] = []
  const templates = new Map<RouteClass, Template[]>()
  for (const entry of collectRoutes(routes)) {
    const route = preparedRoute(entry)
    const template = parseTemplate(route.path, entry.name)
    const own = prepareEndpoints(route, preparation)
    insert(router, { template, owner: entry.name, value: recordOf(route, own, middleware) })
    endpoints.push(...own)
    templates.set(entry.routeClass, [...(templates.get(entry.routeClass) ?? []), template])
  }
  return { router, endpoints, templates }
}

function preparedRoute(entry: RouteEntry): PreparedRoute {
  const statics = readStatics(entry.routeClass, entry.name)
  const { mount } = entry.section
  const path = `${mount}${statics.prefix}${ownPath(entry, statics.path)}`
  const isTop = path === '' && entry.isRoot && statics.path === undefined
  return { entry, statics, path: isTop ? '/' : path }
}

function ownPath({ name, isRoot }: RouteEntry, path: string | undefined): string {
  if (path !== undefined) return path
  return isRoot ? '' : classPath(name)
}

function recordOf(
  { statics, entry }: PreparedRoute,
  endpoints: readonly Endpoint[],
  middleware: readonly Middleware[],
): PathRecord {
  const allow = allowOf(endpoints.map(({ verb }) => verb))
  const byMethod = endpoints.flatMap((endpoint) =>
    methodsOf(endpoint.verb).map((method) => [method, endpoint] as const),
  )
  return {
    endpoints: new Map(byMethod),
    allow,
    notAllowed: new HttpError(405, `This path answers ${allow}`, { headers: { allow } }),
    chain: [...middleware, ...entry.section.middleware, ...statics.middleware],
  }
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
