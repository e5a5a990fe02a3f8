/** The endpoints of the app, as the view of routes shows them. */
import type { HostEndpoint } from '../host/host.js'
import type { RouteList } from '../wire/view-types.js'

const NO_DOCUMENT = 'The OpenAPI document is not served: it is switched off, or a route has its path.'

export function listRoutes(endpoints: readonly HostEndpoint[], openapiPath: string | null): RouteList {
  const routes = endpoints.map(({ vendor: _, ...route }) => route)
  return { routes, warnings: openapiPath === null ? [NO_DOCUMENT] : [] }
}
