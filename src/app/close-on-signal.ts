/** Shutdown: one handler for SIGTERM and SIGINT closes all listening apps of the process, within a deadline. */
import { setTimeout } from 'node:timers/promises'
import type { LifecycleLog } from './lifecycle-log.js'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

interface Closable {
  close(): Promise<void>
}

/** Apps to close, and their logs. */
const open = new Map<Closable, LifecycleLog>()
/** The apps that a signal closes; `null` before the first signal. */
let closing: typeof open | null = null

export function closeOnSignal(app: Closable, log: LifecycleLog): void {
  if (open.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal)
  open.set(app, log)
}

/** Removes the app, and the signal handler with the last app. */
export function ignoreSignals(app: Closable): void {
  open.delete(app)
  if (open.size === 0 && closing === null) for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** The first signal closes all apps and exits with code 0. A second signal exits immediately with code 1. */
function onSignal(signal: string): void {
  const isRepeated = closing !== null
  closing ??= new Map(open)
  for (const log of closing.values()) log.signaled(signal, isRepeated)
  if (isRepeated) process.exit(1)
  void Promise.allSettled([...closing.keys()].map((app) => app.close())).then(() => process.exit(0))
}

export async function withinDeadline(done: Promise<unknown>, deadline: number): Promise<boolean> {
  const controller = new AbortController()
  const late = setTimeout(deadline, false, { signal: controller.signal }).catch(() => false)
  const inTime = await Promise.race([done.then(() => true), late])
  controller.abort()
  return inTime
}
