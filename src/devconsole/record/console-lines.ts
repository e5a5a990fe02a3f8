/** A tap on `console`: who listens hears each line, and the line goes where it always went. */

const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/** Name of a method that writes a line; the others of `console` write by these, but for `dir`. */
export type ConsoleMethod = (typeof METHODS)[number]

export type ConsoleArgs = readonly unknown[]

export type ConsoleObserver = (method: ConsoleMethod, args: ConsoleArgs) => void

type Write = (...args: ConsoleArgs) => void

interface Tapped {
  readonly original: Write
  readonly tap: Write
}

const listeners = new Set<ConsoleObserver>()
const tapped = new Map<ConsoleMethod, Tapped>()
let isTelling = false

/**
 * Listens to `console`. What a listener writes itself is not told, and what it throws is dropped. Returns ends it; with
 * the last listener `console` is as it was.
 */
export function observeConsole(listener: ConsoleObserver): () => void {
  listeners.add(listener)
  for (const method of METHODS) if (!tapped.has(method)) place(method)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) for (const [method, each] of tapped) remove(method, each)
  }
}

function place(method: ConsoleMethod): void {
  const original = console[method]
  // Test runners put a console of their own there, whose methods need to know it.
  const tap: Write = function (this: unknown, ...args) {
    tell(method, args)
    Reflect.apply(original, this, args)
  }
  Object.defineProperty(tap, 'name', { value: method })
  console[method] = tap
  tapped.set(method, { original, tap })
}

/** Over what somebody else has put there since nothing is put back: it would be lost. */
function remove(method: ConsoleMethod, { original, tap }: Tapped): void {
  if (console[method] !== tap) return
  console[method] = original
  tapped.delete(method)
}

function tell(method: ConsoleMethod, args: ConsoleArgs): void {
  if (isTelling) return
  isTelling = true
  for (const listener of listeners) {
    try {
      listener(method, args)
    } catch {
      // Nobody who writes a line shall learn of who listens.
    }
  }
  isTelling = false
}
