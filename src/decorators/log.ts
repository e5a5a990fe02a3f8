/** `@log`: one structured line for each call of a verb method. */
import type { Level, Logger } from '../logging/logger.js'
import type { CallEnd, Channel } from '../telemetry/channel.js'
import { note, notesOf, type MethodDecorator } from './notes.js'

/** How calls are logged. */
export interface LogOptions {
  /** Level of the line of a call that did not fail; `info` unless given. Failures are logged as `error`. */
  readonly level?: Level
}

/** `@log`, bare and called. */
export type LogDecorator = MethodDecorator & ((options?: LogOptions) => MethodDecorator)

/**
 * Logs each call of a verb method when it is answered: route, method, path template and path, request id, status, duration
 * in ms, and the error with its stack when it failed unexpectedly.
 *
 * @throws SetupError `DECORATOR_MISUSED` on anything but a verb method
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { log } from 'verbena/decorators'
 *
 * class Home extends Route {
 *   @log
 *   async get() {
 *     return { hello: 'world' }
 *   }
 * }
 * const lines: object[] = []
 * const write = (fields: object) => void lines.push(fields)
 * const app = createApp({ routes: { Home }, logger: { debug: write, info: write, warn: write, error: write } })
 * await app.fetch(new Request('http://localhost/home'))
 * lines.length // => 1
 * ```
 */
// Proof: called by the compiler it gets a method and its context, called by an author options or nothing.
export const log: LogDecorator = ((first: object = {}, context?: ClassMethodDecoratorContext) => {
  if (context === undefined) return decoratorOf(first)
  return decoratorOf({})(first, context)
}) as LogDecorator

function decoratorOf({ level = 'info' }: LogOptions): MethodDecorator {
  return (method, context) => note('log', [method, context], { log: { level } })
}

/**
 * Writes a line for each call whose method is decorated with `@log`.
 *
 * @param channel of the app
 * @param logger takes the lines
 */
export function logCalls(channel: Channel, logger: Logger): void {
  channel.subscribe((end) => {
    const noted = end.handler === undefined ? undefined : notesOf(end.handler).log
    if (noted !== undefined) writeLine(logger, end, noted.level)
  })
}

function writeLine(logger: Logger, end: CallEnd, level: Level): void {
  const { requestId, route, method, template, path, status, error } = end
  const duration = Math.round(end.duration * 1000) / 1000
  const isFailed = status >= 500
  const fields = {
    requestId,
    route,
    method,
    template,
    path,
    status,
    duration,
    ...(isFailed ? { err: error } : undefined),
  }
  logger[isFailed ? 'error' : level](fields, `${method} ${path} ${status}`)
}
