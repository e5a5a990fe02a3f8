/** Lines of `console.*` as lines of the log: while an app asks for it, beside their output, which stays as it was. */
import { format, types } from 'node:util'
import type { Channel } from '../../observe/channel.js'
import { beginOf } from '../redact/cut.js'
import { Correlation } from './correlation.js'
import { observeConsole, type ConsoleArgs, type ConsoleMethod } from './console-lines.js'
import type { Hider } from '../redact/hider.js'
import type { Recorder } from './recorder.js'

const MOST_VALUES = 20
const LONGEST_VALUE = 2_048

/** Captures lines, each with the request whose work wrote it. */
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
      recorder.lineOf(this.#correlation.current(), lineOf(method, args, recorder.hider))
    })
  }

  /** Leaves `console` as it was, and follows nothing any more. */
  close(): void {
    this.#release()
    this.#channel.context = null
    this.#correlation.close()
  }
}

/** The message is made when it is asked for: of lines beyond what is kept, it is not. */
function lineOf(
  method: ConsoleMethod,
  args: ConsoleArgs,
  hider: Hider,
): { readonly level: string; readonly fields: object; readonly message: string } {
  return {
    level: method === 'log' ? 'info' : method,
    fields: {},
    get message() {
      return format(...args.slice(0, MOST_VALUES).map((value) => shown(value, hider)))
    },
  }
}

/** Secrets stand under names, which a text would not tell any more. */
function shown(value: unknown, hider: Hider): unknown {
  if (typeof value === 'string') return beginOf(value, LONGEST_VALUE)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value
  const copy = hider.value(value)
  if (!types.isNativeError(value)) return copy
  const { type, message }: { type?: unknown; message?: unknown } = Object(copy)
  return `${String(type)}: ${String(message)}`
}
