/** Rules for the contract of an endpoint: which options its verb and its kind of response allow. */
import { SetupError } from '../errors/setup-error.js'
import { VERB_FACTS, type EndpointVerb } from '../http/methods.js'
import { isStatusRecord, type ContractSpec } from '../route/contract.js'
import type { VerbMethod } from '../route/endpoints.js'
import { Kind } from '../route/kinds.js'
import type { RouteClass } from '../route/route-class.js'

/** Throws if an option of the contract is not valid for the verb. */
export function checkContractRules(routeClass: RouteClass, name: string, { verb, contract }: VerbMethod): void {
  if (contract === undefined) return
  if (VERB_FACTS[verb].body === 'never' && contract.body !== undefined) {
    const state = `a ${verb.toUpperCase()} request has no body. Use "query", or change the method to "post"`
    throw contractError(`the contract of "${name}.${verb}"`, state)
  }
  checkFile(name, verb, contract.returns)
  if (contract.etag === true) checkTagged(routeClass, name, verb, contract)
  if (contract.idempotency !== undefined) checkRepeatable(routeClass, name, verb, contract)
}

function checkFile(name: string, verb: EndpointVerb, returns: ContractSpec['returns']): void {
  if (verb === 'get' || !kindNames(returns).includes('file')) return
  throw contractError(`the contract of "${name}.${verb}"`, '"file(…)" is only valid for GET. Write "stream()"')
}

/** Verbena computes an ETag from the whole response. */
function checkTagged(routeClass: RouteClass, name: string, verb: EndpointVerb, { returns }: ContractSpec): void {
  const what = `the contract of "${name}.${verb}"`
  if (verb !== 'get')
    throw contractError(what, '"etag" is only valid for GET. Use "precondition(…)" for methods that change something')
  if (isStreamed(returns) || isGeneratorMethod(Reflect.get(routeClass.prototype, verb))) {
    throw contractError(what, 'the ETag of a stream is not known before it ends. Remove "etag"')
  }
}

/** The idempotency store keeps the whole response, and compares the whole body. */
function checkRepeatable(
  routeClass: RouteClass,
  name: string,
  verb: EndpointVerb,
  { body, returns }: ContractSpec,
): void {
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
