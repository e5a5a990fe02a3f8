/** Log lines as JSON, one object a line, for machines. */
import { type Logger, loggerOf, readFields } from './logger.js'

export type WriteText = (text: string) => void

/** A logger that writes JSON lines: `level`, `time` (ISO 8601), the fields, `msg`. */
export function jsonLogger(write: WriteText): Logger {
  return loggerOf((level, fields, message) => {
    const text = serialize({ level, time: new Date().toISOString(), ...readFields(fields), msg: message })
    // JSON escapes what could end a line, but not what could move the cursor of a terminal.
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

// C0, DEL, C1, line and paragraph separators, and the marks, embeddings and isolates that set a direction.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Writes control characters as JSON escapes them. Returns the text, each control character as `\u` and four digits. */
export function showControls(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
