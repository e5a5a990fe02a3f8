/** Validates a value with a schema of any library. */
import { Issues } from './issues.js'
import { isObject, isThenable } from '../values/objects.js'
import type { Schema } from './schema.js'

export interface Outcome {
  /** Value that the schema returned; `undefined` if there are issues. */
  readonly value: unknown
  /** `undefined` if the value is valid. */
  readonly issues: Issues | undefined
}

/** `result` is the settled result of an asynchronous schema, for the second call. */
export function validate(
  schema: Schema,
  value: unknown,
  result: unknown = schema['~standard'].validate(value),
): Outcome | Promise<Outcome> {
  if (isThenable(result)) return Promise.resolve(result).then((settled) => validate(schema, value, settled))
  if (!isObject(result)) {
    throw new TypeError(`Cannot use the result of a validator: it must be an object, not ${typeof result}`)
  }
  // In Standard Schema, any falsy value means success.
  const issues = result['issues']
  return issues
    ? { value: undefined, issues: new Issues(issues, value) }
    : { value: result['value'], issues: undefined }
}
