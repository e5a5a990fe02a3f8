/** Waiting up to a deadline. */
import { setTimeout } from 'node:timers/promises'

/** Waits for something, but not for ever. */
export async function withinDeadline(done: Promise<unknown>, deadline: number): Promise<boolean> {
  const { promise: late, cancel } = timeOut(deadline)
  const inTime = await Promise.race([done.then(() => true), late])
  cancel()
  return inTime
}

function timeOut(deadline: number): { promise: Promise<false>; cancel(): void } {
  const controller = new AbortController()
  const promise = setTimeout(deadline, false as const, { signal: controller.signal })
  return { promise: promise.catch(() => false as const), cancel: () => controller.abort() }
}
