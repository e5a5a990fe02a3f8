/** `createApp`: builds an app from its options. Makes all decisions that do not depend on a request. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { measureProcess, metricsRoute } from './metrics-route.js'
import { openApiRoute } from './openapi-route.js'
import { consoleForms, pageRoute } from './page-route.js'
import { checkApp, rejectFindings } from '../check/check.js'
import type { Finding } from '../check/findings.js'
import { logAllCalls, logCalls } from '../decorators/log.js'
import { DevConsole, loadHost } from '../devconsole/dev-console.js'
import { consoleState, type ConsoleState } from '../devconsole/host/console-state.js'
import { Documents } from '../openapi/documents.js'
import { TrustedProxies } from '../http/forwarded.js'
import { NO_OVERRIDES, type Overrides } from '../setup/override.js'
import { ProviderPlanner } from '../setup/provider-planner.js'
import type { Uses } from '../injection/provide.js'
import { ServiceStore, type ServiceStoreSettings } from '../setup/service-store.js'
import { SILENT, tryLog, type Logger } from '../observe/logger.js'
import { observedLogger } from '../observe/observed-logger.js'
import { defaultLogger } from '../observe/loggers.js'
import { LogOutput } from '../observe/log-output.js'
import { Metrics } from '../observe/metrics.js'
import { Channel } from '../observe/channel.js'
import { Secrets } from '../secrets/secrets.js'
import {
  pickResponseSettings,
  versionSettings,
  type CommonOptions,
  DEFAULTS,
  type UntypedAppOptions,
  withDefaults,
} from '../setup/options.js'
import { checkAppOptions, isLoggerOptions } from '../setup/check-options.js'
import { readMode } from '../values/mode.js'
import { OpenStreams } from '../http/event-stream.js'
import { WorkList, type Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { ObservedCall, observedService } from './observed-call.js'
import { requestIdReader } from './request-id.js'
import { ServiceLog } from './service-log.js'
import { responseSteps } from '../features/responses/response-steps.js'
import { serviceProperty, checkMiddleware } from '../route/route-class.js'
import { recordPlaces } from '../route/route.js'
import type { RequiredServices } from '../route/route-types.js'
import { match } from '../router/match.js'
import { buildHref } from '../setup/href.js'
import { EndpointlessReplies } from '../setup/endpointless.js'
import { FormatPlans } from '../setup/plans.js'
import type { SetupContext } from '../setup/prepare.js'
import { registerOwn, registerRoutes, type Registry } from '../setup/register.js'
import type { App, AppOptions, RoutesOption } from './app-types.js'
import { RunningApp, type AppParts, type RunningState } from './running-app.js'

startStackAtCaller(createApp)

// Classes are defined before apps, so the places of contracts in your code must be recorded now for the console.
if (readMode() !== 'production') recordPlaces()

/**
 * Creates an app.
 *
 * @param options routes, services and settings
 * @returns the app, which does not listen yet
 * @throws SetupError for unknown options, and for any mistake in options, routes and contracts
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
export function createApp<
  const R extends RoutesOption,
  const DocumentUses extends Uses = {},
  const MetricsUses extends Uses = {},
  Format = unknown,
>(options: AppOptions<R, DocumentUses, MetricsUses, Format>): App<R, RequiredServices<R>, Format> {
  checkAppOptions(options)
  return makeApp<R, RequiredServices<R>>(options, UNCHANGED)
}

/** Differences between the app and its variant in a test. */
interface TestSettings {
  readonly overrides: Overrides
  /** Names of services that belong to the original app. The variant does not close them. */
  readonly borrowed: ReadonlySet<string>
  readonly documents: Documents | null
  readonly isStrict: boolean
}

const UNCHANGED: TestSettings = { overrides: NO_OVERRIDES, borrowed: new Set(), documents: null, isStrict: false }

