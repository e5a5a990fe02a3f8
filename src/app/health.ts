/** Health routes for an orchestrator: liveness and readiness. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { reply, type Reply } from '../context/reply.js'
import { BaseContext } from '../context/request-context.js'
import type { Context } from '../context/types.js'
import { reportedError } from '../errors/http-error.js'
import { checkOptions, integerRule, objectRule, type Rules } from '../errors/options.js'
import type { Uses } from '../injection/provide.js'
import { tryLog } from '../observe/logger.js'
import { REPORTS_HEALTH } from '../route/built-in-marks.js'
import { Route, type RouteBase } from '../route/route.js'
import { Call } from '../request/call.js'

startStackAtCaller(health)

/** Options of `health`. */
export interface HealthOptions<U = Uses> {
  /** Maximum time of a check, in ms; default 5,000. The checks run at the same time. */
  readonly timeout?: number
  /** Guards of both routes, by name. */
  readonly uses?: U
}

/** Health route. */
export interface HealthRoute<Path extends string, U = {}> {
  /** Instances handle GET. */
  new (): RouteBase<{}> & Readonly<Record<'get', (input: Context) => unknown>>
  /** Path of the route. */
  readonly path: Path
  /** Guards of the route, by name. */
  readonly uses: U
}

/** Routes returned by `health`. */
// oxlint-disable-next-line consistent-type-definitions -- an interface has no index signature, which a section of routes needs
export type HealthRoutes<U = {}> = {
  /** `GET /livez`: always responds 200. */
  readonly Livez: HealthRoute<'/livez', U>
  /** `GET /readyz`: responds 200, or 503 while a service is not ready or the app is closing. */
  readonly Readyz: HealthRoute<'/readyz', U>
}

const NO_STORE = { 'cache-control': 'no-store' } as const

/**
 * Creates routes for an orchestrator. Spread them into `routes`. `GET /livez` responds 200. `GET /readyz` responds 200 if the `check` of
 * every service succeeds. It responds 503 with the names of the services if one fails or exceeds the timeout, and while the app is closing.
 * Errors of a `check` are logged and never sent. Errors of both routes are problem details, even if the app has an `errorFormat`.
 * A request waits for a check that is still running instead of starting another one. The OpenAPI document does not contain these routes.
 *
 * @param options `timeout` of each check in ms, and `uses`: guards of both routes
 * @returns routes by name
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, health, service } from 'verbena'
 *
 * const db = service(() => ({ ping: async () => true }), { check: (db) => db.ping() })
 * const app = createApp({ services: { db }, routes: { ...health() } })
 *
 * const response = await app.fetch(new Request('http://localhost/readyz'))
 * response.status // => 200
 * await response.json() // => { services: { db: 'ready' } }
 * ```
 */
export function health<const U extends Uses = {}>(options: HealthOptions<U> = {}): HealthRoutes<U> {
  checkOptions(options, RULES, 'health()')
  // Proof: the default is only used if the type of `uses` is not inferred. The app checks each guard when it reads the class.
  const { timeout = 5_000, uses = {} as U } = options
  class Livez extends Route {
    static readonly meta = REPORTS_HEALTH.carry(true)
    static readonly path = '/livez'
    static readonly uses = uses
    static readonly get = this.contract({ hidden: true })
    get(): unknown {
      return reply(200, {}, NO_STORE)
    }
  }
  class Readyz extends Route {
    static readonly meta = REPORTS_HEALTH.carry(true)
    static readonly path = '/readyz'
    static readonly uses = uses
    // The checks have their own timeout, so that the response names the service that hangs.
    static readonly get = this.contract({ hidden: true, timeout: timeout + 1_000 })
    get(input: Context): unknown {
      return readiness(input, timeout)
    }
  }
  return { Livez, Readyz }
}

const RULES: Rules<HealthOptions> = { timeout: integerRule(1, '5_000', ' of ms'), uses: objectRule('{ user }') }

async function readiness(input: Context, timeout: number): Promise<Reply> {
  // Proof: both the app and `invoke` pass a `BaseContext` to a method.
  const call = BaseContext.sourceOf(input as BaseContext)
  // `invoke` calls the method without an app, so there are no services to check.
  if (!(call instanceof Call)) return reply(200, { services: {} }, NO_STORE)
  const { app, log } = call
  if (app.openStreams.isEnded) throw reportedError(503, 'The server is closing', { headers: NO_STORE })
  const states = await app.services.check(timeout)
  const services = Object.fromEntries(states.map(({ name, isReady }) => [name, isReady ? 'ready' : 'not ready']))
  const failed = states.filter(({ isReady }) => !isReady)
  for (const { name, error } of failed) tryLog(log, 'warn', { service: name, err: error }, 'Service not ready')
  if (failed.length > 0) throw reportedError(503, 'The server is not ready', { services, headers: NO_STORE })
  return reply(200, { services }, NO_STORE)
}
