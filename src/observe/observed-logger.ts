/** A logger that also sends its lines to the observers of an app. */
import type { Channel } from './channel.js'
import { isObject } from '../values/objects.js'
import { LEVELS, readFields, type Logger } from './logger.js'

/** Wraps a logger so that observers receive its lines. `bound` are the fields of a child logger, which are added to each line. */
export function observedLogger(logger: Logger, channel: Channel, bound: object = {}): Logger {
  return new Proxy(logger, {
    // Methods run on the logger itself, because the proxy does not have its private fields.
    get(target, key): unknown {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const level = LEVELS.find((each) => each === key)
      return (...args: readonly unknown[]): unknown => {
        const run = (): unknown => Reflect.apply(value, target, args)
        if (key === 'child') return observedChild(run(), channel, { ...bound, ...toFields(args[0]) })
        if (level === undefined) return run()
        observe(channel, level, args, bound)
        return writeObserved(channel, run)
      }
    },
  })
}

function observedChild(child: unknown, channel: Channel, bound: object): unknown {
  // Proof: `child` of a logger returns a logger.
  return typeof child === 'object' && child !== null ? observedLogger(child as Logger, channel, bound) : child
}

/** Accepts a message without fields, as other loggers do. */
function observe(channel: Channel, level: string, [first, second]: readonly unknown[], bound: object): void {
  const explicitMessage = typeof first === 'string' ? first : second
  const message = typeof explicitMessage === 'string' ? explicitMessage : ''
  channel.observer?.line({ level, fields: { ...bound, ...toFields(first) }, message })
}

/** Marks the line as written by a logger, because loggers can write to `console`, which the console of the app can capture. */
function writeObserved(channel: Channel, write: () => unknown): unknown {
  const outer = channel.isWriting
  channel.isWriting = true
  try {
    return write()
  } finally {
    channel.isWriting = outer
  }
}

function toFields(value: unknown): object {
  return isObject(value) ? readFields(value) : {}
}
