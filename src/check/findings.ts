/** Findings: what is not wrong enough to refuse an app, but probably not meant. */
import type { ProviderRecipe } from '../injection/provide.js'
import type { Endpoint, VersionedEndpoint } from '../request/endpoint.js'
import type { VersionSettings } from '../setup/options.js'
import { parseTemplate } from '../router/template.js'
import { textSource } from '../validation/text/string-source.js'
import { listSteps } from '../setup/plans.js'
import { isVersioned } from '../setup/versions.js'
import type { Converters } from '../validation/json-schema.js'
import { gaps, printInterval, uniteIntervals } from '../versioning/interval.js'

/** Something about an endpoint that its author should know. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code:
    | 'DOCUMENT_GAP'
    | 'DOCUMENT_OPEN'
    | 'FILES_BLOCKED'
    | 'GUARD_UNDECLARED'
    | 'MUTATION_OPEN'
    | 'NAME_MANGLED'
    | 'PARAMS_DIFFER'
    | 'PATHS_OVERLAP'
    | 'READ_OPEN'
    | 'RESPONSE_UNDESCRIBED'
    | 'RETURNS_MISSING'
    | 'SCHEMA_UNDESCRIBED'
    | 'VERSION_GAP'
    | 'VERSION_UNPINNED'
  /** Name of the route. */
  readonly route: string
  /** Method of the endpoint, upper case. */
  readonly method: string
  /** What was found. */
  readonly message: string
  /** What to do about it. */
  readonly fix: string
}

/** A provider that only a group uses gives its value to nobody: where that is `false`, it may be meant as a refusal. */
export function undeclaredGuards(endpoints: readonly Endpoint[]): Finding[] {
  const seen = new Set<ProviderRecipe>()
  return endpoints.flatMap(({ route, method, providers }) => {
    if (providers === null) return []
    const { grouped, given, guards } = providers
    const usedSlots = new Set([...given, ...listSteps(providers).flatMap(({ uses }) => uses)].map(({ slot }) => slot))
    const openGuards = guards.filter(({ provider, slot, refusal }) => {
      if (refusal !== null || provider.needs.errors !== undefined || seen.has(provider)) return false
      return grouped.includes(slot) && !usedSlots.has(slot)
    })
    return openGuards.map(({ provider, name }) => {
      seen.add(provider)
      const state = 'it has no security scheme, and names no 401 or 403 in "errors"'
      const message = `The provider "${name}" of a group lets requests in even when it gives false: ${state}`
      const fix = 'Write "errors: [403]" where it refuses requests, or "errors: []" where it never does'
      return { code: 'GUARD_UNDECLARED', route, method, message, fix } as const
    })
  })
}

export function paramsDiffer({ contract, path, route, method }: Endpoint, converters: Converters): Finding[] {
  if (contract?.params === undefined) return []
  const { keys = [] } = textSource(contract.params, converters)
  const { names } = parseTemplate(path, route)
  const strays = keys.filter((key) => !names.includes(key))
  if (strays.length === 0) return []
  const message = `The schema of "params" names ${strays.join(', ')}, which the path "${path}" does not have`
  const renamed = `Name them as the path does: ${names.join(', ')}`
  const fix = names.length === 0 ? 'Leave "params" out: the path has none' : renamed
  return [{ code: 'PARAMS_DIFFER', route, method, message, fix }]
}

export function versionFindings(endpoints: readonly Endpoint[], settings: VersionSettings): Finding[] {
  const versioned = endpoints.filter(isVersioned)
  const places = new Map<string, VersionedEndpoint[]>()
  for (const endpoint of versioned) {
    const place = `${endpoint.method} ${endpoint.path}`
    places.set(place, [...(places.get(place) ?? []), endpoint])
  }
  return [...unpinned(versioned, settings), ...[...places].flatMap(([place, sharing]) => gapsAt(place, sharing))]
}

/** One for the app: it concerns all endpoints with a constraint alike. */
function unpinned([first]: readonly VersionedEndpoint[], { fallback, isPinned }: VersionSettings): Finding[] {
  if (first === undefined || isPinned) return []
  const { route, method } = first
  const message = `Requests that name no version get that of the app, "${fallback}": each release would move these clients`
  const fix = `Pin it: versioning: { default: '${fallback}' }`
  return [{ code: 'VERSION_UNPINNED', route, method, message, fix }]
}

/** What a single constraint leaves out is meant to be left out. */
function gapsAt(place: string, sharing: readonly VersionedEndpoint[]): Finding[] {
  const [, second] = sharing
  if (second === undefined) return []
  const { route, method } = second
  const fix = `Widen one of ${sharing.map(({ constraint }) => `"${constraint.text}"`).join(', ')}`
  return gaps(uniteIntervals(sharing.flatMap(({ constraint }) => constraint.intervals))).map((gap) => {
    const message = `Versions ${printInterval(gap)} of "${place}" are answered by no class`
    return { code: 'VERSION_GAP', route, method, message, fix }
  })
}
