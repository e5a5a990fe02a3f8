/** Retries checks of states that change without an event. */

const MAX_WAIT_MS = 20_000
const STEP_MS = 25

/**
 * Retries a check until it does not throw.
 *
 * @param check throws until the condition is true
 * @returns result of the check
 */
export async function eventually<T>(check: () => Promise<T> | T): Promise<T> {
  const end = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}
