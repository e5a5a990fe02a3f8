/** Promises that Verbena discards, because a rejection that nothing handles would end the process, and values that may be promises. */
import { noop } from './noop.js'

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
  // `Promise.resolve` would call "constructor" or "catch" of a subclass.
  new Promise((resolve) => resolve(value)).catch(onRejected).catch(noop)
  return true
}

/** Calls `next` with a value: immediately, or after its promise is fulfilled. */
export function thenSync<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Returns the log line for a rejected promise of a function that must be synchronous. */
export function rejectedHook(hook: string): string {
  return `Promise returned by ${hook} rejected; this function must be synchronous`
}

/** Whether a value is a promise, including functions with a `then`. Catches errors, because a revoked proxy throws on each access. */
function isPromise(value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  try {
    return 'then' in value && typeof value.then === 'function'
  } catch {
    return false
  }
}
