import { discardPromise } from './promises.js'
import { valueOr } from './quietly.js'

/** Describes the type of a value for an error message, such as `an array`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  // `Array.isArray` throws for a revoked proxy.
  if (valueOr(() => Array.isArray(value), false)) return 'an array'
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`
}

/** Describes a value of the wrong type, which is discarded. A promise among them must not end the process when it rejects. */
export function describeDiscarded(value: unknown): string {
  discardPromise(value)
  return describeType(value)
}
