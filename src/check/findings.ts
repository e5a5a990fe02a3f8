/** Findings: settings that are valid but probably not intended. */
import type { ProviderRecipe } from '../injection/provide.js'
import type { Endpoint, VersionedEndpoint } from '../request/endpoint.js'
import type { VersionSettings } from '../setup/options.js'
import { parseTemplate } from '../router/template.js'
import { textSource, type StringSource } from '../validation/text/string-source.js'
import { listSteps } from '../setup/plans.js'
import { isVersioned } from '../setup/versions.js'
import type { Converters } from '../validation/describe-schema.js'
import { gaps, printInterval, uniteIntervals } from '../versioning/interval.js'

/** Result of `app.check()`: a setting of an endpoint that is probably not intended. */
export interface Finding {
  /** Stable code of the kind of finding. */
  readonly code:
    | 'BODY_REDIRECTED'
    | 'CLEANUP_EARLY'
    | 'COOKIE_LIST'
    | 'DOCUMENT_GAP'
    | 'DOCUMENT_OPEN'
    | 'FILES_BLOCKED'
    | 'FILES_SHARED'
    | 'GUARD_UNDECLARED'
    | 'INPUT_IMPOSSIBLE'
    | 'LISTENER_MISSING'
    | 'MUTATION_OPEN'
    | 'NAME_MANGLED'
    | 'PARAMS_DIFFER'
    | 'PATHS_OVERLAP'
    | 'PATH_UNPINNED'
    | 'QUERY_UNUSED'
    | 'READ_OPEN'
    | 'RESPONSE_UNDESCRIBED'
    | 'RETURNS_MISSING'
    | 'SCHEMA_UNDESCRIBED'
    | 'UPGRADE_UNREACHABLE'
    | 'VERB_MISSPELLED'
    | 'VERSION_GAP'
    | 'VERSION_UNPINNED'
  /** Name of the route. */
  readonly route: string
  /** Request method of the endpoint in upper case. */
  readonly method: string
  /** Description of the finding. */
  readonly message: string
  /** How to fix it. */
  readonly fix: string
}

/** Reports providers of groups whose value no method and no provider reads. If the value is `false`, it may be meant as a rejection. */
export function undeclaredGuards(endpoints: readonly Endpoint[]): Finding[] {
  const seen = new Set<ProviderRecipe>()
  return endpoints.flatMap(({ route, method, providers }) => {
    if (providers === null) return []
    const { grouped, contractSlots, guards } = providers
    const usedSlots = new Set(
      [...contractSlots, ...listSteps(providers).flatMap(({ uses }) => uses)].map(({ slot }) => slot),
    )
    const openGuards = guards.filter(({ provider, slot, rejection }) => {
      if (rejection !== null || provider.needs.errors !== undefined || seen.has(provider)) return false
      return grouped.includes(slot) && !usedSlots.has(slot)
    })
    return openGuards.map(({ provider, name }) => {
      seen.add(provider)
      const state = 'it has no security scheme, and declares neither 401 nor 403 in "errors"'
      const message = `The provider "${name}" of a group accepts requests even if its value is false: ${state}`
      const fix = 'Write "errors: [403]" if it rejects requests, or "errors: []" if it never does'
      return { code: 'GUARD_UNDECLARED', route, method, message, fix } as const
    })
  })
}

export function paramsDiffer({ contract, path, route, method }: Endpoint, converters: Converters): Finding[] {
  if (contract?.params === undefined) return []
  const { keys = [] } = textSource(contract.params, converters, 'params')
  const { names } = parseTemplate(path, route)
  const strays = keys.filter((key) => !names.includes(key))
  if (strays.length === 0) return []
  const message = `The schema of "params" has ${strays.join(', ')}, but the path "${path}" does not`
  const renamed = `Use the names in the path: ${names.join(', ')}`
  const fix = names.length === 0 ? 'Remove "params": the path has no parameters' : renamed
  return [{ code: 'PARAMS_DIFFER', route, method, message, fix }]
}

/** Reports lists in cookies. A request has each cookie once, and no encoding of lists is standard. */
export function cookieLists(endpoints: readonly Endpoint[]): Finding[] {
  const seen = new Set<StringSource>()
  return endpoints.flatMap(({ sources, providers, route, method }) => {
    const all = [...sources, ...listSteps(providers).flatMap((step) => step.sources)]
    const cookies = all.filter(({ source, text }) => source === 'cookies' && !seen.has(text))
    return cookies.flatMap(({ text }) => {
      seen.add(text)
      if (text.lists.length === 0) return []
      const message = `The schema of "cookies" has the list ${text.lists.join(', ')}, but a request can only send one item`
      return [
        { code: 'COOKIE_LIST', route, method, message, fix: 'Describe a string, and split it in the schema' } as const,
      ]
    })
  })
}

export function versionFindings(endpoints: readonly Endpoint[], settings: VersionSettings): Finding[] {
  const versioned = endpoints.filter(isVersioned)
  const places = new Map<string, VersionedEndpoint[]>()
  for (const endpoint of versioned) {
    const place = `${endpoint.method} ${endpoint.path}`
    places.set(place, [...(places.get(place) ?? []), endpoint])
  }
  return [
    ...unpinned(versioned, settings),
    ...undescribedSelection(versioned, settings),
    ...[...places].flatMap(([place, sharing]) => findGapsAt(place, sharing)),
  ]
}

/** Reports a missing default version once per app, because it concerns all endpoints with a constraint. */
function unpinned(
  [first]: readonly VersionedEndpoint[],
  { fallback, isPinned, isRequired }: VersionSettings,
): Finding[] {
  if (first === undefined || isPinned || isRequired) return []
  const { route, method } = first
  const message = `Requests without a version use the app version "${fallback}", so each release moves these clients to a new version`
  const fix = `Write "versioning: { default: '${fallback}' }"`
  return [{ code: 'VERSION_UNPINNED', route, method, message, fix }]
}

/** Reports once per app that readers of the documents cannot select their version. */
function undescribedSelection(
  endpoints: readonly VersionedEndpoint[],
  { field, description }: VersionSettings,
): Finding[] {
  const first = endpoints.find(({ isHidden }) => !isHidden)
  if (first === undefined || field !== undefined || description !== undefined) return []
  const { route, method } = first
  const message = '"versioning.from" is a function, so the document does not say how requests select a version'
  const fix = `Write "versioning: { description: 'Send the version in the query parameter v.' }"`
  return [{ code: 'DOCUMENT_GAP', route, method, message, fix }]
}

/** Reports gaps between the constraints of different endpoints. Gaps within a single constraint are intended. */
function findGapsAt(place: string, sharing: readonly VersionedEndpoint[]): Finding[] {
  const [, second] = sharing
  if (second === undefined) return []
  const { route, method } = second
  const fix = `Widen one of ${sharing.map(({ constraint }) => `"${constraint.text}"`).join(', ')}`
  return gaps(uniteIntervals(sharing.flatMap(({ constraint }) => constraint.intervals))).map((gap) => {
    const message = `No class handles versions ${printInterval(gap)} of "${place}"`
    return { code: 'VERSION_GAP', route, method, message, fix }
  })
}
