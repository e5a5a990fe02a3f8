/** Versions of a path: assigns each version to an endpoint at registration. */
import { frameworkError } from '../errors/http-error.js'
import { optionError } from '../errors/options.js'
import { SetupError } from '../errors/setup-error.js'
import type { VersionSettings } from './options.js'
import type { Endpoint, PathVersions, VersionedEndpoint, VersionTable } from '../request/endpoint.js'
import { chooseVersion } from '../request/negotiate.js'
import { intersect, printInterval } from '../versioning/interval.js'
import { parseVersion, type Version, type VersionKind } from '../versioning/version.js'
import { methodsForVerb } from '../http/methods.js'

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
  const fallback = settings.isRequired ? null : defaultVersion(settings, some)
  const tables = [...new Set(versioned.map(({ verb }) => verb))].flatMap((verb) => {
    const ofVerb = versioned.filter((endpoint) => endpoint.verb === verb)
    const table = buildVersionTable(ofVerb, settings, some.constraint.kind, fallback)
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
    const state = `"${first.route}" handles it too, and "${route}.${verb}" has no version constraint`
    throw new SetupError(
      'ROUTE_CONFLICT',
      `Cannot register ${describeVersioned(second)}: ${state}. Add @version to both`,
    )
  }
}

function checkKinds(first: VersionedEndpoint, second: VersionedEndpoint): void {
  if (first.constraint.kind === second.constraint.kind) return
  const state = `"${second.constraint.text}" and "${first.constraint.text}" of ${describeVersioned(first)} cannot be compared`
  const fix = 'Use only numbers or only dates in the constraints of a path'
  throw new SetupError(
    'VERSION_CONFLICT',
    `Cannot register ${describeVersioned(second)}: its constraint ${state}. ${fix}`,
  )
}

function checkOverlap(first: VersionedEndpoint, second: VersionedEndpoint): void {
  const [overlap] = intersect(first.constraint.intervals, second.constraint.intervals)
  if (overlap === undefined) return
  const state = `"${first.route}" also handles versions ${printInterval(overlap)}`
  const fix = `Narrow "${second.constraint.text}" or "${first.constraint.text}"`
  throw new SetupError('VERSION_CONFLICT', `Cannot register ${describeVersioned(second)}: ${state}. ${fix}`)
}

function describeVersioned({ route, method, path }: Endpoint): string {
  return `"${method} ${path}" of "${route}"`
}

/** Throws if the default version cannot be compared with the constraints, because requests without a version would always fail. */
function defaultVersion({ fallback, isPinned }: VersionSettings, endpoint: VersionedEndpoint): Version {
  const version = parseVersion(fallback)
  const { kind, text } = endpoint.constraint
  if (version?.kind === kind) return version
  const option = isPinned ? 'versioning.default' : 'version'
  const state = `requests without a version use "${fallback}", which cannot be compared with "${text}" of ${describeVersioned(endpoint)}`
  const fix = `Set "versioning.default" to ${FORMS[kind]}`
  throw optionError('createApp()', option, `${state}. ${fix}`)
}

const FORMS: Readonly<Record<VersionKind, string>> = {
  number: 'a version such as 1.4.0',
  date: 'a date such as 2026-01-31',
}

function buildVersionTable<C>(
  endpoints: readonly VersionedEndpoint<C>[],
  { place, vary }: VersionSettings,
  kind: VersionKind,
  fallback: Version | null,
): VersionTable<C> {
  const supported = endpoints.map(({ constraint }) => constraint.text)
  const list = `Supported versions: "${supported.join('", "')}"`
  const unsupported = frameworkError(406, `This version is not supported. ${list}`, { supported })
  return {
    endpoints,
    unsupported,
    malformed: frameworkError(400, `The version${place} is malformed. Send ${FORMS[kind]}`),
    vary,
    fallback:
      fallback === null
        ? frameworkError(400, `The version${place} is missing. ${list}`, { supported })
        : (chooseVersion({ endpoints, vary }, fallback) ?? unsupported),
    known: new Map(),
  }
}
