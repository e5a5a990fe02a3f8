/** Timeout for stores, because some of their clients wait forever for an unavailable server. */

import { noop } from './noop.js'

/** Timeout of a store in ms, and the error for it. */
export interface StoreTimeout {
  readonly ms: number
  readonly error: () => Error
}

/** Maximum time to wait for a store of each feature, in ms. */
export const STORE_TIMES = { sessions: 5_000, keys: 2_000, limits: 1_000 } as const

export function storeTimeout(ms: number): StoreTimeout {
  return { ms, error: () => new Error(`The store did not respond within ${ms} ms`) }
}

/**
 * Waits for the result of a store, and rejects after the timeout.
 *
 * @param late receives a result that arrives after the timeout
 */
export function withTimeout<T>(
  work: PromiseLike<T>,
  { ms, error }: StoreTimeout,
  late: (value: T) => void = noop,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(error())
    }, ms)
    Promise.resolve(work)
      .finally(() => clearTimeout(timer))
      .then((value) => (isLate ? late(value) : resolve(value)))
      // Also handles an error thrown by `late`.
      .catch(reject)
  })
}
