/** A logger whose lines are seen by who follows the calls of an app, and written as they always were. */
import type { Channel } from '../observe/channel.js'
import { LEVELS, readFields, type Logger } from './logger.js'

/** Lets who follows the calls of an app see the lines of a logger. */
export function tapLogger(logger: Logger, channel: Channel): Logger {
  return new Proxy(logger, new Tap(channel, {}))
}

class Tap implements ProxyHandler<Logger> {
  readonly #channel: Channel
  /** Fields that each line carries. */
  readonly #bound: object

  constructor(channel: Channel, bound: object) {
    this.#channel = channel
    this.#bound = bound
  }

  /** All members run on the logger itself: the proxy has none of its private fields. */
  get(logger: Logger, key: string | symbol): unknown {
    const value: unknown = Reflect.get(logger, key)
    if (typeof value !== 'function') return value
    const run = (args: readonly unknown[]): unknown => Reflect.apply(value, logger, args)
    if (key === 'child') return (...args: readonly unknown[]) => this.#tapChild(run(args), args[0])
    if (!isLevel(key)) return (...args: readonly unknown[]) => run(args)
    return (...args: readonly unknown[]) => {
      this.#tell(key, args)
      return this.#write(() => run(args))
    }
  }

  /** A logger may write by way of `console`, whose lines may be watched, too. */
  #write(run: () => unknown): unknown {
    const outer = this.#channel.isWriting
    this.#channel.isWriting = true
    try {
      return run()
    } finally {
      this.#channel.isWriting = outer
    }
  }

  #tapChild(child: unknown, bound: unknown): unknown {
    if (typeof child !== 'object' || child === null) return child
    // Proof: what `child` of a logger gives is one.
    return new Proxy(child as Logger, new Tap(this.#channel, { ...this.#bound, ...fieldsOf(bound) }))
  }

  /** Loggers of others take a message alone, too. */
  #tell(level: string, [first, second]: readonly unknown[]): void {
    const message = typeof first === 'string' ? first : second
    this.#channel.observer?.line({
      level,
      fields: { ...this.#bound, ...fieldsOf(first) },
      message: typeof message === 'string' ? message : '',
    })
  }
}

function isLevel(key: string | symbol): key is string {
  return LEVELS.some((level) => level === key)
}

function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? readFields(value) : {}
}
