/** `@log`: one structured line for each call of a verb method. */
import { checkKeys } from '../errors/known-keys.js'
import { LEVELS, type Level, type Logger } from '../observe/logger.js'
import { parseTemplate } from '../router/template.js'
import { toMicros } from '../observe/histogram.js'
import { SecretCollector, type CallCopies } from '../secrets/call-secrets.js'
import type { Channel } from '../observe/channel.js'
import type { RequestEnd, SentHead } from '../observe/event-types.js'
import type { Secrets } from '../secrets/secrets.js'
import { type Decorator, decorator, decoratorError, MetaKey } from '../route/decorator.js'
import { discardPromise } from '../values/promises.js'

/** How calls are logged. */
export interface LogOptions {
  /** Level of the line of a call that did not fail; `info` unless given. Failures are logged as `error`. */
  readonly level?: Level
  /** Whether the line has what the method was given, without secrets; `false` unless given. */
  readonly args?: boolean
  /** Whether the line has the body that was answered, without secrets; `false` unless given. */
  readonly result?: boolean
}

export const LOG: MetaKey<Required<LogOptions>> = new MetaKey('log')

/**
 * Logs each call of a verb method when it is answered: route, method, path template and path, request id, version, status,
 * duration in ms, `aborted` if the client disconnected, and the error with its stack when it failed.
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
  checkKeys(options, ['level', 'args', 'result'], (key, help) =>
    decoratorError('@log', `unknown option "${key}".${help}`),
  )
  const { level = 'info', args = false, result = false } = options
  if (!LEVELS.includes(level))
    throw decoratorError('@log', `level "${String(level)}" does not exist. Give ${LEVELS.join(', ')}`)
  return { meta: LOG.carry({ level, args, result }) }
})

interface LogPlan extends Required<LogOptions> {
  /** A path with a secret in it, as links to reset a password have, is shown as its template. */
  readonly hidesPath: boolean
  readonly secrets: Secrets
}

/** Writes a line for each call whose method is decorated with `@log`; the endpoints stand at their numbers. */
export function logCalls(
  channel: Channel,
  logger: Logger,
  endpoints: readonly { readonly path: string; readonly meta: object }[],
  secrets: Secrets,
): void {
  const plans = endpoints.map(({ path, meta }) => planLog(path, meta, secrets))
  if (plans.every((plan) => plan === undefined)) return
  channel.subscribe({
    end(end, head) {
      const plan = end.endpoint === undefined ? undefined : plans[end.endpoint.number]
      if (plan !== undefined) writeLine(logger, end, head, plan)
    },
  })
}

function planLog(path: string, meta: object, secrets: Secrets): LogPlan | undefined {
  const options = LOG.read(meta)
  const hidesPath = parseTemplate(path, '@log').names.some((name) => secrets.isKey(name))
  return options && { ...options, hidesPath, secrets }
}

/** Written out, because a line put together by spreading costs twice as much. */
function writeLine(logger: Logger, end: RequestEnd, head: SentHead | null, plan: LogPlan): void {
  const { requestId, route, method, template, status } = end
  const isFailed = status >= 500
  const loggedDetail = isFailed || plan.args || plan.result ? loggedFields(end, head, plan) : null
  const path = loggedPath(end, plan, loggedDetail?.hides ?? plan.secrets)
  const duration = toMicros(end.duration)
  const fields: Record<string, unknown> = { requestId, route, method, template, path, status, duration }
  if (end.aborted) fields['aborted'] = true
  if (end.traceId !== undefined) fields['traceId'] = end.traceId
  if (end.version !== undefined) fields['version'] = end.version
  if (loggedDetail !== null) addShown(fields, end, loggedDetail, plan)
  discardPromise(logger[isFailed ? 'error' : plan.level](fields, `${method} ${path} ${status}`))
}

/** A path that is its template holds nothing of the client's. */
function loggedPath(
  { path, template }: RequestEnd,
  { hidesPath }: LogPlan,
  hides: Pick<Secrets, 'hide'>,
): string | undefined {
  return hidesPath || path === template ? template : hides.hide(path)
}

interface LoggedFields {
  readonly hides: SecretCollector
  readonly copies: CallCopies
}

/** What is secret in a call is known by its input, whether that is written or not. */
function loggedFields(end: RequestEnd, head: SentHead | null, { secrets, result }: LogPlan): LoggedFields {
  const hides = new SecretCollector(secrets)
  if (head !== null) hides.gather(head)
  return { hides, copies: hides.copy(end, result) }
}

function addShown(
  fields: Record<string, unknown>,
  end: RequestEnd,
  { hides, copies }: LoggedFields,
  plan: LogPlan,
): void {
  if (plan.args) fields['args'] = copies.input
  if (plan.result) fields['result'] = copies.output
  if (end.status >= 500) fields['err'] = hides.error(end.error)
}
