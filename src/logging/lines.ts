/** Log lines as JSON, one object a line, for machines. */
import { loggerOf, type Logger } from './logger.js'

/** Where lines go. */
export type WriteText = (text: string) => void

/**
 * A logger that writes JSON lines: `level`, `time` (ISO 8601), the fields, `msg`.
 *
 * @param write takes each line with its line feed
 * @returns the logger
 */
export function jsonLogger(write: WriteText): Logger {
  return loggerOf((level, fields, message) => {
    write(`${serialize({ level, time: new Date().toISOString(), ...fields, msg: message })}\n`)
  })
}

/** A log never fails its caller: what cannot be read or held by JSON is named as such. */
function serialize(line: object): string {
  try {
    return JSON.stringify(line, readable)
  } catch {
    return JSON.stringify(Object.fromEntries(Object.entries(line).map(([key, value]) => [key, shallow(value)])))
  }
}

function readable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return errorFields(value)
  return typeof value === 'bigint' ? String(value) : value
}

/** Own fields, then what every error has: its class, message, stack and cause. */
function errorFields(error: Error): object {
  return { ...error, type: error.name, message: error.message, stack: error.stack, cause: error.cause }
}

function shallow(value: unknown): unknown {
  if (value instanceof Error) return { type: 'Error', stack: stackQuietly(value) }
  return typeof value === 'object' && value !== null ? '[cannot be serialised]' : value
}

function stackQuietly(error: Error): string {
  try {
    return String(error.stack)
  } catch {
    return '[cannot be read]'
  }
}
