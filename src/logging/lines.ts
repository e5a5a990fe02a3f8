/** Log lines as JSON, one object a line, for machines. */
import { loggerOf, readFields, type Logger } from './logger.js'
import { showControls } from './visible.js'

/** Where lines go. */
export type WriteText = (text: string) => void

/** A logger that writes JSON lines: `level`, `time` (ISO 8601), the fields, `msg`. */
export function jsonLogger(write: WriteText): Logger {
  return loggerOf((level, fields, message) => {
    const text = serialize({ level, time: new Date().toISOString(), ...readFields(fields), msg: message })
    // JSON escapes what could end a line, but not what could move the cursor of whoever looks at it.
    write(`${showControls(text)}\n`)
  })
}

/** A log never fails its caller: what cannot be read or held by JSON is named as such. */
function serialize(line: object): string {
  try {
    return JSON.stringify(line, readable)
  } catch {
    const entries = Object.entries(line).map(([key, value]) => [key, writable(value)])
    return JSON.stringify(Object.fromEntries(entries), readable)
  }
}

/** What JSON takes in the place of errors and bigints. */
export function readable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return errorFields(value)
  return typeof value === 'bigint' ? String(value) : value
}

/** Own fields, then what every error has: its class, message, stack and cause. */
function errorFields(error: Error): object {
  return { ...error, type: error.name, message: error.message, stack: error.stack, cause: error.cause }
}

function writable(value: unknown): unknown {
  try {
    JSON.stringify(value, readable)
    return value
  } catch {
    return value instanceof Error ? { type: 'Error', stack: stackQuietly(value) } : '[cannot be serialised]'
  }
}

function stackQuietly(error: Error): string {
  try {
    return String(error.stack)
  } catch {
    return '[cannot be read]'
  }
}
