/** `createApp`: from options to an app. Everything that can be decided is decided here. */
import { logCalls } from '../decorators/log.js'
import { notesOf } from '../decorators/notes.js'
import { TrustedProxies } from '../http/forwarded.js'
import { defaultLogger } from '../logging/default-logger.js'
import { SILENT, type Logger } from '../logging/logger.js'
import { checkMiddleware } from '../route/statics.js'
import { Channel } from '../telemetry/channel.js'
import type { App, AppOptions, RoutesOption } from './app-types.js'
import type { Core } from './core.js'
import { hrefOf } from './href.js'
import { checkOptions } from './check-options.js'
import { DEFAULTS, withDefaults, type CommonOptions } from './options.js'
import { OpenStreams } from './open-streams.js'
import type { Preparation } from './prepare.js'
import { registerRoutes, type Registry } from './register.js'
import { requestIds } from './request-id.js'
import { RunningApp } from './running-app.js'
import { Work } from './work.js'

/**
 * Makes an app of routes.
 *
 * @param options routes, services and everything else; an unknown one is refused
 * @returns the app, not listening yet
 * @throws SetupError for every mistake in options, routes and contracts
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 *
 * class Home extends Route {
 *   async get() {
 *     return { hello: 'world' }
 *   }
 * }
 * await using app = createApp({ routes: { Home }, logger: false })
 * const { url } = await app.listen()
 * const response = await fetch(`${url}/home`)
 * response.headers.get('content-type') // => 'application/json'
 * ```
 */
export function createApp<const R extends RoutesOption>(options: AppOptions<R>): App<R> {
  checkOptions(options)
  const given: CommonOptions & { readonly routes: unknown; readonly services?: object } = options
  const middleware = checkMiddleware(given.middleware ?? [], 'the option "middleware"')
  const preparation: Preparation = {
    services: { ...given.services },
    limits: withDefaults(DEFAULTS.limits, given.limits),
    timeout: given.timeouts?.handler ?? DEFAULTS.timeouts.handler,
    converters: given.jsonSchema ?? {},
  }
  const registry = registerRoutes(given.routes, middleware, preparation)
  const core = coreOf(given, registry, preparation)
  if (registry.endpoints.some(({ handler }) => notesOf(handler).log)) logCalls(core.telemetry, core.logger)
  return new RunningApp<R>({ core, registry, preparation, options: given })
}

function coreOf(options: CommonOptions, { router, templates }: Registry, { limits }: Preparation): Core {
  const proxies = new TrustedProxies(options.trustProxy ?? [])
  const nextId = requestIds()
  return {
    router,
    limits,
    chain: options.middleware ?? [],
    mappers: [options.mapError ?? []].flat(),
    logger: loggerOf(options.logger),
    validateResponses: options.validateResponses ?? DEFAULTS.validateResponses,
    work: new Work(),
    openStreams: new OpenStreams(),
    telemetry: new Channel(),
    idOf: (exchange) => proxies.requestIdOf(exchange) ?? nextId(),
    clientOf: (exchange) => proxies.clientOf(exchange),
    href: (route, params, query) => hrefOf(templates, route, { params, query }),
  }
}

function loggerOf(logger: Logger | false | undefined): Logger {
  if (logger === false) return SILENT
  return logger ?? defaultLogger(process.stdout)
}
