/** `@log`: one structured line for each call of a verb method. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { LEVELS, type Level, type Logger } from '../logging/logger.js'
import { decorator } from '../route/decorator.js'
import type { Decorator } from '../route/decorator-types.js'
import { MetaKey } from '../route/meta-key.js'
import type { Channel } from '../observe/channel.js'
import type { CallEnd, SentHead } from '../observe/event-types.js'
import { CallSecrets, type CallCopies } from '../observe/call-secrets.js'
import { toMicros } from '../metrics/histogram.js'
import type { Secrets } from '../observe/secrets.js'

/** How calls are logged. */
export interface LogOptions {
  /** Level of the line of a call that did not fail; `info` unless given. Failures are logged as `error`. */
  readonly level?: Level
  /** Whether the line has what the method was given, without secrets; `false` unless given. */
  readonly args?: boolean
  /** Whether the line has the body that was answered, without secrets; `false` unless given. */
  readonly result?: boolean
}

/** What `@log` says of an endpoint. */
export const LOG: MetaKey<Required<LogOptions>> = new MetaKey('log')

/**
 * Logs each call of a verb method when it is answered: route, method, path template and path, request id, version, status,
 * duration in ms, and the error with its stack when it failed.
 *
 * @throws SetupError `DECORATOR_MISUSED` on anything but a verb method, `DECORATOR_INVALID` for an option that does not exist
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
export const log: Decorator<[options?: LogOptions]> = decorator(function log(options: LogOptions = {}) {
  checkOptions(options)
  const { level = 'info', args = false, result = false } = options
  return { meta: LOG.carry({ level, args, result }) }
})

const OPTIONS: readonly string[] = ['level', 'args', 'result']

function checkOptions(options: LogOptions): void {
  for (const key of Object.keys(options)) {
    if (!OPTIONS.includes(key)) {
      throw flaw(`unknown option "${key}".${suggestion(key, OPTIONS)} Known are ${OPTIONS.join(', ')}`)
    }
  }
  const { level = 'info' } = options
  if (!LEVELS.includes(level)) throw flaw(`level "${String(level)}" does not exist. Give ${LEVELS.join(', ')}`)
}

function flaw(why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use @log: ${why}`)
}

/** An endpoint, as far as its log is concerned. */
export interface Loggable {
  readonly path: string
  readonly meta: object
}

/** What is logged. */
export interface LoggedCalls {
  /** All of the app: each stands at its number. */
  readonly endpoints: readonly Loggable[]
  /** What no line shows. */
  readonly secrets: Secrets
}

/** Writes a line for each call whose method is decorated with `@log`. */
export function logCalls(channel: Channel, logger: Logger, { endpoints, secrets }: LoggedCalls): void {
  const plans = endpoints.map((endpoint) => planOf(endpoint, secrets))
  if (plans.every((plan) => plan === undefined)) return
  channel.subscribe({
    end(end, head) {
      const plan = end.endpoint === undefined ? undefined : plans[end.endpoint.number]
      if (plan !== undefined) writeLine(logger, { end, head }, plan)
    },
  })
}

/** How the calls of one endpoint are logged. */
interface Plan extends Required<LogOptions> {
  /** A path with a secret in it, as links to reset a password have, is shown as its template. */
  readonly hidesPath: boolean
  readonly secrets: Secrets
}

interface Ended {
  readonly end: CallEnd
  readonly head: SentHead | null
}

function planOf(endpoint: Loggable, secrets: Secrets): Plan | undefined {
  const options = LOG.read(endpoint.meta)
  if (options === undefined) return undefined
  const names = endpoint.path.matchAll(/\{([^{}.]+)/g)
  const hidesPath = Array.from(names).some(([, name = '']) => secrets.isKey(name))
  return { ...options, hidesPath, secrets }
}

/** Written out, because a line put together by spreading costs twice as much. */
function writeLine(logger: Logger, { end, head }: Ended, plan: Plan): void {
  const { requestId, route, method, template, status } = end
  const hides = new CallSecrets(plan.secrets)
  const shown = copiesOf({ end, head }, hides, plan)
  const path = plan.hidesPath ? template : hides.hide(end.path)
  const duration = toMicros(end.duration)
  const fields: Record<string, unknown> = { requestId, route, method, template, path, status, duration }
  if (end.traceId !== undefined) fields['traceId'] = end.traceId
  if (end.version !== undefined) fields['version'] = end.version
  if (plan.args) fields['args'] = shown?.input
  if (plan.result) fields['result'] = shown?.output
  if (status >= 500) fields['err'] = hides.error(end.error)
  logger[status >= 500 ? 'error' : plan.level](fields, `${method} ${path} ${status}`)
}

/** What is secret in a call is known by its input, whether that is written or not. */
function copiesOf({ end, head }: Ended, hides: CallSecrets, { args, result }: Plan): CallCopies | undefined {
  if (!args && !result && end.status < 500) return undefined
  if (head !== null) hides.gather(head)
  return hides.copy(end, result)
}