export function makeApp<R, S>(options: UntypedAppOptions, difference: TestSettings): RunningApp<R, S> {
  const mode = readMode()
  const converters = options.jsonSchema ?? {}
  const console = consoleState(options.devConsole ?? DEFAULTS.devConsole, mode)
  const middleware = checkMiddleware(options.middleware ?? [], 'the option "middleware"')
  const preparation: SetupContext = {
    responseSettings: pickResponseSettings(options),
    services: { ...options.services },
    property: console === 'off' ? serviceProperty : observedService,
    completions: [],
    prepared: { count: 0 },
    limits: withDefaults(DEFAULTS.limits, options.limits),
    timeout: options.timeouts?.handler ?? DEFAULTS.timeouts.handler,
    converters,
    errorFormat: options.errorFormat,
    formatPlans: new FormatPlans(converters),
    endpointless: new EndpointlessReplies(),
    planner: new ProviderPlanner(converters, difference.overrides),
    versioning: versionSettings(options),
    secrets: new Secrets(options.redact),
  }
  const registry = registerRoutes(options.routes, middleware, preparation)
  const state = buildAppState(options, registry, { ...preparation, ...difference, console })
  const metrics = new Metrics(() => performance.now())
  measureProcess(metrics, state, registry.endpoints, options.metrics !== undefined)
  if (options.metrics !== undefined) serveMetrics(options.metrics, metrics, registry, preparation)
  const documents = difference.documents ?? createDocuments(options, registry, preparation)
  const shownDocuments = showDocuments({ options, documents, registry, preparation, console })
  const { endpoints } = registry
  const { versioning } = preparation
  logRequests(state, endpoints, options.accessLog ?? DEFAULTS.accessLog)
  const { documentEndpoint } = shownDocuments
  const findings = (): readonly Finding[] => checkApp({ registry, preparation, documents, documentEndpoint, state })
  const about = { options, state: console, mode, core: state, endpoints, versioning }
  const devConsole = new DevConsole(console, () =>
    loadHost({ ...about, documents, openapiPath: shownDocuments.path, findings }),
  )
  const parts = { state, registry, metrics, documents, documentEndpoint, preparation, devConsole, options }
  const app = new RunningApp<R, S>(parts)
  if (options.strict === true && difference === UNCHANGED) rejectFindings(app.check(), endpoints)
  return app
}

function serveMetrics(
  option: NonNullable<UntypedAppOptions['metrics']>,
  metrics: Metrics,
  registry: Registry,
  preparation: SetupContext,
): void {
  const { path, uses = {} } = typeof option === 'string' ? { path: option } : option
  registerOwn(registry, 'option metrics', metricsRoute({ path, uses }, metrics), preparation)
}

function logRequests(
  { channel, logger, secrets }: AppParts['state'],
  endpoints: Registry['endpoints'],
  isAccessLog: boolean,
): void {
  if (logger !== SILENT) (isAccessLog ? logAllCalls : logCalls)(channel, logger, endpoints, secrets)
}

function createDocuments(options: CommonOptions, { endpoints }: Registry, preparation: SetupContext): Documents {
  const { versioning, converters } = preparation
  const { name = DEFAULTS.name, version = DEFAULTS.version, openapi } = options
  return new Documents({ name, version, endpoints, versioning, converters, options: openapi || {} })
}

/** Registers the route of the OpenAPI document. Returns `null` if it is disabled, or if a route already has the default path. */
function showDocument(
  option: CommonOptions['openapi'],
  documents: Documents,
  registry: Registry,
  preparation: SetupContext,
): Endpoint<Call> | null {
  if (option === false) return null
  const path = option?.path ?? DEFAULTS.openapi.path
  if (option?.path === undefined && match(registry.router, path)?.template.names.length === 0) return null
  const place = { path, uses: option?.uses ?? {}, isPublic: option?.public }
  const routeClass = openApiRoute(place, documents, preparation.versioning)
  const [endpoint = null] = registerOwn(registry, 'option openapi', routeClass, preparation)
  return endpoint
}

interface ShownParts {
  readonly options: CommonOptions
  readonly documents: Documents
  readonly registry: Registry
  readonly preparation: SetupContext
  readonly console: ConsoleState
}

interface ShownDocuments {
  /** Path of the document; `null` if it is not served. */
  readonly path: string | null
  /** Endpoint of the document, or of its page; `null` if none is served. */
  readonly documentEndpoint: Endpoint<Call> | null
}

