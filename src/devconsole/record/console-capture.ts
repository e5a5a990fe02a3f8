/** Records `console.*` calls as log lines if `captureConsole` is set. Their output does not change. */
import { format, types } from 'node:util'
import type { Channel } from '../../observe/channel.js'
import { cutToLength } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { Recorder } from './recorder.js'
import type { ObservedLine } from '../../observe/request-recorder.js'
import { isObject } from '../../values/objects.js'

const MAX_VALUES = 20
const MAX_VALUE_LENGTH = 2_048

export class ConsoleCapture {
  readonly #release: () => void

  constructor(channel: Channel, recorder: Recorder) {
    // Work after the end of a request also writes lines.
    recorder.correlation.last()
    this.#release = observeConsole((method, args) => {
      // A line that a logger writes to `console` was already observed.
      if (channel.isWriting) return
      recorder.lineOf(recorder.correlation.current(), toLogLine(method, args, recorder.hider))
    })
  }

  close(): void {
    this.#release()
  }
}

/** The message is formatted when it is read, because lines over the limit are not stored. */
function toLogLine(method: ConsoleMethod, args: readonly unknown[], hider: RequestRedactor): ObservedLine {
  return {
    level: method === 'log' ? 'info' : method,
    fields: {},
    get message() {
      return format(...args.slice(0, MAX_VALUES).map((value) => toLogValue(value, hider)))
    },
  }
}

/** Replaces secrets before formatting, because they are found by the names of properties. */
function toLogValue(value: unknown, hider: RequestRedactor): unknown {
  if (typeof value === 'string') return cutToLength(value, MAX_VALUE_LENGTH)
  if (!isObject(value) && typeof value !== 'function') return value
  const copy = hider.value(value)
  if (!types.isNativeError(value)) return copy
  const { type, message }: { type?: unknown; message?: unknown } = Object(copy)
  return `${String(type)}: ${String(message)}`
}

const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/** Methods of `console` that are captured. All others, except `dir`, call one of these. */
type ConsoleMethod = (typeof METHODS)[number]
type ConsoleObserver = (method: ConsoleMethod, args: readonly unknown[]) => void

const observers = new Set<ConsoleObserver>()
/** Functions that restore the replaced methods. */
const restorers = new Map<ConsoleMethod, () => void>()
let isNotifying = false

/** Adds an observer; its own lines and errors are ignored. Returns a function that removes it. The last removal restores `console`. */
export function observeConsole(observer: ConsoleObserver): () => void {
  observers.add(observer)
  for (const method of METHODS) if (!restorers.has(method)) replaceMethod(method)
  return () => {
    observers.delete(observer)
    if (observers.size === 0) for (const restore of restorers.values()) restore()
  }
}

function replaceMethod(method: ConsoleMethod): void {
  const original = console[method]
  // Test runners install a custom console, whose methods need `this`.
  const replacement = function (this: unknown, ...args: readonly unknown[]): void {
    notifyObservers(method, args)
    Reflect.apply(original, this, args)
  }
  Object.defineProperty(replacement, 'name', { value: method })
  console[method] = replacement
  restorers.set(method, () => {
    // If another library has replaced the method since, its replacement must stay.
    if (console[method] !== replacement) return
    console[method] = original
    restorers.delete(method)
  })
}

function notifyObservers(method: ConsoleMethod, args: readonly unknown[]): void {
  if (isNotifying) return
  isNotifying = true
  for (const observer of observers) {
    try {
      observer(method, args)
    } catch {
      // An error of an observer must not reach the code that writes the line.
    }
  }
  isNotifying = false
}
