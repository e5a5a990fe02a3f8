/** The providers of an endpoint: what its groups, its class and its contract use, put together. */
import type { ProviderPlan, ProviderPlanner, ProviderStep } from '../injection/plan.js'
import { readUses, usesError } from '../injection/provide.js'
import type { SecurityScheme } from '../injection/provider-types.js'
import type { KeyPlace } from '../observe/secrets.js'
import { checkUsedNames, type Statics } from '../route/class-statics.js'
import type { RouteEntry } from '../route/collect.js'
import type { VerbMethod } from '../route/endpoints.js'
import { Kind } from '../route/kinds.js'

/** The plan of an endpoint's providers; `null` where nothing is used. */
export function providersOf(
  entry: RouteEntry,
  statics: Statics,
  { verb, contract }: VerbMethod,
  planner: ProviderPlanner,
): ProviderPlan | null {
  const { name, routeClass, section } = entry
  const own = contract?.uses === undefined ? [] : readUses(contract.uses, `a contract of "${name}"`)
  checkUsedNames(routeClass, name, [...statics.uses, ...own])
  const where = `"${name}.${verb}"`
  const plan = planner.plan(section.uses, [...statics.uses, ...own], where)
  const body = contract?.body
  if (plan !== null && plan.raw.length > 0 && body instanceof Kind && body.name === 'stream') {
    const state = 'they need "rawBody", and a body that is taken as a stream is not kept'
    throw usesError(where, `${state}. Take it as "bytes()"`)
  }
  return plan
}

/** What a plan asks of the endpoint. */
export function needsOf(
  plan: ProviderPlan | null,
): Pick<ProviderPlan, 'given' | 'sources'> & { readonly isRawNeeded: boolean } {
  if (plan === null) return { given: [], isRawNeeded: false, sources: [] }
  return { given: plan.given, isRawNeeded: plan.raw.length > 0, sources: plan.sources }
}

/** The steps of a plan, in the order in which they run. */
export function stepsOf(plan: ProviderPlan | null): readonly ProviderStep[] {
  return plan === null ? [] : [...plan.guards, ...plan.raw, ...plan.others]
}

/** Where the API keys stand that a plan asks for; all other credentials stand in `Authorization`. */
export function keyPlaces(plan: ProviderPlan | null): KeyPlace[] {
  return stepsOf(plan)
    .flatMap(({ provider }) => [provider.needs.security ?? []].flat())
    .filter(isKeyPlace)
}

function isKeyPlace(scheme: SecurityScheme): scheme is SecurityScheme & KeyPlace {
  const { type, in: place, name } = scheme
  const isPlace = place === 'header' || place === 'query' || place === 'cookie'
  return type === 'apiKey' && typeof name === 'string' && isPlace
}
