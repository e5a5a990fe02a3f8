/** Finds the endpoints of a class: its own and inherited verb methods, with contracts and decorators. */
import { SetupError } from '../errors/setup-error.js'
import { VERB_FACTS, VERB_NAMES, VERBS, type EndpointVerb, type Verb } from '../http/methods.js'
import { fieldError, type RouteClass, readStatic } from './route-class.js'
import { type ContractSpec, isStatusRecord, readContract } from './contract.js'
import { Kind } from './kinds.js'
import { Route } from './route.js'
import { readDecorators, repeatedUse, listDecorators } from './decorator.js'
import type { Around, DecoratedEndpoint, DecoratorInput, DecoratorUse } from './decorator.js'

export interface VerbMethod {
  readonly verb: EndpointVerb
  readonly contract: ContractSpec | undefined
}

/** Returns the endpoints of a class in the order of `VERBS`, including inherited endpoints. */
export function findEndpoints(routeClass: RouteClass, name: string): VerbMethod[] {
  const endpoints = VERBS.flatMap((verb) => findEndpoint(routeClass, name, verb))
  if (endpoints.length > 0) return endpoints
  throw new SetupError('ROUTE_EMPTY', `Cannot register "${name}": it has no endpoint. Name a method ${VERB_NAMES}`)
}

function findEndpoint(routeClass: RouteClass, name: string, verb: Verb): VerbMethod[] {
  const isMethod = hasMethod(routeClass, name, verb)
  const contract = findContract(routeClass, name, verb)
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
    throw contractError(`static "${verb}" of "${name}"`, `it must be a contract. ${fix}`)
  }
  if (VERB_FACTS[verb].body === 'never' && contract?.body !== undefined) {
    const state = `a ${verb.toUpperCase()} request has no body. Use "query", or change the method to "post"`
    throw contractError(`the contract of "${name}.${verb}"`, state)
  }
  checkFile(name, verb, contract?.returns)
  if (contract?.etag === true) checkTagged(routeClass, name, verb, contract)
  if (contract?.idempotency !== undefined) checkRepeatable(routeClass, name, verb, contract)
  return contract
}

function checkFile(name: string, verb: Verb, returns: ContractSpec['returns']): void {
  if (verb === 'get' || !kindNames(returns).includes('file')) return
  throw contractError(`the contract of "${name}.${verb}"`, '"file(…)" is only valid for GET. Write "stream()"')
}

/** Verbena computes an ETag from the whole response. */
function checkTagged(routeClass: RouteClass, name: string, verb: Verb, { returns }: ContractSpec): void {
  const what = `the contract of "${name}.${verb}"`
  if (verb !== 'get')
    throw contractError(what, '"etag" is only valid for GET. Use "precondition(…)" for methods that change something')
  if (isStreamed(returns) || isGeneratorMethod(Reflect.get(routeClass.prototype, verb))) {
    throw contractError(what, 'the ETag of a stream is not known before it ends. Remove "etag"')
  }
}

/** The idempotency store keeps the whole response, and compares the whole body. */
function checkRepeatable(routeClass: RouteClass, name: string, verb: Verb, { body, returns }: ContractSpec): void {
  const what = `the contract of "${name}.${verb}"`
  if (verb === 'get')
    throw contractError(what, '"idempotency" is not valid for GET, which clients can always retry. Remove it')
  if (returns === undefined) {
    throw contractError(what, '"idempotency" stores the response, but the contract does not describe it. Add "returns"')
  }
  if (isStreamed(returns) || isGeneratorMethod(Reflect.get(routeClass.prototype, verb))) {
    throw contractError(what, '"idempotency" cannot store a stream. Return a value')
  }
  if (body instanceof Kind && body.facts.decode === undefined) {
    const state = `"idempotency" compares the bytes of the body, but "${body.reader?.label ?? 'stream'}(…)" does not keep them`
    throw contractError(what, `${state}. Use another kind of body`)
  }
}

function isStreamed(returns: ContractSpec['returns']): boolean {
  return kindNames(returns).some((name) => ['stream', 'events', 'file'].includes(name))
}

function kindNames(returns: ContractSpec['returns']): string[] {
  const kinds = [isStatusRecord(returns) ? Object.values(returns) : returns].flat()
  return kinds.flatMap((kind) => (kind instanceof Kind ? kind.name : []))
}

/** Does not detect generators that were compiled to ordinary functions for older engines. */
function isGeneratorMethod(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncGeneratorFunction]'
}

function contractError(what: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot use ${what}: ${why}`)
}

interface Decorations {
  readonly arounds: readonly Around[]
  readonly meta: object
  readonly errors: readonly number[]
  /** Names such as `@log`, outermost first. */
  readonly labels: readonly string[]
}

/** Order, outermost first: class, contract, method. A decorator of the contract or method replaces the same decorator of the class. */
export function collectDecorations(routeClass: RouteClass, name: string, endpoint: VerbMethod): Decorations {
  const ofClass = readDecorators(readStatic(routeClass, 'decorators') ?? [], `the class "${name}"`).map((read) =>
    read(),
  )
  const decorators = ownDecorators(routeClass, name, endpoint)
  checkRepeated(ofClass, `in the decorators of the class "${name}"`)
  checkRepeated(decorators, `on "${name}.${endpoint.verb}"`)
  const replaced = new Set(decorators.map(({ decorator }) => decorator))
  const uses = [...ofClass.filter(({ decorator }) => !replaced.has(decorator)), ...decorators]
  return {
    arounds: uses.flatMap(({ spec }) => spec.around ?? []),
    meta: Object.assign({}, ...uses.map(({ spec }) => spec.meta)),
    errors: [...new Set(uses.flatMap(({ spec }) => spec.errors ?? []))],
    labels: uses.map(({ label }) => label),
  }
}

export function mergeMeta(parts: readonly object[]): object {
  const meta: object = Object.assign({}, ...parts)
  for (const symbol of Object.getOwnPropertySymbols(meta)) Object.defineProperty(meta, symbol, { enumerable: false })
  return meta
}

function ownDecorators(routeClass: RouteClass, name: string, { verb, contract }: VerbMethod): readonly DecoratorUse[] {
  const onMethod = listDecorators(Reflect.get(routeClass.prototype, verb))
  const { decorators } = contract ?? {}
  if (decorators === undefined) return onMethod
  // If a subclass overrides the method, but not the contract, the contract stays valid, except for its decorators.
  for (let owner: object = routeClass; !Object.hasOwn(owner, verb); owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(Reflect.get(owner, 'prototype'), verb)) return onMethod
  }
  return [...readDecorators(decorators, `"${name}.${verb}"`).map((read) => read()), ...onMethod]
}

function checkRepeated(uses: readonly DecoratorUse[], where: string): void {
  for (const [index, { decorator, label }] of uses.entries()) {
    if (uses.findIndex((other) => other.decorator === decorator) < index) throw repeatedUse(label, where)
  }
}

/** Calls a method through its decorators. Stays synchronous if the method and the decorators are. */
export type AroundCall = (input: DecoratorInput, proceed: () => unknown) => unknown

/** Composes decorators into one function; `null` if the list is empty. */
export function composeWrappers(arounds: readonly Around[], endpoint: DecoratedEndpoint): AroundCall | null {
  return arounds.reduceRight<AroundCall | null>((inner, around) => {
    if (inner === null) return (input, proceed) => around(input, proceed, endpoint)
    return (input, proceed) => around(input, () => inner(input, proceed), endpoint)
  }, null)
}
