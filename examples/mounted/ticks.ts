/** Values for subscriptions: two immediately, then none until the client leaves or the app closes. */
import { once } from 'node:events'

/** Subscriptions whose cleanup has not run. */
export const open = new Set<string>()

/** @param signal of the subscription. Without it, the consumer ends the generator by `return()`, which cannot end a pending `next()` */
export async function* tick(name: string, signal: AbortSignal): AsyncGenerator<number> {
  open.add(name)
  try {
    yield 1
    yield 2
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    open.delete(name)
  }
}
