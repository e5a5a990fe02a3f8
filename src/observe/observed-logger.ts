/** A logger whose lines observers of an app see, and which are written as they always were. */
import type { Channel } from './channel.js'
import { isObject } from '../values/objects.js'
import { LEVELS, readFields, type Logger } from './logger.js'

/** Lets observers of the calls of an app see the lines of a logger; `bound` are the fields that each line carries. */
export function observedLogger(logger: Logger, channel: Channel, bound: object = {}): Logger {
  return new Proxy(logger, {
    // All members run on the logger itself: the proxy has none of its private fields.
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
  // Proof: what `child` of a logger gives is one.
  return typeof child === 'object' && child !== null ? observedLogger(child as Logger, channel, bound) : child
}

/** Other loggers take a message alone, too. */
function observe(channel: Channel, level: string, [first, second]: readonly unknown[], bound: object): void {
  const explicitMessage = typeof first === 'string' ? first : second
  const message = typeof explicitMessage === 'string' ? explicitMessage : ''
  channel.observer?.line({ level, fields: { ...bound, ...toFields(first) }, message })
}

/** A logger may write by way of `console`, whose lines may be observed, too. */
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
