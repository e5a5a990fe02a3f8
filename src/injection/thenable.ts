/** What has to be waited for. */

/**
 * Tells whether a value has to be waited for; libraries have promises of their own.
 *
 * @param value any
 * @returns true for a promise and its like
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
