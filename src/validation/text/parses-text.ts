/** Detects schemas that parse a string although their JSON Schema does not say so, such as `z.preprocess(JSON.parse, …)`. */
import { discardPromise } from '../../values/promises.js'
import { isObject } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { segmentKey, issuePath } from '../path.js'
import type { Schema } from '../schema.js'
import { validate } from '../validate.js'

const SAMPLES: readonly string[] = ['{}', '[0]', 'a']

/**
 * Whether a schema parses the strings of a member. Validates sample strings during setup. The schema parses a string if it returns a
 * value of another type, or if an issue is about a place inside the member. Returns `false` for an asynchronous schema.
 */
export function parsesText(schema: Schema, key: string): boolean {
  return SAMPLES.some((sample) => valueOr(() => isParsed(schema, key, sample), false))
}

function isParsed(schema: Schema, key: string, sample: string): boolean {
  const outcome = validate(schema, { [key]: sample })
  if (discardPromise(outcome)) return false
  const { value, issues } = outcome
  if (issues === undefined) return isObject(value) && Object.hasOwn(value, key) && typeof value[key] !== 'string'
  return issues.rawIssues.some((issue) => {
    const path = issuePath(issue)
    return path.length > 1 && segmentKey(path[0]) === key
  })
}
