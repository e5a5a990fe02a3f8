/** Whether a schema parses a string by itself, although its JSON Schema does not say so, as with `z.preprocess(JSON.parse, …)`. */
import { discardPromise } from '../../values/promises.js'
import { isObject } from '../../values/objects.js'
import { valueOr } from '../../values/quietly.js'
import { segmentKey, issuePath } from '../path.js'
import type { Schema } from '../schema.js'
import { validate } from '../validate.js'

const SAMPLES: readonly string[] = ['{}', '[0]', 'a']

/**
 * Validates strings as a member, at setup. The schema parses a string if it returns another value, or if an issue is about a part of the
 * member. An asynchronous schema counts as one that does not.
 */
export function parsesText(schema: Schema, key: string): boolean {
  return SAMPLES.some((sample) => valueOr(() => isParsed(schema, key, sample), false))
}

function isParsed(schema: Schema, key: string, sample: string): boolean {
  const outcome = validate(schema, { [key]: sample })
  if (discardPromise(outcome)) return false
  const { value, issues } = outcome
  if (issues === undefined) return isObject(value) && Object.hasOwn(value, key) && typeof value[key] !== 'string'
  return issues.complaints.some((complaint) => {
    const path = issuePath(complaint)
    return path.length > 1 && segmentKey(path[0]) === key
  })
}