/** Registers the routes of the OpenAPI document and of its page. */
function showDocuments({ options, documents, registry, preparation, console }: ShownParts): ShownDocuments {
  const { openapi } = options
  const documentEndpoint = showDocument(openapi, documents, registry, preparation)
  const path = documentEndpoint?.path ?? null
  if (!openapi || openapi.page === undefined) return { path, documentEndpoint }
  const place = { path: openapi.page, uses: openapi.uses ?? {}, isPublic: openapi.public }
  const forms = consoleForms(registry.endpoints, console)
  const routeClass = pageRoute(place, { documents, versioning: preparation.versioning, path, forms })
  const [pageEndpoint = null] = registerOwn(registry, 'option openapi.page', routeClass, preparation)
  return { path, documentEndpoint: documentEndpoint ?? pageEndpoint }
}

type StateParts = SetupContext & Pick<TestSettings, 'borrowed' | 'isStrict'> & { readonly console: ConsoleState }

function buildAppState(
  options: CommonOptions,
  { router, fallbacks, handlers, templates, hasErrorFormats, mounts }: Registry,
  parts: StateParts,
): AppParts['state'] {
  const { limits, services, borrowed, isStrict, secrets } = parts
  const proxies = new TrustedProxies(options.trustProxy ?? [])
  const channel: Channel = new Channel((failure) => tryLog(logger, 'error', failure, 'Failed to notify a subscriber'))
  const { logger, serviceLog, logOutput } = createLogs(options.logger, parts.console === 'off' ? null : channel)
  const { close: closeTimeout, start: startTimeout } = withDefaults(DEFAULTS.timeouts, options.timeouts)
  return {
    router,
    fallbacks,
    handlers,
    limits,
    mounts,
    ...parts.endpointless.settings(
      options.middleware ?? [],
      responseSteps(parts.responseSettings),
      parts.formatPlans.of(parts.errorFormat),
    ),
    trailingSlash: options.trailingSlash ?? DEFAULTS.trailingSlash,
    mappers: [options.mapError ?? []].flat(),
    hasErrorFormats,
    logger,
    serviceLog,
    logOutput,
    services: new ServiceStore(services, {
      borrowed,
      startTimeout,
      closeTimeout,
      ...serviceReports(logger, serviceLog),
    }),
    validateResponses: options.validateResponses ?? DEFAULTS.validateResponses,
    isStrict: isStrict || readMode() === 'development',
    work: new WorkList<Call>(),
    closeTimeout,
    openStreams: new OpenStreams(),
    channel,
    secrets,
    observe: (call) => new ObservedCall(call),
    idOf: requestIdReader(proxies),
    clientOf: (exchange) => proxies.clientOf(exchange),
    proxies,
    href: (route, params, query) => buildHref(templates, route, params, query),
  }
}

/** @param channel observers of the lines; `null` if the console is off */
function createLogs(
  option: CommonOptions['logger'],
  channel: Channel | null,
): Pick<RunningState, 'logger' | 'serviceLog' | 'logOutput'> {
  const ownLogger = option === false ? SILENT : option
  const isBuiltIn = ownLogger === undefined || isLoggerOptions(ownLogger)
  const level = (isBuiltIn ? ownLogger?.level : undefined) ?? (readMode() === 'production' ? 'info' : 'debug')
  const logOutput = new LogOutput()
  const plain = isBuiltIn ? defaultLogger(logOutput, level) : ownLogger
  const logger = channel === null ? plain : observedLogger(plain, channel)
  return { logger, serviceLog: new ServiceLog(logger, isBuiltIn), logOutput }
}

/** Time in ms after which a service that is still being created is logged. */
const SLOW_START = 10_000

function serviceReports(
  logger: Logger,
  serviceLog: ServiceLog,
): Pick<ServiceStoreSettings, 'readLog' | 'onSlow' | 'slowAfter' | 'onUnclosed'> {
  return {
    readLog: () => serviceLog.read(),
    slowAfter: SLOW_START,
    onSlow: (service, ms) => tryLog(logger, 'warn', { service, ms }, 'Service still being created'),
    onUnclosed: (err, service) => tryLog(logger, 'error', { err, service }, 'Failed to close a service'),
  }
}
