/** Promises that Verbena discards. A rejection that nothing handles would end the process. */
import { noop } from './ignore.js'

/**
 * Whether a value is a promise. If so, its rejection is handled.
 *
 * @param onRejected receives the reason, later
 */
export function discardPromise(
  value: unknown,
  onRejected: (error: unknown) => void = noop,
): value is PromiseLike<unknown> {
  if (!isPromise(value)) return false
  // `Promise.resolve` would run a "constructor" or "catch" of the author's class.
  new Promise((resolve) => resolve(value)).catch(onRejected).catch(noop)
  return true
}

/** Log line for the rejection of a promise where a function of the author must not return one. */
export function rejectedHook(hook: string): string {
  return `Promise returned by ${hook} rejected; this function must be synchronous`
}

/** Functions with a `then` are promises, too. A revoked proxy throws at each access. */
function isPromise(value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  try {
    return 'then' in value && typeof value.then === 'function'
  } catch {
    return false
  }
}
