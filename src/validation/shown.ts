/** What JSON shows of a value. */
import { isObject } from '../values/objects.js'

/**
 * The value that `JSON.stringify` would write in the place of another: what `toJSON` gives, where there is one. Returns
 * the value itself, or what its `toJSON` gives.
 */
export function shownAs(value: unknown): unknown {
  if (!isObject(value) || typeof value['toJSON'] !== 'function') return value
  return value['toJSON']('')
}
