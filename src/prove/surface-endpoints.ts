/** Endpoints of an app as a surface lists them: with their headings, in their order. */
import type { AppParts } from '../app/running-app.js'
import { BASE, readSettings } from '../devconsole/host/console-state.js'
import { REPORTS_HEALTH, SERVES_FILES } from '../route/built-in-marks.js'
import { findEndpoints } from '../route/endpoints.js'
import { collectRoutes } from '../setup/collect.js'
import { DEFAULTS } from '../setup/options.js'
import type { SurfaceEndpoint } from './surface-access.js'
import type { SurfaceField } from './surface-fields.js'
import { byCodeUnit, formatText } from './surface-text.js'

/** Returns all endpoints of an app. */
export function listSurfaceEndpoints({ registry, options }: AppParts): SurfaceEndpoint[] {
  // The registry has the endpoints of each class in the same order, but not the groups around them.
  const entries = collectRoutes(options.routes).flatMap((entry) => {
    const { isMount, routeClass, name } = entry
    return isMount ? [entry] : findEndpoints(routeClass, name).map(() => entry)
  })
  const ofRoutes = registry.endpoints.map((endpoint, at) => {
    // Proof: both lists are made from the same routes by the same functions.
    return { endpoint, entry: entries[at] as SurfaceEndpoint['entry'] }
  })
  const builtIn = registry.builtIn.map((endpoint) => ({ endpoint, entry: endpoint.route }))
  return [...ofRoutes, ...builtIn]
}

/** Kinds of built-in endpoints by the option that adds them. */
const OWN_KINDS: ReadonlyMap<string, string> = new Map([
  ['option openapi', 'document'],
  ['option openapi.page', 'page'],
])

/** A block of lines. */
export interface SurfaceBlock {
  /** Sorts blocks by path, method, versions and kind. */
  readonly key: string
  readonly heading: string
  readonly access: readonly string[]
  readonly incoming: readonly SurfaceField[]
  readonly leaving: readonly SurfaceField[]
}

/** The separator is less than every character of a path. */
export function sortKey({ endpoint, entry }: SurfaceEndpoint): string {
  return [endpoint.path, endpoint.method, endpoint.constraint?.text ?? '', findKind({ endpoint, entry })].join('\0')
}

/** Formats the first line of an endpoint, such as `GET /users (versions >=2.0.0)`. */
export function formatHeading(place: SurfaceEndpoint): string {
  const { method, path, constraint } = place.endpoint
  const kind = findKind(place)
  const notes = [...(constraint === null ? [] : [`versions ${constraint.text}`]), ...(kind === '' ? [] : [kind])]
  return `${method} ${formatText(path)}${notes.map((note) => ` (${formatText(note)})`).join('')}`
}

/** Returns the kind of an endpoint; an empty string for a method of a class that is not a fallback. */
export function findKind({ endpoint, entry }: SurfaceEndpoint): string {
  if (typeof entry === 'string') return OWN_KINDS.get(entry) ?? 'metrics'
  const { meta, upgrade, isFallback } = endpoint
  if (upgrade !== null) return `upgrade ${upgrade}`
  if (entry.isMount) return 'mounted handler'
  if (SERVES_FILES.read(meta) !== undefined) return 'files'
  if (REPORTS_HEALTH.read(meta) !== undefined) return 'health'
  return isFallback ? 'fallback' : ''
}

/** Returns the block of the console. It depends only on the option, so that it is the same with every `NODE_ENV`. */
export function consoleBlock({ options }: Pick<AppParts, 'options'>): SurfaceBlock[] {
  const option = options.devConsole ?? DEFAULTS.devConsole
  if (option === false) return []
  const { token, allow = [], allowInProduction = false } = readSettings(option)
  const access = [
    token === undefined
      ? 'no guard on this machine in development, otherwise a token'
      : 'guard token of option devConsole',
    ...allow.toSorted(byCodeUnit).map((network) => `clients ${formatText(network)}`),
    allowInProduction ? 'also in production' : 'not in production',
  ]
  const heading = `* ${BASE} (console)`
  return [{ key: `${BASE}\0*`, heading, access, incoming: [], leaving: [] }]
}
