/** Preparing an endpoint: everything that can be decided before the first request. */
import { VERB_OF } from '../http/methods.js'
import type { ContractSpec } from '../route/contract-types.js'
import { SOURCES } from '../route/contract-checks.js'
import { bindClass } from '../route/bind-class.js'
import type { RouteEntry } from '../route/collect.js'
import { findEndpoints, type VerbMethod } from '../route/endpoints.js'
import type { Statics } from '../route/statics.js'
import type { Converters } from '../validation/json-schema.js'
import { textSource } from '../validation/text.js'
import type { Limits } from './core.js'
import type { Endpoint, Handler, SourcePlan } from './endpoint.js'
import { bodyPlan, producedType, returnsPlan } from './plans.js'

/** What the preparation of all endpoints of an app shares. */
export interface Preparation {
  readonly services: Readonly<Record<string, unknown>>
  readonly limits: Limits
  /** For handlers whose contracts name none, in ms; 0 for none. */
  readonly timeout: number
  readonly converters: Converters
}

/** A class, what its static members say, and the path it answers. */
export interface PreparedRoute {
  readonly entry: RouteEntry
  readonly statics: Statics
  /** Mount, prefix and path together. */
  readonly path: string
}

/**
 * Prepares the endpoints of a class.
 *
 * @param route class, static members and path
 * @param preparation what all endpoints of the app share
 * @returns one endpoint for each verb
 * @throws SetupError for every mistake in the class
 */
export function prepareEndpoints({ entry, statics, path }: PreparedRoute, preparation: Preparation): Endpoint[] {
  const { name, routeClass, section } = entry
  // First, because it knows of verbs that are fields, which to `findEndpoints` are no endpoints at all.
  const create = bindClass(routeClass, name, preparation.services)
  const methods = findEndpoints(routeClass, name)
  return methods.map((method) => ({
    ...planOf(method, preparation),
    route: name,
    path,
    create,
    handler: handlerOf(create, method),
    meta: { ...statics.meta, ...method.contract?.meta },
    tags: [...section.tags, ...statics.tags, ...(method.contract?.tags ?? [])],
  }))
}

type Plan = Omit<Endpoint, 'route' | 'path' | 'create' | 'handler' | 'meta' | 'tags'>

function planOf({ verb, contract }: VerbMethod, preparation: Preparation): Plan {
  const sources = contract === undefined ? [] : sourcePlans(contract, preparation.converters)
  const returns = contract?.returns === undefined ? null : returnsPlan(contract.returns, preparation.converters)
  return {
    verb,
    method: verb.toUpperCase(),
    contract,
    produces: returns === null ? null : producedType(returns),
    body: bodyPlan({ verb, contract }, preparation),
    sources: sources.length === 0 ? null : sources,
    hasRawQuery: contract === undefined,
    returns,
    status: contract?.status,
    timeout: contract?.timeout ?? preparation.timeout,
  }
}

function handlerOf(create: new () => object, { verb }: VerbMethod): Handler {
  // Proof: `findEndpoints` has found a function under this name on the prototype chain.
  return Reflect.get(create.prototype, verb) as Handler
}

function sourcePlans(contract: ContractSpec, converters: Converters): SourcePlan[] {
  return SOURCES.flatMap((source) => {
    const schema = source === 'body' ? undefined : contract[source]
    if (source === 'body' || schema === undefined) return []
    const narrow = source === 'headers' || source === 'cookies'
    return [{ source, text: textSource(schema, { converters, narrow }) }]
  })
}

/**
 * The request methods that an endpoint answers.
 *
 * @param verb of the endpoint
 * @returns upper case; HEAD beside GET
 */
export function methodsOf(verb: string): string[] {
  return [...VERB_OF].flatMap(([method, answeredBy]) => (answeredBy === verb ? [method] : []))
}
