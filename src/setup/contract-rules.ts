/**
 * Rules for the contract of an endpoint: which options its verb and its kind of response allow.
 *
 * @see docs/decisions/0050-query-is-safe.md
 */
import { SetupError } from '../errors/setup-error.js'
import { VERB_FACTS, type EndpointVerb } from '../http/methods.js'
import { isStatusRecord, type ContractSpec } from '../route/contract.js'
import type { VerbMethod } from '../route/endpoints.js'
import { Kind, toKind } from '../route/kinds.js'
import type { RouteClass } from '../route/route-class.js'

/** Throws if an option of the contract is not valid for the verb. */
export function checkContractRules(routeClass: RouteClass, name: string, { verb, contract }: VerbMethod): void {
  if (contract === undefined) return
  const what = `the contract of "${name}.${verb}"`
  if (VERB_FACTS[verb].body === 'never' && contract.body !== undefined) {
    const fix = 'Use the option "query", or change the method to "query" or "post"'
    throw ruleError(what, `a ${verb.toUpperCase()} request has no body. ${fix}`)
  }
  if (verb === 'query') checkQuery(what, contract)
  checkFileVerb(what, verb, contract.returns)
  if (contract.etag === true) checkTagged(what, routeClass, { verb, contract })
  if (contract.idempotency !== undefined) checkRepeatable(what, routeClass, { verb, contract })
}

/** Media types that pages of other sites can send without asking the server (Fetch standard, section 2.2.2), except `text/plain`. */
const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/.*)$/

/** The body of a QUERY is the query, and says by its media type how to read it (RFC 10008 section 2). */
function checkQuery(what: string, { body, returns, status }: ContractSpec): void {
  if (body === undefined) {
    throw ruleError(what, 'a QUERY request has a body. Add "body", or change the method to "get"')
  }
  const { facts, types } = toKind(body)
  if (facts.isForm === true || types.some((type) => FORM_TYPE.test(type))) {
    throw ruleError(what, 'the body of a QUERY request must not be a form. Use a schema, which means JSON')
  }
  const statuses = isStatusRecord(returns) ? Object.keys(returns).map(Number) : [status]
  const redirection = statuses.find((each) => each === 301 || each === 302)
  if (redirection === undefined) return
  const fix = 'Use 303 for a result that clients read with GET, or 307 or 308 to repeat the QUERY'
  throw ruleError(what, `clients disagree about the status ${redirection} after a QUERY. ${fix}`)
}

function checkFileVerb(what: string, verb: EndpointVerb, returns: ContractSpec['returns']): void {
  if (verb === 'get' || !kindNames(returns).includes('file')) return
  throw ruleError(what, '"file(…)" is only valid for GET. Write "stream()"')
}

type CheckedMethod = Pick<Required<VerbMethod>, 'verb'> & { readonly contract: ContractSpec }

/** Verbena computes an ETag from the whole response. */
function checkTagged(what: string, routeClass: RouteClass, { verb, contract: { returns } }: CheckedMethod): void {
  if (!VERB_FACTS[verb].isSafe) {
    const fix = 'Use "precondition(…)" for methods that change something'
    throw ruleError(what, `"etag" is only valid for GET and QUERY. ${fix}`)
  }
  if (isStreamed(returns) || isGeneratorMethod(Reflect.get(routeClass.prototype, verb))) {
    throw ruleError(what, 'the ETag of a stream is not known before it ends. Remove "etag"')
  }
}

/** The idempotency store keeps the whole response, and compares the whole body. */
function checkRepeatable(what: string, routeClass: RouteClass, { verb, contract }: CheckedMethod): void {
  const { body, returns } = contract
  if (VERB_FACTS[verb].isSafe) {
    const state = `"idempotency" is not valid for ${verb.toUpperCase()}, which clients can always retry`
    throw ruleError(what, `${state}. Remove it`)
  }
  if (returns === undefined) {
    throw ruleError(what, '"idempotency" stores the response, but the contract does not describe it. Add "returns"')
  }
  if (isStreamed(returns) || isGeneratorMethod(Reflect.get(routeClass.prototype, verb))) {
    throw ruleError(what, '"idempotency" cannot store a stream. Return a value')
  }
  if (body instanceof Kind && body.facts.decode === undefined) {
    const state = `"idempotency" compares the bytes of the body, but "${body.reader?.label ?? 'stream'}(…)" does not keep them`
    throw ruleError(what, `${state}. Use another kind of body`)
  }
}

function isStreamed(returns: ContractSpec['returns']): boolean {
  return kindNames(returns).some((name) => ['stream', 'events', 'jsonLines', 'file'].includes(name))
}

function kindNames(returns: ContractSpec['returns']): string[] {
  const kinds = [isStatusRecord(returns) ? Object.values(returns) : returns].flat()
  return kinds.flatMap((kind) => (kind instanceof Kind ? kind.name : []))
}

/** Does not detect generators that were compiled to ordinary functions for older engines. */
function isGeneratorMethod(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncGeneratorFunction]'
}

function ruleError(what: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot use ${what}: ${why}`)
}
