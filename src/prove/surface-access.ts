/** Lines of a surface about access to an endpoint: its guards and `public`, each with the place of its declaration. */
import { canReject } from '../check/access-findings.js'
import { CredentialsRecipe, namesRejection, namesStatus, type Strictness } from '../injection/credentials.js'
import type { ProviderPlan, ProviderStep } from '../injection/plan.js'
import { readUses, type NamedProvider, type ProviderRecipe, type SecurityScheme } from '../injection/provide.js'
import type { Endpoint } from '../request/endpoint.js'
import { readContract } from '../route/contract.js'
import type { RouteEntry } from '../setup/collect.js'
import { listSteps } from '../setup/plans.js'
import { formatName, formatText } from './surface-text.js'

/** An endpoint with the entry of its class; `entry` is a string for endpoints of an option of the app, such as `option metrics`. */
export interface SurfaceEndpoint {
  readonly endpoint: Endpoint
  readonly entry: RouteEntry | string
}

/** Returns a line for each provider that can reject a request, in the order in which they run, then one if the endpoint is open. */
export function describeAccess(place: SurfaceEndpoint): string[] {
  const { endpoint } = place
  const origins = findOrigins(place)
  const guards = listSteps(endpoint.providers).flatMap((step) => {
    // Proof: the planner reads providers only from the places that `findOrigins` reads.
    const { text, isNested } = origins.get(step.provider) as ProviderOrigin
    const what = describeRejection(step, endpoint.providers, isNested)
    if (what === null) return []
    const kind = endpoint.providers?.guards.includes(step) === true ? 'guard' : 'provider'
    return [`${kind} ${formatName(step.name)} of ${text}: ${what}`]
  })
  if (endpoint.isPublic) return [...guards, `public by ${findPublic(place)}`]
  return canReject(endpoint) ? guards : [...guards, 'no guard']
}

/** Returns how a provider rejects requests; `null` for a provider that only computes a value. */
function describeRejection(step: ProviderStep, plan: ProviderPlan | null, isNested: boolean): string | null {
  const { provider, slot } = step
  const { security, errors, guard } = provider.needs
  if (security !== undefined) {
    const schemes = [security].flat().map(formatScheme).join(' or ')
    return provider instanceof CredentialsRecipe ? `${schemes}${STRICTNESS[provider.strictness]}` : schemes
  }
  if (namesRejection(errors))
    return `rejects with ${[401, 403].filter((status) => namesStatus(errors, status)).join(' or ')}`
  const { always, unsafe } = provider.frameworkErrors
  if ([...always, ...unsafe].includes(403)) return 'rejects requests from other origins'
  if (isNested) return null
  return guard === true || plan?.grouped.includes(slot) === true ? 'requires no credentials' : null
}

const STRICTNESS: Readonly<Record<Strictness, string>> = {
  refused: '',
  'open without': ', optional',
  open: ', optional, also if invalid',
}

/** Formats a scheme, such as `http bearer (JWT)` or `apiKey in header X-API-Key`. */
function formatScheme({ type, scheme, in: place, name, bearerFormat }: SecurityScheme): string {
  const parts = [type, scheme, place === undefined ? undefined : `in ${formatText(String(place))}`, name]
  const text = parts.filter((part) => part !== undefined).map((part) => formatText(String(part)))
  return [...text, ...(bearerFormat === undefined ? [] : [`(${formatText(String(bearerFormat))})`])].join(' ')
}

interface ProviderOrigin {
  readonly text: string
  /** Whether only another provider or `idempotency` uses it. */
  readonly isNested: boolean
}

/** Returns the place of each provider of an endpoint. An inherited provider belongs to the base class that declares it first. */
function findOrigins({ endpoint, entry }: SurfaceEndpoint): ReadonlyMap<ProviderRecipe, ProviderOrigin> {
  const origins = new Map<ProviderRecipe, ProviderOrigin>()
  const add = (uses: unknown, text: string, isNested = false): void => {
    for (const { provider } of readUses(uses, text)) {
      if (!origins.has(provider)) origins.set(provider, { text, isNested })
    }
  }
  for (const [uses, text] of listUses({ endpoint, entry })) add(uses, text)
  if (endpoint.idempotency !== null) add({ by: endpoint.idempotency.by }, 'idempotency', true)
  for (const { provider, name } of listSteps(endpoint.providers)) {
    add(provider.needs.uses ?? {}, `provider ${formatName(name)}`, true)
  }
  return origins
}

/** Returns the `uses` of an endpoint with their places, outermost first. */
function listUses({ endpoint, entry }: SurfaceEndpoint): (readonly [uses: unknown, text: string])[] {
  if (typeof entry === 'string') return [[Reflect.get(Object.getPrototypeOf(endpoint.create), 'uses'), entry]]
  const { upgrade, section } = entry
  const toUses = ({ name, provider }: NamedProvider): object => ({ [name]: provider })
  return [
    ...(upgrade === null ? [] : upgrade.guards.map((guard) => [toUses(guard), 'the upgrade'] as const)),
    ...section.groups.flatMap(({ name, group }) => {
      return group.uses.map((each) => [toUses(each), `group ${formatText(name)}`] as const)
    }),
    ...listOwners(entry, 'uses')
      .toReversed()
      .map(([owner, text]) => [Reflect.get(owner, 'uses'), `class ${text}`] as const),
    ...listOwners(entry, endpoint.verb)
      .toReversed()
      .map(([owner, text]) => {
        return [
          readContract(Reflect.get(owner, endpoint.verb))?.uses ?? {},
          contractName(entry, text, endpoint),
        ] as const
      }),
  ]
}

/** Returns the classes that declare a static member themselves, with their names, starting with the class of the entry. */
function listOwners({ routeClass, name }: RouteEntry, member: string): (readonly [owner: object, name: string])[] {
  const owners: (readonly [object, string])[] = []
  for (let owner: object | null = routeClass; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (!Object.hasOwn(owner, member)) continue
    owners.push([owner, formatText(owner === routeClass ? name : String(Reflect.get(owner, 'name')))])
  }
  return owners
}

/** The contract of an upgrade or of a mounted handler is not in a class of the author. */
function contractName({ upgrade, isMount }: RouteEntry, owner: string, { verb }: Endpoint): string {
  if (upgrade !== null) return 'the upgrade'
  return isMount ? 'the mount' : `contract ${owner}.${verb}`
}

/** Returns the place that declares an endpoint public: the nearest of contract, class and groups. */
function findPublic({ endpoint, entry }: SurfaceEndpoint): string {
  if (typeof entry === 'string') return entry
  const { verb } = endpoint
  const places = [
    ...listOwners(entry, verb).map(([owner, text]) => {
      return { said: readContract(Reflect.get(owner, verb))?.public, text: contractName(entry, text, endpoint) }
    }),
    ...listOwners(entry, 'public').map(([owner, text]) => {
      return { said: Reflect.get(owner, 'public'), text: `class ${text}` }
    }),
    ...entry.section.groups.toReversed().map(({ name, group }) => {
      return { said: group.isPublic, text: `group ${formatText(name)}` }
    }),
  ]
  return places
    .filter(({ said }) => said === true)
    .slice(0, 1)
    .map(({ text }) => text)
    .join('')
}
