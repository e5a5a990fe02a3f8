/** Finds the endpoints of a class: its own and inherited verb methods, with their contracts. */
import { SetupError } from '../errors/setup-error.js'
import { VERB_FACTS, VERB_NAMES, VERBS, type EndpointVerb, type Verb } from '../http/methods.js'
import { fieldError, type RouteClass, readStatic } from './route-class.js'
import { type ContractSpec, readContract } from './contract.js'
import { Route } from './route.js'

export interface VerbMethod {
  readonly verb: EndpointVerb
  readonly contract: ContractSpec | undefined
}

/** Returns the endpoints of a class in the order of `VERBS`, including inherited endpoints. */
export function findEndpoints(routeClass: RouteClass, name: string): VerbMethod[] {
  const endpoints = VERBS.flatMap((verb) => findVerbMethods(routeClass, name, verb))
  if (endpoints.length > 0) return endpoints
  throw new SetupError('ROUTE_EMPTY', `Cannot register "${name}": it has no endpoint. Name a method ${VERB_NAMES}`)
}

function findVerbMethods(routeClass: RouteClass, name: string, verb: Verb): VerbMethod[] {
  const contract = findContract(routeClass, name, verb)
  if (contract === undefined && VERB_FACTS[verb].needsContract === true) return []
  const isMethod = hasMethod(routeClass, name, verb)
  if (isMethod) return [{ verb, contract }]
  if (contract === undefined) return []
  const fix = `Add "async ${verb}(input: Input<typeof ${name}.${verb}>)", or remove the contract`
  const state = `it has a contract for "${verb}" but no such method`
  throw new SetupError('CONTRACT_UNUSED', `Cannot register "${name}": ${state}. ${fix}`)
}

function hasMethod(routeClass: RouteClass, name: string, verb: Verb): boolean {
  for (let owner: object = routeClass.prototype; owner !== Route.prototype; owner = Object.getPrototypeOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, verb)
    if (descriptor === undefined) continue
    if (typeof descriptor.value === 'function' && descriptor.value.length < 2) return true
    const why = `it must be a method with at most one parameter. Write "async ${verb}(input) { … }"`
    throw fieldError(`"${verb}"`, name, why)
  }
  return false
}

function findContract(routeClass: RouteClass, name: string, verb: Verb): ContractSpec | undefined {
  const value = readStatic(routeClass, verb)
  const contract = readContract(value)
  if (value !== undefined && contract === undefined) {
    const fix = `Write "static readonly ${verb} = this.contract({ … })"`
    throw new SetupError('CONTRACT_INVALID', `Cannot use static "${verb}" of "${name}": it must be a contract. ${fix}`)
  }
  return contract
}
