/** Validation of responses against their contract. The client gets a 500 for a violation, and the log a full report. */
import type { FullReply } from '../context/reply.js'
import { applyChanges, NO_FIELDS, overlayFields, type HeaderMap } from '../http/fields.js'
import { mediaEssence } from '../http/media-type.js'
import { discard } from '../http/payload.js'
import { Issues, listIssues, type Issue, type ListedIssues } from '../validation/issues.js'
import { stripOpaque } from '../validation/projection/opaque.js'
import { findInJson } from '../validation/projection/find-in-json.js'
import { isHeld } from '../validation/projection/pass-value.js'
import { StructureError } from '../validation/projection/structures.js'
import type { StringSource } from '../validation/text/string-source.js'
import { validate, type Outcome } from '../validation/validate.js'
import { parsePointer } from '../values/json-pointer.js'
import { isObject, isThenable } from '../values/objects.js'
import { discardPromise, thenSync } from '../values/promises.js'
import type { Call } from './call.js'
import type { BeforePlan, CheckedPlan } from './endpoint.js'

const NO_ISSUES: ListedIssues = { list: [], omitted: 0 }

export class ContractViolation extends Error {
  readonly issues: readonly Issue[]
  /** Private, so that loggers do not serialize it. The console reads it. */
  readonly #received: unknown

  constructor(
    { label }: Pick<Call, 'label'>,
    state: string,
    { list, omitted }: ListedIssues = NO_ISSUES,
    received?: unknown,
  ) {
    const lines = list.map(({ pointer, message }) => `\n  ${pointer === '' ? '(whole)' : pointer}: ${message}`)
    const more = omitted === 0 ? '' : `\n  and ${omitted} more`
    super(`Cannot send the response of ${label}: ${state}${lines.join('')}${more}`)
    this.name = 'ContractBreach'
    this.issues = list
    this.#received = received
  }

  get received(): unknown {
    return this.#received
  }
}

/** Validates and projects a response. Without a JSON Schema, only validation removes unknown properties, so it always runs. */
export function checkReply(call: Call, plan: CheckedPlan, value: unknown): unknown {
  if (isThenable(value)) rejectPromises(call, value)
  const { schema, isOpaque, before } = plan
  if (before !== null) return checkBefore(call, plan, before, value)
  if (!isOpaque && !call.app.validateResponses) return projectOutcome(call, plan, value, { value, issues: undefined })
  const outcome = isOpaque ? stripOpaque(schema, value) : validate(schema, value)
  if (!(outcome instanceof Promise)) return projectOutcome(call, plan, value, outcome)
  return outcome.then((settled) => projectOutcome(call, plan, value, settled))
}

/** Projects a response before its validation, so that the functions of the schema read only described properties. */
function checkBefore(call: Call, plan: CheckedPlan, { pass, project }: BeforePlan, received: unknown): unknown {
  if (!call.app.validateResponses) {
    const value = projectReceived(call, project, received)
    return projectOutcome(call, plan, received, { value, issues: undefined })
  }
  const { value, held } = projectReceived(call, pass, received)
  return thenSync(validate(plan.schema, value), (outcome) => {
    const projected = projectOutcome(call, plan, received, outcome)
    const path = held.length === 0 ? undefined : findInJson(projected, (each) => isHeld(each, held))
    if (path === undefined) return projected
    const state = 'is an object that the schema does not describe, and that its function returns unchanged'
    const issue = { path, message: `${state}. Return a new object, or write "json(schema, { project: false })"` }
    throw contractViolation(call, new Issues([issue], undefined), projected, NOT_AS_DESCRIBED)
  })
}

function projectReceived<Value>(call: Call, project: (value: unknown) => Value, received: unknown): Value {
  try {
    return project(received)
  } catch (error) {
    throw structureViolation(call, received, error)
  }
}

const NOT_AS_DESCRIBED = 'it does not match its schema. Send a value that matches'

/** Returns the validated value, without properties that the schema does not describe. */
function projectOutcome(call: Call, { project }: CheckedPlan, received: unknown, { value, issues }: Outcome): unknown {
  if (issues !== undefined) {
    rejectPromises(call, received)
    throw contractViolation(call, issues, received, NOT_AS_DESCRIBED)
  }
  try {
    return rejectPromises(call, project === null ? value : project(value))
  } catch (error) {
    throw structureViolation(call, value, error)
  }
}

