/** Lines of `console.*` as lines of the log: while an app asks for it, beside their output, which stays as it was. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { format, types } from 'node:util'
import type { Channel } from '../../observe/channel.js'
import { cutToLength } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { Recorder } from './recorder.js'
import type { CallContext, ObservedLine, RequestRecorder } from '../../observe/request-recorder.js'
import { isObject } from '../../values/objects.js'
import { RecordedTrail } from './recorded-trail.js'

const MAX_VALUES = 20
const MAX_VALUE_LENGTH = 2_048

export class ConsoleCapture {
  readonly #channel: Channel
  readonly #correlation = new Correlation()
  readonly #release: () => void

  constructor(channel: Channel, recorder: Recorder) {
    this.#channel = channel
    channel.context = this.#correlation
    this.#release = observeConsole((method, args) => {
      // What a logger writes by this way was seen on its way to the logger.
      if (channel.isWriting) return
      recorder.lineOf(this.#correlation.current(), toLogLine(method, args, recorder.hider))
    })
  }

  close(): void {
    this.#release()
    this.#channel.context = null
    this.#correlation.close()
  }
}

/** The message is made when it is asked for: of lines beyond what is kept, it is not. */
function toLogLine(method: ConsoleMethod, args: readonly unknown[], hider: RequestRedactor): ObservedLine {
  return {
    level: method === 'log' ? 'info' : method,
    fields: {},
    get message() {
      return format(...args.slice(0, MAX_VALUES).map((value) => toLogValue(value, hider)))
    },
  }
}

/** Secrets stand under names, which a text would not tell any more. */
function toLogValue(value: unknown, hider: RequestRedactor): unknown {
  if (typeof value === 'string') return cutToLength(value, MAX_VALUE_LENGTH)
  if (!isObject(value) && typeof value !== 'function') return value
  const copy = hider.value(value)
  if (!types.isNativeError(value)) return copy
  const { type, message }: { type?: unknown; message?: unknown } = Object(copy)
  return `${String(type)}: ${String(message)}`
}

/** A request; work that goes on after it must not keep what it left behind. */
interface Mark {
  readonly id: string
  readonly trail: WeakRef<RecordedTrail>
}

export class Correlation implements CallContext {
  readonly #storage = new AsyncLocalStorage<Mark>()

  run(trail: RequestRecorder, next: () => void): void {
    if (trail instanceof RecordedTrail) this.#storage.run({ id: trail.id, trail: new WeakRef(trail) }, next)
    else next()
  }

  /** The request whose work is being done. Returns its trail, the id of its record once it was answered, or `null`. */
  current(): RecordedTrail | string | null {
    const mark = this.#storage.getStore()
    if (mark === undefined) return null
    const trail = mark.trail.deref()
    return trail === undefined || trail.isEnded ? mark.id : trail
  }

  close(): void {
    this.#storage.disable()
  }
}

const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/** Name of a method that writes a line; the others of `console` write by these, but for `dir`. */
type ConsoleMethod = (typeof METHODS)[number]
type ConsoleObserver = (method: ConsoleMethod, args: readonly unknown[]) => void

const observers = new Set<ConsoleObserver>()
/** Puts the methods that were replaced back. */
const replaced = new Map<ConsoleMethod, () => void>()
let isNotifying = false

/** What an observer writes or throws itself is dropped. Returns what ends it; with the last observer `console` is as it was. */
export function observeConsole(observer: ConsoleObserver): () => void {
  observers.add(observer)
  for (const method of METHODS) if (!replaced.has(method)) place(method)
  return () => {
    observers.delete(observer)
    if (observers.size === 0) for (const putBack of replaced.values()) putBack()
  }
}

function place(method: ConsoleMethod): void {
  const original = console[method]
  // Test runners put a console of their own there, whose methods need to know it.
  const replacement = function (this: unknown, ...args: readonly unknown[]): void {
    notify(method, args)
    Reflect.apply(original, this, args)
  }
  Object.defineProperty(replacement, 'name', { value: method })
  console[method] = replacement
  replaced.set(method, () => {
    // What somebody else has put over it since would be lost.
    if (console[method] !== replacement) return
    console[method] = original
    replaced.delete(method)
  })
}

function notify(method: ConsoleMethod, args: readonly unknown[]): void {
  if (isNotifying) return
  isNotifying = true
  for (const observer of observers) {
    try {
      observer(method, args)
    } catch {
      // Nobody who writes a line learns of who observes it.
    }
  }
  isNotifying = false
}
