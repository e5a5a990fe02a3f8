/** Stores that may be silent: some clients wait for ever for a server that is gone. */

import { noop } from './ignore.js'

/** How long a store may take, and what it is called where it takes longer. */
export interface StoreTimeout {
  readonly ms: number
  readonly error: () => Error
}

/** Waits for a store as long as there is patience. What comes later is taken by `late`. */
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
      // Also if `late` throws: nobody else would handle that rejection.
      .catch(reject)
  })
}
