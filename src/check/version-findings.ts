/** Findings about versions: what clients would run into without anybody having meant it. */
import { gaps, printInterval, unite } from '../versioning/interval.js'
import type { Endpoint, VersionedEndpoint } from '../request/endpoint.js'
import type { Finding } from './findings.js'
import type { VersionSettings } from '../options/app-settings.js'
import { isVersioned } from '../setup/versions.js'

/** Looks through the version constraints of an app. */
export function versionFindings(endpoints: readonly Endpoint[], settings: VersionSettings): Finding[] {
  const versioned = endpoints.filter(isVersioned)
  const places = new Map<string, VersionedEndpoint[]>()
  for (const endpoint of versioned) {
    const place = `${endpoint.method} ${endpoint.path}`
    places.set(place, [...(places.get(place) ?? []), endpoint])
  }
  return [...unpinned(versioned, settings), ...[...places].flatMap(([place, sharing]) => gapsAt(place, sharing))]
}

/** One for the app: it concerns each of its endpoints with a constraint alike. */
function unpinned([first]: readonly VersionedEndpoint[], { fallback, isPinned }: VersionSettings): Finding[] {
  if (first === undefined || isPinned) return []
  const { route, method } = first
  const message = `Requests that name no version get that of the app, "${fallback}": each release would move these clients`
  const wayOut = `Pin it: versioning: { default: '${fallback}' }`
  return [{ code: 'VERSION_UNPINNED', route, method, message, wayOut }]
}

/** What a single constraint leaves out was meant so. */
function gapsAt(place: string, sharing: readonly VersionedEndpoint[]): Finding[] {
  const [, second] = sharing
  if (second === undefined) return []
  const { route, method } = second
  return gaps(unite(sharing.flatMap(({ constraint }) => constraint.intervals))).map((gap) => ({
    code: 'VERSION_GAP',
    route,
    method,
    message: `Versions ${printInterval(gap)} of "${place}" are answered by no class`,
    wayOut: `Widen one of ${sharing.map(({ constraint }) => `"${constraint.text}"`).join(', ')}`,
  }))
}
