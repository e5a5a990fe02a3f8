import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for a condition. The timeout of the test ends a wait that is too long.
 *
 * @param wait time between two checks, in ms
 */
export async function until(condition: () => boolean | Promise<boolean>, wait = 5): Promise<void> {
  while (!(await condition())) await sleep(wait)
}
