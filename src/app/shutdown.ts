/** Shutdown: one handler for SIGTERM and SIGINT closes all listening apps of the process, within a deadline. */
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

/** Removes the app, and the signal handler with the last app. */
export function ignoreSignals(app: Closable): void {
  open.delete(app)
  if (open.size === 0 && !isClosing) for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** The first signal closes all apps and exits with code 0. A second signal exits immediately with code 1. */
function onSignal(): void {
  if (isClosing) process.exit(1)
  isClosing = true
  void Promise.allSettled([...open].map((app) => app.close())).then(() => process.exit(0))
}

export async function withinDeadline(done: Promise<unknown>, deadline: number): Promise<boolean> {
  const controller = new AbortController()
  const late = setTimeout(deadline, false, { signal: controller.signal }).catch(() => false)
  const inTime = await Promise.race([done.then(() => true), late])
  controller.abort()
  return inTime
}
