/** Stores that may be silent: some clients wait for ever for a server that is gone. */

import { ignore } from './ignore.js'

/** How long a store may take, and what it is called where it takes longer. */
export interface Patience {
  readonly ms: number
  readonly error: () => Error
}

/** Waits for a store as long as there is patience. What comes later is taken by `late`. */
export function inTime<T>(
  work: PromiseLike<T>,
  { ms, error }: Patience,
  late: (value: T) => void = ignore,
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
