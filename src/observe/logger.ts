/** The logger: the interface that handlers see, and the way to give each request its own. */
import { discardPromise } from '../values/promises.js'

/** A logger, pino's interface: `pino()` fits as it is. */
export interface Logger {
  /** For those who look for a fault. */
  debug(fields: object, message?: string): void
  /** What happened, in the ordinary way of things. */
  info(fields: object, message?: string): void
  /** What went wrong and was made good. */
  warn(fields: object, message?: string): void
  /** What failed. */
  error(fields: object, message?: string): void
  /** A logger whose every line carries these fields too. */
  child?(fields: object): Logger
}

/** The levels of a logger, from the least to the most serious. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

type WriteLine = (level: Level, fields: object, message: string | undefined) => void

export function createLogger(write: WriteLine): Logger {
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    child: (bound) => addFields(bound, write),
  }
}

function addFields(bound: object, write: WriteLine): Logger {
  const all = readFields(bound)
  return createLogger((level, fields, message) => write(level, { ...all, ...readFields(fields) }, message))
}

export const UNREADABLE = '[cannot be read]'

/**
 * A log never fails its caller, not even over a getter that throws, or an asynchronous logger that rejects. Returns `undefined` where
 * something was thrown.
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

/** Copies the fields of a line. Every line is read here, so it has no closure. */
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

/** Writes a line of the framework itself. A logger that fails must not take the request, the shutdown or the process with it. */
export function tryLog(logger: Logger, level: Level, fields: object, message: string): void {
  ignoreErrors(() => logger[level](fields, message))
}
