/** Endpoints of an app as a surface lists them: with their headings, in their order. */
import type { AppParts } from '../app/running-app.js'
import { REPORTS_HEALTH, SERVES_FILES } from '../route/built-in-marks.js'
import { findEndpoints } from '../route/endpoints.js'
import { collectRoutes } from '../setup/collect.js'
import type { SurfaceEndpoint } from './surface-access.js'
import { byCodeUnit, formatText } from './surface-text.js'

/** Returns all endpoints of an app, sorted by path, method, versions and kind. */
export function listEndpoints({ registry, options, documentEndpoint }: AppParts): SurfaceEndpoint[] {
  // The registry has the endpoints of each class in the same order, but not the groups around them.
  const entries = collectRoutes(options.routes).flatMap((entry) => {
    const { isMount, routeClass, name } = entry
    return isMount ? [entry] : findEndpoints(routeClass, name).map(() => entry)
  })
  const ofRoutes = registry.endpoints.map((endpoint, at) => {
    // Proof: both lists are made from the same routes by the same functions.
    return { endpoint, entry: entries[at] as SurfaceEndpoint['entry'] }
  })
  const builtIn = registry.builtIn.map((endpoint) => {
    return { endpoint, entry: endpoint === documentEndpoint ? 'option openapi' : 'option metrics' }
  })
  return [...ofRoutes, ...builtIn].toSorted((one, other) => byCodeUnit(sortKey(one), sortKey(other)))
}

/** The separator is less than every character of a path. */
function sortKey({ endpoint, entry }: SurfaceEndpoint): string {
  return [endpoint.path, endpoint.method, endpoint.constraint?.text ?? '', findKind({ endpoint, entry })].join('\0')
}

/** Formats the first line of an endpoint, such as `GET /users (versions >=2.0.0)`. */
export function formatHeading(place: SurfaceEndpoint): string {
  const { method, path, constraint } = place.endpoint
  const kind = findKind(place)
  const notes = [...(constraint === null ? [] : [`versions ${constraint.text}`]), ...(kind === '' ? [] : [kind])]
  return `${method} ${formatText(path)}${notes.map((note) => ` (${formatText(note)})`).join('')}`
}

/** Returns what an endpoint is, if it is not a method of a class for a path of its own; otherwise an empty string. */
export function findKind({ endpoint, entry }: SurfaceEndpoint): string {
  if (typeof entry === 'string') return entry === 'option openapi' ? 'document' : 'metrics'
  const { meta, upgrade, isFallback } = endpoint
  if (upgrade !== null) return `upgrade ${upgrade}`
  if (entry.isMount) return 'mounted handler'
  if (SERVES_FILES.read(meta) !== undefined) return 'files'
  if (REPORTS_HEALTH.read(meta) !== undefined) return 'health'
  return isFallback ? 'fallback' : ''
}
