/** The versions of a path: which endpoint answers which, decided at registration. */
import { frameworkError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import type { VersionSettings } from './options.js'
import type { Endpoint, PathVersions, VersionedEndpoint, VersionTable } from '../request/endpoint.js'
import { chooseVersion } from '../request/negotiate.js'
import { intersect, printInterval } from '../versioning/interval.js'
import { parseVersion, type Version, type VersionKind } from '../versioning/version.js'
import { methodsForVerb } from './prepare.js'

export function isVersioned<C>(endpoint: Endpoint<C>): endpoint is VersionedEndpoint<C> {
  return endpoint.constraint !== null
}

export function pathVersions<C>(endpoints: readonly Endpoint<C>[], settings: VersionSettings): PathVersions<C> | null {
  for (const [at, second] of endpoints.entries()) {
    for (const first of endpoints.slice(0, at)) checkPair(first, second)
  }
  const versioned = endpoints.filter(isVersioned)
  const [some] = versioned
  if (some === undefined) return null
  const fallback = defaultVersion(settings, some)
  const tables = [...new Set(versioned.map(({ verb }) => verb))].flatMap((verb) => {
    const ofVerb = versioned.filter((endpoint) => endpoint.verb === verb)
    const table = buildVersionTable(ofVerb, settings, fallback)
    return methodsForVerb(verb).map((method) => [method, table] as const)
  })
  return { read: settings.read, vary: settings.vary, tables: new Map(tables) }
}

function checkPair(first: Endpoint, second: Endpoint): void {
  if (isVersioned(first) && isVersioned(second)) {
    checkKinds(first, second)
    if (first.verb === second.verb) checkOverlap(first, second)
  } else if (first.verb === second.verb) {
    const { route, verb } = isVersioned(first) ? second : first
    const state = `"${first.route}" answers it too, and "${route}.${verb}" has no version constraint`
    throw new SetupError(
      'ROUTE_CONFLICT',
      `Cannot register ${describeVersioned(second)}: ${state}. Put @version on both`,
    )
  }
}

function checkKinds(first: VersionedEndpoint, second: VersionedEndpoint): void {
  if (first.constraint.kind === second.constraint.kind) return
  const state = `"${second.constraint.text}" and "${first.constraint.text}" of ${describeVersioned(first)} cannot be compared`
  const fix = 'Write all constraints of a path with numbers, or all with dates'
  throw new SetupError(
    'VERSION_CONFLICT',
    `Cannot register ${describeVersioned(second)}: its constraint ${state}. ${fix}`,
  )
}

function checkOverlap(first: VersionedEndpoint, second: VersionedEndpoint): void {
  const [overlap] = intersect(first.constraint.intervals, second.constraint.intervals)
  if (overlap === undefined) return
  const state = `versions ${printInterval(overlap)} are answered by "${first.route}" too`
  const fix = `Narrow "${second.constraint.text}" or "${first.constraint.text}"`
  throw new SetupError('VERSION_CONFLICT', `Cannot register ${describeVersioned(second)}: ${state}. ${fix}`)
}

function describeVersioned({ route, method, path }: Endpoint): string {
  return `"${method} ${path}" of "${route}"`
}

/** A default that no constraint of the path can be compared with would refuse every client that names no version. */
function defaultVersion({ fallback, isPinned }: VersionSettings, endpoint: VersionedEndpoint): Version {
  const version = parseVersion(fallback)
  const { kind, text } = endpoint.constraint
  if (version?.kind === kind) return version
  const option = isPinned ? 'versioning.default' : 'version'
  const state = `requests that name no version get "${fallback}", and ${describeVersioned(endpoint)} compares with "${text}"`
  const fix = `Give ${FORMS[kind]} in "versioning.default"`
  throw new SetupError('OPTION_INVALID', `Cannot use the option "${option}": ${state}. ${fix}`)
}

const FORMS: Readonly<Record<VersionKind, string>> = { number: 'one such as 1.4.0', date: 'a date such as 2026-01-31' }

function buildVersionTable<C>(
  endpoints: readonly VersionedEndpoint<C>[],
  { place, vary }: VersionSettings,
  fallback: Version,
): VersionTable<C> {
  const supported = endpoints.map(({ constraint }) => constraint.text)
  const message = `This is available in the versions "${supported.join('", "')}"`
  const unsupported = frameworkError(406, message, { supported })
  return {
    endpoints,
    unsupported,
    malformed: frameworkError(400, `The version${place} is malformed. Ask for ${FORMS[fallback.kind]}`),
    vary,
    fallback: chooseVersion({ endpoints, vary }, fallback) ?? unsupported,
    known: new Map(),
  }
}
