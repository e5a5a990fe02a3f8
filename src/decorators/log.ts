/** `@log`: logs one structured line for each request to a verb method. */
import { checkOptions, choiceRule, SWITCH, type Rules } from '../errors/options.js'
import { LEVELS, type Level, type Logger } from '../observe/logger.js'
import { parseTemplate } from '../router/template.js'
import { toMicros } from '../observe/histogram.js'
import { RequestSecrets, type CallCopies } from '../secrets/request-secrets.js'
import type { Channel } from '../observe/channel.js'
import type { RequestEnd, SentHead } from '../observe/event-types.js'
import type { Secrets } from '../secrets/secrets.js'
import { type Decorator, decorator, MetaKey } from '../route/decorator.js'
import { discardPromise } from '../values/promises.js'

/** Options of `@log`. */
export interface LogOptions {
  /** Level of the line for responses below 500; default `info`. Others are logged as `error`. */
  readonly level?: Level
  /** Whether to log the inputs of the method, without secrets; default `false`. */
  readonly args?: boolean
  /** Whether to log the body of the response, without secrets; default `false`. */
  readonly result?: boolean
}

const RULES: Rules<LogOptions> = { level: choiceRule(LEVELS, "'info'"), args: SWITCH, result: SWITCH }
const DEFAULTS: Required<LogOptions> = { level: 'info', args: false, result: false }

export const LOG: MetaKey<Required<LogOptions>> = new MetaKey('log')

/**
 * Logs each request to a verb method after the response: route, method, path template and path, request id, version, status, duration in
 * ms, `aborted` if the client disconnected, and for a status of 500 or above the error with its stack.
 *
 * @throws SetupError `DECORATOR_MISUSED` if it is not on a verb method, `DECORATOR_INVALID` for an unknown option or level
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { log } from 'verbena/decorators'
 *
 * class Home extends Route {@log async get() { return { hello: 'world' } }}
 *
 * const lines: object[] = []
 * const write = (fields: object) => void lines.push(fields)
 * const app = createApp({ routes: { Home }, logger: { debug: write, info: write, warn: write, error: write } })
 * await app.fetch(new Request('http://localhost/home'))
 * lines.length // => 1
 * ```
 */
export const log: Decorator<[options?: LogOptions]> = decorator(function log(options: LogOptions = {}) {
  checkOptions(options, RULES, '@log')
  const { level = DEFAULTS.level, args = DEFAULTS.args, result = DEFAULTS.result } = options
  return { meta: LOG.carry({ level, args, result }) }
})

interface LogPlan extends Required<LogOptions> {
  /** Whether to log the template instead of the path, because a parameter is secret, as in links to reset a password. */
  readonly hidesPath: boolean
  readonly secrets: Secrets
}

/**
 * Logs a line for each request to a method with `@log`.
 *
 * @param endpoints endpoints of the app; the index is the number of the endpoint
 */
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

/**
 * Logs a line for every request of the app, with or without an endpoint. Methods with `@log` keep their options.
 *
 * @param endpoints as for `logCalls`
 */
export function logAllCalls(
  channel: Channel,
  logger: Logger,
  endpoints: readonly { readonly path: string; readonly meta: object }[],
  secrets: Secrets,
): void {
  const plans = endpoints.map(({ path, meta }) => planLog(path, meta, secrets, DEFAULTS))
  const withoutTemplate: LogPlan = { ...DEFAULTS, hidesPath: false, secrets }
  /** Plans of built-in endpoints, and of paths without the requested method or version. */
  const plansByTemplate = new Map<string, LogPlan | undefined>()
  const findPlan = ({ endpoint, template }: RequestEnd): LogPlan | undefined => {
    const plan = endpoint === undefined ? undefined : plans[endpoint.number]
    if (plan !== undefined || template === undefined) return plan
    if (!plansByTemplate.has(template)) plansByTemplate.set(template, planLog(template, {}, secrets, DEFAULTS))
    return plansByTemplate.get(template)
  }
  channel.subscribe({
    end: (end, head) => writeLine(logger, withSentPath(end, head), head, findPlan(end) ?? withoutTemplate),
  })
}

/** A request that was rejected before routing has no path. Its target is logged as sent, without the query. */
function withSentPath(end: RequestEnd, head: SentHead | null): RequestEnd {
  const [path] = end.path === '' && head !== null ? head.exchange.url.split('?', 1) : [end.path]
  return path === undefined || path === end.path ? end : { ...end, path }
}

function planLog(path: string, meta: object, secrets: Secrets, defaults?: Required<LogOptions>): LogPlan | undefined {
  const options = LOG.read(meta) ?? defaults
  const hidesPath = parseTemplate(path, '@log').names.some((name) => secrets.isKey(name))
  return options && { ...options, hidesPath, secrets }
}

/** Sets each field separately, because spreading objects takes twice as long. */
function writeLine(logger: Logger, end: RequestEnd, head: SentHead | null, plan: LogPlan): void {
  const { requestId, route, method, template, status } = end
  const isFailed = isServerError(end)
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

/** Whether the server failed. 501 and 505 of routing are errors of the client. */
function isServerError({ status, endpoint }: RequestEnd): boolean {
  return status >= 500 && (endpoint !== undefined || (status !== 501 && status !== 505))
}

/** Hides secrets in the path, unless it equals its template and therefore contains no input of the client. */
function loggedPath(
  { path, template }: RequestEnd,
  { hidesPath }: LogPlan,
  hides: Pick<Secrets, 'hide'>,
): string | undefined {
  return hidesPath || path === template ? template : hides.hide(path)
}

interface LoggedFields {
  readonly hides: RequestSecrets
  readonly copies: CallCopies
}

/** Copies the input even if it is not logged, because copying collects the secrets of the request. */
function loggedFields(end: RequestEnd, head: SentHead | null, { secrets, result }: LogPlan): LoggedFields {
  const hides = new RequestSecrets(secrets)
  if (head !== null) {
    hides.gatherHeaders(Object.entries(head.exchange.headers()))
    hides.gatherQuery(head.query)
  }
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
  if (isServerError(end)) fields['err'] = hides.error(end.error)
}
