/** Runs a schema of any library and brings what it says into one form. */
import { Issues } from './issues.js'
import { isObject, isThenable } from '../values/objects.js'
import type { Schema } from './schema.js'

export interface Outcome {
  /** What the schema gives; undefined when there are issues. */
  readonly value: unknown
  /** What is wrong; undefined when the value is valid. */
  readonly issues: Issues | undefined
}

export function validate(schema: Schema, value: unknown): Outcome | Promise<Outcome> {
  const result = schema['~standard'].validate(value)
  if (isThenable(result)) return Promise.resolve(result).then((settled) => toOutcome(settled, value))
  return toOutcome(result, value)
}

/** Goes on with an outcome, at once when it is there. */
export function thenSync(
  outcome: Outcome | Promise<Outcome>,
  next: (outcome: Outcome) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  return outcome instanceof Promise ? outcome.then(next) : next(outcome)
}

function toOutcome(result: unknown, value: unknown): Outcome {
  if (!isObject(result)) {
    throw new TypeError(`Cannot use the result of a validator: it is ${typeof result}, not an object`)
  }
  // Standard Schema: whatever is falsy here means success.
  const issues = result['issues']
  return issues
    ? { value: undefined, issues: new Issues(issues, value) }
    : { value: result['value'], issues: undefined }
}
