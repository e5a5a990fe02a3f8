/** The endpoints of the app, as the view of routes shows them. */
import type { HostEndpoint } from '../host/host.js'
import type { RouteInfo, RouteList } from '../wire/view-types.js'

const NO_DOCUMENT = 'The OpenAPI document is not served: it is switched off, or a route has its path.'

export function listRoutes(endpoints: readonly HostEndpoint[], openapiPath: string | null): RouteList {
  return { routes: endpoints.map(routeOf), warnings: openapiPath === null ? [NO_DOCUMENT] : [] }
}

function routeOf(endpoint: HostEndpoint): RouteInfo {
  const { handler, route, method, path, at, decorators, constraint, isDeprecated, operation, warnings, notes } =
    endpoint
  return {
    id: handler,
    class: route,
    method,
    template: path,
    place: at,
    decorators,
    version: constraint,
    deprecated: isDeprecated,
    operation,
    warnings,
    notes,
  }
}
