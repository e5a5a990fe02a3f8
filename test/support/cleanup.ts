/** Cleanup after a test, in reverse order: the last opened resource is closed first. */
import type { TestContext } from 'node:test'

type Closing = () => unknown

const closings = new WeakMap<TestContext, Closing[]>()

/**
 * Registers a cleanup function that runs at the end of a test, before the functions registered earlier. All of them run, even if one
 * throws.
 *
 * @param t the test
 * @param close cleanup function; may be async
 */
export function onCleanup(t: TestContext, close: Closing): void {
  const known = closings.get(t)
  if (known !== undefined) return void known.push(close)
  const own = [close]
  closings.set(t, own)
  t.after(() => closeAll(own))
}

async function closeAll(own: Closing[]): Promise<void> {
  const errors: unknown[] = []
  for (let close = own.pop(); close !== undefined; close = own.pop()) {
    try {
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'))
}
