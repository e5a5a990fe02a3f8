/** Signals: SIGTERM and SIGINT close every listening app of the process, by one handler. */
import { setTimeout } from 'node:timers/promises'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

interface Closable {
  close(): Promise<void>
}

const open = new Set<Closable>()
let isClosing = false

export function closeOnSignal(app: Closable): void {
  if (open.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal)
  open.add(app)
}

/** Leaves an app to itself; with the last one the handler goes. */
export function ignoreSignals(app: Closable): void {
  open.delete(app)
  if (open.size === 0 && !isClosing) for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** The first signal closes and ends with code 0; a second one ends at once with code 1. */
function onSignal(): void {
  if (isClosing) process.exit(1)
  isClosing = true
  void Promise.allSettled([...open].map((app) => app.close())).then(() => process.exit(0))
}

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
