import { discardPromise } from './promises.js'
import { valueOr } from './value-or.js'

/** Describes the type of a value for an error message, such as `an array`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  // `Array.isArray` throws for a revoked proxy.
  if (valueOr(() => Array.isArray(value), false)) return 'an array'
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`
}

/** Describes the type of a value that is discarded. If it is a promise, its rejection does not end the process. */
export function describeDiscarded(value: unknown): string {
  discardPromise(value)
  return describeType(value)
}