/** Returns the violation for an object or array that the schema does not describe. Other errors are thrown. */
function structureViolation(call: Call, value: unknown, error: unknown): ContractViolation {
  if (!(error instanceof StructureError)) throw error
  rejectPromises(call, value)
  return contractViolation(call, new Issues([error], undefined), value, NOT_AS_DESCRIBED)
}

/**
 * Throws if the value, one of its items or one of its members is a promise, which JSON would serialize as `{}`. Otherwise returns the
 * value. Does not look into a value that is not serialized by its properties.
 */
export function rejectPromises(call: Call, value: unknown): unknown {
  if (!isObject(value)) return value
  if (isThenable(value)) throw promiseViolation(call, value, 'it')
  if (typeof value['toJSON'] === 'function' || ArrayBuffer.isView(value) || Symbol.asyncIterator in value) return value
  if (Array.isArray(value)) {
    // A loop, because `findIndex` takes twice as long.
    for (let at = 0; at < value.length; at++) {
      if (isThenable(value[at])) throw promiseViolation(call, value, `its item ${at}`)
    }
    return value
  }
  // `for-in` does not allocate an array of keys.
  for (const key in value) if (isThenable(value[key])) throw promiseViolation(call, value, `its member "${key}"`)
  return value
}

function promiseViolation(call: Call, value: object, place: string): ContractViolation {
  for (const each of [value, ...Object.values(value)]) discardPromise(each)
  return new ContractViolation(call, `${place} is a promise. Await it before you return it`)
}

/** Returns the reply if its media type is one of the declared types. Otherwise discards its payload and throws. */
export function checkMediaType(
  call: Call,
  reply: FullReply,
  types: readonly string[],
  accepts: (essence: string) => boolean,
): FullReply {
  const { headers, payload } = reply
  const fields = call.changes === null ? headers : overlayFields(applyChanges(NO_FIELDS, call.changes), headers)
  const type = mediaEssence(fields.get('content-type') ?? `${payload.type}`)
  if (accepts(type)) return reply
  discard(payload)
  const state = `its media type is "${type}", not ${types.join(' or ')}`
  throw new ContractViolation(call, `${state}. Send a declared type, or add it to "types"`)
}

/** Returns the reply if its headers match their schema. Otherwise discards its payload and throws. */
export function checkResponseHeaders(
  call: Call,
  described: StringSource,
  fields: HeaderMap,
  reply: FullReply,
): FullReply | Promise<FullReply> {
  if (!call.app.validateResponses) return reply
  const names = described.keys ?? [...fields.keys()]
  const values = Object.fromEntries(names.map((name) => [name, fields.get(name.toLowerCase())]))
  const accept = ({ issues }: Outcome): FullReply => {
    if (issues === undefined) return reply
    discard(reply.payload)
    throw contractViolation(call, issues, values, 'its headers do not match their schema. Send headers that match')
  }
  const outcome = described.read(values)
  return thenSync(outcome, accept)
}

export function contractViolation(
  call: Call,
  issues: Issues,
  rejectedValue: unknown,
  state: string,
): ContractViolation {
  const { list, omitted } = listIssues([[undefined, issues]], call.app.limits.issues)
  const explained = list.map((issue) => addDateHint(issue, rejectedValue))
  return new ContractViolation(call, state, { list: explained, omitted }, rejectedValue)
}

function addDateHint(issue: Issue, rejectedValue: unknown): Issue {
  const hint = dateHint(rejectedValue, issue.pointer)
  if (hint === '') return issue
  // A spread would lose the code, which is not enumerable.
  const message = { value: issue.message + hint, enumerable: true }
  return Object.freeze(Object.create(Object.prototype, { ...Object.getOwnPropertyDescriptors(issue), message }))
}

/** Returns how to send a Date, if the value at a place is one. */
function dateHint(rejectedValue: unknown, pointer: string): string {
  const find = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)
  const value = parsePointer(pointer).reduce(find, rejectedValue)
  if (!(value instanceof Date)) return ''
  if (Number.isNaN(value.getTime())) return '. It is an invalid Date. Return a valid Date, or null'
  return '. It is a Date. Declare a date schema, such as "z.date()" (a codec must encode: its first schema is the date), or return its "toISOString()"'
}
