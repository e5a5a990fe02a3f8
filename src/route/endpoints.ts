/** The endpoints of a class: its verb methods along the prototype chain, each with its contract. */
import { SetupError } from '../errors/setup-error.js'
import { VERB_NAMES, VERBS, type Verb } from '../http/methods.js'
import { fieldError, type RouteClass, staticOf } from './class-statics.js'
import { type ContractSpec, readContract } from './contract.js'
import { Route } from './route.js'

/** A verb method and its contract. */
export interface VerbMethod {
  readonly verb: Verb
  /** `undefined` for a method without a contract. */
  readonly contract: ContractSpec | undefined
}

/**
 * Finds the endpoints of a class: exactly `get`, `post`, `put`, `patch`, `delete`, inherited ones included. Returns
 * them in the order of `VERBS`.
 */
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
  throw new SetupError(
    'CONTRACT_UNUSED',
    `Cannot register "${name}": it has a contract for "${verb}" but no such method. ${wayOut}`,
  )
}

function hasMethod(routeClass: RouteClass, name: string, verb: Verb): boolean {
  for (
    let owner: object | null = routeClass.prototype;
    owner !== null && owner !== Route.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
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
    throw new SetupError(
      'CONTRACT_INVALID',
      `Cannot use static "${verb}" of "${name}": it is not a contract. ${wayOut}`,
    )
  }
  if (verb === 'get' && contract?.body !== undefined) {
    const wayOut = 'Use "query", or make it a "post"'
    throw new SetupError('CONTRACT_INVALID', `Cannot use the contract of "${name}.get": a GET has no body. ${wayOut}`)
  }
  return contract
}
