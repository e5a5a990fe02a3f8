/** Routes that tell an orchestrator how an app is: does it live, and is it ready for requests. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { reply, type Reply } from '../context/reply.js'
import { RequestContext } from '../context/request-context.js'
import type { Context } from '../context/types.js'
import { reportedError } from '../errors/http-error.js'
import { SetupError } from '../errors/setup-error.js'
import type { Uses } from '../injection/provide.js'
import type { ServiceState, ServiceStore } from '../injection/service-store.js'
import { tryLog } from '../observe/logger.js'
import { REPORTS_HEALTH } from '../route/built-in-marks.js'
import { Route, type RouteBase } from '../route/route.js'
import { isRecord } from '../values/objects.js'
import { Call } from '../request/call.js'

startStackAtCaller(health)

/** How health is asked for. */
export interface HealthOptions<U = Uses> {
  /** How long the checks of services may take together, in ms; 5,000 unless given. */
  readonly timeout?: number
  /** Guards of both routes, by name. */
  readonly uses?: U
}

/** A route that tells how an app is. */
export interface HealthRoute<Path extends string, U = {}> {
  /** Its instances answer GET. */
  new (): RouteBase<{}> & Readonly<Record<'get', (input: Context) => unknown>>
  /** Where it answers. */
  readonly path: Path
  /** What guards it. */
  readonly uses: U
}

/** The routes that `health` makes. */
// oxlint-disable-next-line consistent-type-definitions -- an interface has no index signature, which a section of routes needs
export type HealthRoutes<U = {}> = {
  /** `GET /livez`: 200 as long as the process answers. */
  readonly Livez: HealthRoute<'/livez', U>
  /** `GET /readyz`: 200, or 503 while a service is not ready, or the app is closing. */
  readonly Readyz: HealthRoute<'/readyz', U>
}

const NO_STORE = { 'cache-control': 'no-store' } as const

/**
 * Makes routes for an orchestrator, to be spread into `routes`. `GET /livez` answers 200. `GET /readyz` answers 200 when the `check` of
 * each service is content; 503 while one is not, with its name, and while the app is closing. What a `check` throws is logged and
 * never sent. Requests that come during checks wait for them. Neither route stands in the document.
 *
 * @param options how long checks may take, and `uses`, guards of both routes
 * @returns routes
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
  const { timeout, uses } = checkedOptions<U>(options)
  const check = sharedChecks(timeout)
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
    static readonly get = this.contract({ hidden: true, timeout })
    get(input: Context): unknown {
      return readiness(input, check)
    }
  }
  return { Livez, Readyz }
}

function checkedOptions<U>(options: unknown): { readonly timeout: number; readonly uses: U } {
  const { timeout = 5_000, uses = {}, ...unknown }: { timeout?: unknown; uses?: unknown } = Object(options)
  const isKnown = Object.keys(unknown).length === 0 && isRecord(uses)
  if (isKnown && typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0) {
    // Proof: each of them is looked at when the app reads the class.
    return { timeout, uses: uses as U }
  }
  const why = 'its options are not known. Write "health({ timeout: ms, uses: { … } })", with a whole number from 1 up'
  throw new SetupError('OPTION_INVALID', `Cannot make routes for health: ${why}`)
}

async function readiness(input: Context, check: CheckServices): Promise<Reply> {
  // Proof: a method gets a context from its caller: the app for a call that it serves, `invoke` for one of a test.
  const call = RequestContext.sourceOf(input as RequestContext)
  // A method that is invoked without an app has no services that could be asked, and nothing around it that could be closing.
  if (!(call instanceof Call)) return reply(200, { services: {} }, NO_STORE)
  const { app, log } = call
  if (app.openStreams.isEnded) throw reportedError(503, 'The server is closing', { headers: NO_STORE })
  const states = await check(app.services)
  const services = Object.fromEntries(states.map(({ name, isReady }) => [name, isReady ? 'ready' : 'not ready']))
  const failed = states.filter(({ isReady }) => !isReady)
  for (const { name, error } of failed)
    tryLog(log, 'warn', { service: name, err: error }, `The service "${name}" is not ready`)
  if (failed.length > 0) throw reportedError(503, 'The server is not ready', { services, headers: NO_STORE })
  return reply(200, { services }, NO_STORE)
}

type CheckServices = (services: ServiceStore) => Promise<ServiceState[]>

/** Anybody may ask for health, so requests that come during a check join it, unless it takes too long: it may never end. */
function sharedChecks(timeout: number): CheckServices {
  const running = new WeakMap<ServiceStore, { readonly began: number; readonly states: Promise<ServiceState[]> }>()
  return (services) => {
    const checks = running.get(services)
    const began = performance.now()
    if (checks !== undefined && began - checks.began < timeout) return checks.states
    const states = services.check().finally(() => running.delete(services))
    running.set(services, { began, states })
    return states
  }
}
