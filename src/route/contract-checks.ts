/** What a contract may say. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { isEmptyStatus } from '../http/payload.js'
import { readUses } from '../injection/uses.js'
import { isSchema } from '../validation/schema.js'
import type { ContractSpec, Returnable, Source } from './contract-types.js'
import { readDecorators } from './decorator-list.js'
import { Kind } from './kinds.js'

/** The names of the sources, in the order in which their issues are reported. */
export const SOURCES: readonly Source[] = ['params', 'query', 'headers', 'cookies', 'body']

const KEYS: readonly string[] = [
  ...SOURCES,
  ...['uses', 'returns', 'status', 'errors', 'timeout', 'decorators'],
  ...['summary', 'description', 'tags', 'operationId', 'hidden', 'meta'],
]

/** Checks what an author wrote as a contract. */
export function checkContract(owner: string, spec: unknown): ContractSpec {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) {
    throw flaw(owner, 'it is not an object. Write "this.contract({ … })"')
  }
  for (const key of Object.keys(spec)) {
    if (KEYS.includes(key)) continue
    throw flaw(owner, `unknown key "${key}".${suggestion(key, KEYS)} A contract has ${KEYS.join(', ')}`)
  }
  const given: ContractSpec = spec
  for (const source of SOURCES) checkSource(given[source], source, owner)
  checkReturns(given, owner)
  checkErrors(given.errors ?? [], owner)
  checkTimeout(given.timeout, owner)
  checkWords(given, owner)
  if (given.uses !== undefined) readUses(given.uses, `a contract of "${owner}"`)
  readDecorators(given.decorators ?? [], `a contract of "${owner}"`)
  if (given.tags !== undefined && !isTextList(given.tags)) {
    throw flaw(owner, `"tags" is not an array of strings. Write "tags: ['users']"`)
  }
  return given
}

function checkSource(value: unknown, source: Source, owner: string): void {
  if (source !== 'body' || !(value instanceof Kind)) checkSchema(value, `"${source}"`, owner)
  else if (value.name === 'events') throw flaw(owner, 'an event stream is no body. Use "stream()"')
  else if (!value.isProjected) throw flaw(owner, '"project: false" is for answers. Leave it out of "body"')
}

function flaw(owner: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot make a contract of "${owner}": ${why}`)
}

function checkSchema(value: unknown, where: string, owner: string): void {
  if (value === undefined || isSchema(value)) return
  const wayOut = 'Give a schema of a library that follows Standard Schema 1'
  throw new SetupError(
    'SCHEMA_INVALID',
    `Cannot use ${where} in a contract of "${owner}": it is ${kindOf(value)}, not a schema. ${wayOut}`,
  )
}

/** Names the kind of a value, for the texts of errors. Returns such as `an array`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`
}

function checkReturns({ returns, status }: ContractSpec, owner: string): void {
  // An error status is declared in a record of "returns", or thrown: everything else that is no success is a problem.
  if (status !== undefined) checkStatus(status, [200, 399], owner)
  if (!isStatusRecord(returns)) {
    if (returns !== undefined) checkReturn(returns, status ?? 200, owner)
    return
  }
  if (status !== undefined) {
    throw flaw(owner, '"status" stands beside a record in "returns". Leave "status" out, the keys of "returns" say it')
  }
  for (const [key, value] of Object.entries(returns)) {
    checkStatus(Number(key), [200, 599], owner)
    checkReturn(value, Number(key), owner)
  }
}

function checkReturn(value: unknown, status: number, owner: string): void {
  if (value === null) return
  if (!(value instanceof Kind)) checkSchema(value, '"returns"', owner)
  else if (value.name === 'form' || (value.name === 'json' && value.isProjected)) {
    throw flaw(owner, `"${value.name}(…)" is a kind of body. Write the schema itself in "returns"`)
  }
  if (isEmptyStatus(status)) throw flaw(owner, `an answer with status ${status} has no body. Write "null" for it`)
}

/** Tells whether `returns` says what each status returns. */
export function isStatusRecord(returns: ContractSpec['returns']): returns is { readonly [status: number]: Returnable } {
  if (typeof returns !== 'object' || returns === null || returns instanceof Kind || isSchema(returns)) return false
  const keys = Object.keys(returns)
  return keys.length > 0 && keys.every((key) => /^[0-9]+$/.test(key))
}

function checkErrors(errors: NonNullable<ContractSpec['errors']>, owner: string): void {
  if (typeof errors !== 'object') {
    throw flaw(owner, '"errors" is neither a list nor a record. Write "errors: [404]"')
  }
  const entries: readonly (readonly [number, unknown])[] = Array.isArray(errors)
    ? errors.map((status: number) => [status, 'listed'])
    : Object.entries(errors).map(([key, value]) => [Number(key), value])
  for (const [status, value] of entries) {
    checkStatus(status, [400, 599], owner)
    if (typeof value !== 'string') checkSchema(value, `"errors" for ${status}`, owner)
  }
}

function checkStatus(status: number, [lowest, highest]: readonly [number, number], owner: string): void {
  if (Number.isInteger(status) && status >= lowest && status <= highest) return
  throw flaw(owner, `status ${String(status)} is not a whole number from ${lowest} to ${highest}. Use one that is`)
}

/** Tells whether a value is a list of texts, as tags are. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** What the document says of it. */
function checkWords(spec: ContractSpec, owner: string): void {
  for (const key of ['summary', 'description', 'operationId'] as const) {
    if (spec[key] !== undefined && typeof spec[key] !== 'string') throw flaw(owner, `"${key}" is not a text. Write one`)
  }
  if (spec.hidden !== undefined && typeof spec.hidden !== 'boolean') {
    throw flaw(owner, '"hidden" is neither true nor false. Write one of them')
  }
  if (spec.meta !== undefined && (typeof spec.meta !== 'object' || spec.meta === null)) {
    throw flaw(owner, '"meta" is not an object. Write "meta: { … }"')
  }
}

function checkTimeout(timeout: number | undefined, owner: string): void {
  if (timeout === undefined || (Number.isSafeInteger(timeout) && timeout > 0 && timeout < 2 ** 31)) return
  throw flaw(owner, `timeout ${String(timeout)} is not a whole number of milliseconds. Give one from 1 to 2147483647`)
}
