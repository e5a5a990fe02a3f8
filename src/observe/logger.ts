/** The logger interface, and child loggers with additional fields. */
import { noop } from '../values/noop.js'
import { discardPromise } from '../values/promises.js'

/** A logger. The interface is a part of pino's, so `pino()` is a logger. */
export interface Logger {
  /** Logs details for debugging. */
  debug(fields: object, message?: string): void
  /** Logs a normal event. */
  info(fields: object, message?: string): void
  /** Logs a problem from which the app recovered. */
  warn(fields: object, message?: string): void
  /** Logs a failure. */
  error(fields: object, message?: string): void
  /** Returns a logger that adds these fields to each line. */
  child?(fields: object): Logger
}

/** Log levels, least serious first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** Options of the built-in logger. */
export interface LoggerOptions {
  /** Least serious level that is written; default: `info` if `NODE_ENV` is `production`, otherwise `debug`. */
  readonly level: Level | undefined
}

type WriteLine = (level: Level, fields: object, message: string | undefined) => void

/** @param least least serious level that is written */
export function createLogger(write: WriteLine, least: Level = 'debug'): Logger {
  const from = LEVELS.indexOf(least)
  const writer = (level: Level): Logger[Level] =>
    LEVELS.indexOf(level) < from ? noop : (fields, message) => write(level, fields, message)
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (bound) => addFields(bound, write, least),
  }
}

function addFields(bound: object, write: WriteLine, least?: Level): Logger {
  const all = readFields(bound)
  return createLogger((level, fields, message) => write(level, { ...all, ...readFields(fields) }, message), least)
}

export const UNREADABLE = '[cannot be read]'

/**
 * Runs a function, and ignores an error or a rejection, so that logging never fails its caller. Returns `undefined` if the function
 * threw an error.
 */
export function ignoreErrors<T>(make: () => T): T | undefined {
  try {
    const value = make()
    discardPromise(value)
    return value
  } catch (error) {
    discardPromise(error)
    return undefined
  }
}

/** Copies the fields of a line. Runs for each line, so it avoids the closure of `ignoreErrors`. */
export function readFields(fields: object): object {
  try {
    return { ...fields }
  } catch {
    return { fields: UNREADABLE }
  }
}

export const SILENT: Logger = createLogger(() => {})

export function childLogger(logger: Logger, fields: object): Logger {
  if (logger.child !== undefined) return logger.child(fields)
  return addFields(fields, (level, all, message) => logger[level](all, message))
}

/** Writes a log line of Verbena. A failing logger does not affect the request, the shutdown or the process. */
export function tryLog(logger: Logger, level: Level, fields: object, message: string): void {
  ignoreErrors(() => logger[level](fields, message))
}
