/** Runs a schema of any library and brings what it says into one form. */
import { follow, pointerOf } from './pointer.js'
import { isObject, type Known } from './record.js'
import { redact } from './redact.js'
import type { Schema } from './schema.js'

/** A complaint of a validator. */
export interface Issue {
  /** Where in the value it is, as JSON Pointer (RFC 6901); `''` is the whole value. */
  readonly pointer: string
  /** What is wrong, in the words of the library or of the author. */
  readonly message: string
  /** What the library calls this kind of complaint, for the console. Not enumerable: it is no part of an answer. */
  readonly code?: string | undefined
}

/** What came of validating a value. */
export interface Outcome {
  /** What the schema gives; undefined when there are issues. */
  readonly value: unknown
  /** At least one issue, or undefined when the value is valid. */
  readonly issues: readonly Issue[] | undefined
}

const LONGEST_CODE = 100
// A megabyte of wrong items would else be answered with tens of megabytes of issues.
const MAX_ISSUES = 1_000
const UNEXPLAINED: Issue = { pointer: '', message: 'Invalid value' }

/**
 * Validates a value. Only message, path and code of an issue are kept, because libraries put the raw input, or cyclic
 * objects, beside them; at most 1,000 issues are.
 *
 * @param schema any Standard Schema
 * @param value what to validate
 * @returns the outcome; a promise only when the library gives a thenable
 * @throws whatever the validator throws
 * @throws TypeError when its result is not one of Standard Schema
 */
export function validate(schema: Schema, value: unknown): Outcome | Promise<Outcome> {
  const result = schema['~standard'].validate(value)
  if (isThenable(result)) return Promise.resolve(result).then((settled) => outcomeOf(settled, value))
  return outcomeOf(result, value)
}

/**
 * Goes on with an outcome, at once when it is there.
 *
 * @param outcome an outcome or a promise of one
 * @param next what to do with it
 * @returns what `next` gives
 */
export function after(
  outcome: Outcome | Promise<Outcome>,
  next: (outcome: Outcome) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  return outcome instanceof Promise ? outcome.then(next) : next(outcome)
}

function isThenable(result: unknown): result is PromiseLike<unknown> {
  return isObject(result) && typeof result['then'] === 'function'
}

function outcomeOf(result: unknown, value: unknown): Outcome {
  if (!isObject(result)) {
    throw new TypeError(`Cannot use the result of a validator: it is ${typeof result}, not an object`)
  }
  // Standard Schema: whatever is falsy here means success.
  const issues = result['issues']
  return issues ? { value: undefined, issues: issuesOf(issues, value) } : { value: result['value'], issues: undefined }
}

function issuesOf(issues: unknown, value: unknown): readonly Issue[] {
  if (!Array.isArray(issues) || issues.length === 0) return [UNEXPLAINED]
  const copies: Issue[] = []
  // By index: `issues` may be a subclass of Array whose `map` and `slice` make something else.
  for (let at = 0; at < issues.length && at < MAX_ISSUES; at++) copies.push(issueOf(issues[at], value))
  return copies
}

function issueOf(issue: unknown, value: unknown): Issue {
  if (!isObject(issue)) return UNEXPLAINED
  const pointer = pointerOf(issue['path'])
  const message = issue['message']
  const text = typeof message === 'string' ? redact(message, follow(value, pointer)) : 'Invalid value'
  return withCode({ pointer, message: text }, codeOf(issue))
}

/** Standard Schema has no codes; libraries have, as `code` or as `type`. */
function codeOf({ code, type }: Known): string | undefined {
  const found = typeof code === 'string' ? code : type
  return typeof found === 'string' ? found.slice(0, LONGEST_CODE) : undefined
}

/**
 * Says what a library calls an issue.
 *
 * @param issue without a code
 * @param code of the library; `undefined` where it has none
 * @returns the same issue
 */
export function withCode<Found extends Issue>(issue: Found, code: string | undefined): Found {
  return code === undefined ? issue : Object.defineProperty(issue, 'code', { value: code })
}
