/** The endpoints of a class: its verb methods along the prototype chain, each with its contract. */
import { SetupError } from '../errors/setup-error.js'
import { VERB_NAMES, VERBS, type Verb } from '../http/methods.js'
import { fieldError, type RouteClass, staticOf } from './class-statics.js'
import { type ContractSpec, readContract } from './contract.js'
import { Route } from './route.js'

export interface VerbMethod {
  readonly verb: Verb
  readonly contract: ContractSpec | undefined
}

/** The endpoints of a class in the order of `VERBS`, inherited ones included. */
export function findEndpoints(routeClass: RouteClass, name: string): VerbMethod[] {
  const endpoints = VERBS.flatMap((verb) => endpointAt(routeClass, name, verb))
  if (endpoints.length > 0) return endpoints
  throw new SetupError('ROUTE_EMPTY', `Cannot register "${name}": it has no endpoint. Name a method ${VERB_NAMES}`)
}

function endpointAt(routeClass: RouteClass, name: string, verb: Verb): VerbMethod[] {
  const isMethod = hasMethod(routeClass, name, verb)
  const contract = contractAt(routeClass, name, verb)
  if (isMethod) return [{ verb, contract }]
  if (contract === undefined) return []
  const wayOut = `Add "async ${verb}(input: Input<typeof ${name}.${verb}>)", or remove the contract`
  const state = `it has a contract for "${verb}" but no such method`
  throw new SetupError('CONTRACT_UNUSED', `Cannot register "${name}": ${state}. ${wayOut}`)
}

function hasMethod(routeClass: RouteClass, name: string, verb: Verb): boolean {
  for (let owner: object = routeClass.prototype; owner !== Route.prototype; owner = Object.getPrototypeOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, verb)
    if (descriptor === undefined) continue
    if (typeof descriptor.value === 'function') return true
    throw fieldError(`"${verb}"`, name, `it is not a method. Write "async ${verb}() { … }"`)
  }
  return false
}

function contractAt(routeClass: RouteClass, name: string, verb: Verb): ContractSpec | undefined {
  const value = staticOf(routeClass, verb)
  const contract = readContract(value)
  if (value !== undefined && contract === undefined) {
    const wayOut = `Write "static readonly ${verb} = this.contract({ … })"`
    throw invalid(`static "${verb}" of "${name}"`, `it is not a contract. ${wayOut}`)
  }
  if (verb === 'get' && contract?.body !== undefined) {
    throw invalid(`the contract of "${name}.get"`, 'a GET has no body. Use "query", or make it a "post"')
  }
  return contract
}

function invalid(what: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot use ${what}: ${why}`)
}
