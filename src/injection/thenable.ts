/** What has to be waited for. */

/** Tells whether a value has to be waited for; libraries have promises of their own. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
