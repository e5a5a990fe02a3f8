/** Calls to a session store, which can be slow or fail. */
import { frameworkError } from '../../errors/http-error.js'
import { STORE_TIMES, storeTimeout, withTimeout } from '../../values/with-timeout.js'
import { isThenable } from '../../values/objects.js'
import { describeType } from '../../values/describe-type.js'

const PATIENCE = storeTimeout(STORE_TIMES.sessions)

/** Calls a store. Throws 503 if the store fails, because Verbena then cannot identify the user. */
export async function queryStore(work: () => unknown): Promise<unknown> {
  try {
    const result = work()
    return isThenable(result) ? await withTimeout(result, PATIENCE) : result
  } catch (error) {
    throw unavailableError(error)
  }
}

/**
 * Updates an existing session. Returns whether it still exists.
 *
 * @param call for the error: `set with "changed"`
 */
export async function updateExisting(call: string, update: () => unknown): Promise<boolean> {
  const result = await queryStore(update)
  if (typeof result === 'boolean') return result
  const fix = 'Return true if the session exists, false if not, or a promise of it'
  throw unavailableError(
    new TypeError(`Cannot use the session store: ${call} returned ${describeType(result)}. ${fix}`),
  )
}

function unavailableError(cause: unknown): Error {
  return frameworkError(503, 'Sessions are temporarily unavailable. Try again later', { cause })
}
