/** Lifecycle of an app: start, listen, handle requests, close. */
import { frameworkError } from '../errors/http-error.js'
import { startStackAtCaller } from '../errors/author-calls.js'
import { markCopy } from '../errors/copies.js'
import { SetupError, setupErrorsFrom } from '../errors/setup-error.js'
import { serverClosing, type Exchange } from '../http/exchange.js'
import { SHARED } from '../http/mounted-exchange.js'
import { DOCUMENTED, type Serve } from '../http/node-exchange.js'
import {
  attachServer,
  closeServer,
  drainServer,
  makeServer,
  nodeListener,
  onListening,
  openServer,
} from '../http/server.js'
import type { AttachOptions, ListenResult, ListenOptions, NodeListener, OwnServer, Server } from '../http/server.js'
import type { ServerSettings } from '../http/connection.js'
import type { AppMetrics, Metrics } from '../observe/metrics.js'
import { WebExchange } from '../http/web-exchange.js'
import type { LogOutput } from '../observe/log-output.js'
import { tryLog, type Logger } from '../observe/logger.js'
import type { OpenApiDocument } from '../setup/document-types.js'
import type { App, DocumentOptions, EndpointDescription, AdditionalServices } from './app-types.js'
import { checkApp } from '../check/check.js'
import { unreachableUpgrades } from '../check/upgrade-findings.js'
import { checkAttachOptions, checkListenOptions } from '../setup/check-options.js'
import type { AppState } from '../request/app-state.js'
import type { Call, WorkList } from '../request/call.js'
import type { DevConsole } from '../devconsole/dev-console.js'
import { giveUp } from '../request/late.js'
import { rejectRequest, serve, serveAfter } from '../request/pipeline.js'
import { hasPath } from './has-path.js'
import { OtherRequests } from './other-requests.js'
import { LifecycleLog } from './lifecycle-log.js'
import type { ServiceLog } from './service-log.js'
import type { Documents } from '../openapi/documents.js'
import type { Finding } from '../check/findings.js'
import { DEFAULTS, type UntypedAppOptions, serverSettings, withDefaults } from '../setup/options.js'
import type { SetupContext } from '../setup/prepare.js'
import type { Registry } from '../setup/register.js'
import type { Endpoint } from '../request/endpoint.js'
import { undescribedEndpoints } from '../check/schema-findings.js'
import { closeOnSignal, ignoreSignals, withinDeadline } from './close-on-signal.js'
import { Startup } from '../setup/startup.js'
import { noop } from '../values/noop.js'

/** State of an app with its requests in progress. */
export interface RunningState extends AppState<Call> {
  readonly work: WorkList<Call>
  readonly serviceLog: ServiceLog
  /** Output of the built-in logger. */
  readonly logOutput: LogOutput
}

export interface AppParts {
  readonly state: RunningState
  readonly registry: Registry
  readonly metrics: Metrics
  readonly documents: Documents
  /** Endpoint of the OpenAPI document, or of its page; `null` if none is served. */
  readonly documentEndpoint: Endpoint<Call> | null
  readonly preparation: SetupContext
  readonly options: UntypedAppOptions
  readonly devConsole: DevConsole
}

export class RunningApp<R, S> implements App<R, S> {
  readonly name: string
  readonly version: string
  readonly #handler: NodeListener
  /** Whether `handler` was read, so that other code can use it. */
  #isMounted = false
  readonly #parts: AppParts
  readonly #settings: ServerSettings
  /** Handles requests to the console, and passes all others to the app. */
  readonly #serveOwn: Serve
  readonly #startup: Startup
  readonly #log: LifecycleLog
  #server: OwnServer | undefined = undefined
  #opening: Promise<ListenResult> | undefined = undefined
  #closing: Promise<void> | undefined = undefined

  constructor(parts: AppParts) {
    const { options, state } = parts
    this.name = options.name ?? DEFAULTS.name
    this.version = options.version ?? DEFAULTS.version
    this.#parts = parts
    this.#log = new LifecycleLog(state.logger, this.version)
    this.#settings = serverSettings(parts.preparation.limits, options, reportTo(state.logger))
    const { completions, planner } = parts.preparation
    const warn = undescribedWarning(parts)
    const { services, logger } = state
    this.#startup = new Startup({ services, settings: planner.settings, completions, warn, logger })
    const serveApp = this.#serving(state)
    this.#serveOwn = this.#afterConsole(serveApp)
    this.#handler = nodeListener(serveApp, this.#settings, (url) => hasPath(state, url))
  }

  /** Returns `undefined` if `createApp` has not created the value. */
  static partsOf(app: unknown): AppParts | undefined {
    return typeof app === 'object' && app !== null && #parts in app ? app.#parts : undefined
  }

  /** Whether the app listens, is attached to a server, or is closed. */
  static hasServer(app: unknown): boolean {
    return typeof app === 'object' && app !== null && #parts in app && (app.#server ?? app.#closing) !== undefined
  }

  get handler(): NodeListener {
    this.#isMounted = true
    return this.#handler
  }

  listen(options: ListenOptions = {}): Promise<ListenResult> {
    return setupErrorsFrom(this.listen, () => this.#listen(options))
  }

  async #listen(options: ListenOptions): Promise<ListenResult> {
    this.#checkState('listen')
    checkListenOptions(options)
    const { devConsole, state } = this.#parts
    const { otherwise } = options
    const otherRequests = otherwise === undefined ? null : new OtherRequests(state, otherwise)
    const serveOwn =
      otherRequests === null ? this.#serveOwn : this.#afterConsole(otherRequests.around(this.#serving(state)))
    const server = makeServer(serveOwn, this.#settings, options.tls, otherRequests !== null)
    this.#useServer(server, otherRequests)
    // A signal during the creation of services waits for them, then closes them.
    this.#obeySignals()
    try {
      this.#opening = this.start()
        .then(() => devConsole.load())
        .then(() => otherRequests?.takeUpgrades(server, this.#parts.registry.upgrades !== null))
        .then(() => openServer(server, options))
      const listening = await this.#opening
      devConsole.opened(listening.url)
      this.#log.started(listening.url)
      return listening
    } catch (error) {
      this.#server = undefined
      ignoreSignals(this)
      throw error
    }
  }

  attach(server: Server, options: AttachOptions = {}): void {
    this.#checkState('attach to a server')
    checkAttachOptions(options)
    const { devConsole } = this.#parts
    const ownServer = attachServer(server, this.#serveOwn, this.#settings, options)
    this.#useServer(ownServer, null)
    this.#obeySignals()
    onListening(ownServer, (url) => this.#log.started(url))
    void devConsole.load().then(() => devConsole.opened(undefined))
  }

  #useServer(own: OwnServer, other: OtherRequests | null): void {
    const { state, metrics } = this.#parts
    this.#server = own
    this.#takeUpgrades(own, other)
    metrics.usesFastPath = () => ![DOCUMENTED, SHARED].includes(own.state.chooseTransport())
    if (this.#settings.fastPath && !own.isFast) tryLog(state.logger, 'warn', { node: process.version }, FAST_PATH_OFF)
  }

  /** Handles upgrade requests with a separate router, in which each path has only its upgrade. */
  #takeUpgrades(own: OwnServer, other: OtherRequests | null): void {
    const { state, registry } = this.#parts
    const { upgrades } = registry
    if (upgrades === null) return
    // `take` accepts only paths with an upgrade, and with `redirect` also the same paths with a slash.
    const taking: RunningState = { ...state, router: upgrades.router, fallbacks: null, trailingSlash: 'ignore' }
    const serveUpgrade = this.#serving(taking)
    const serveAll = other === null ? serveUpgrade : other.around(serveUpgrade)
    upgrades.take(own, state, serveAll, (request) => other?.takesUpgrade(request) === true)
  }

  /** Returns a function that passes requests for the console to it. */
  #afterConsole(serveOthers: Serve): Serve {
    const { devConsole } = this.#parts
    if (devConsole.state === 'off') return serveOthers
    return (exchange) => {
      if (!devConsole.takes(exchange)) serveOthers(exchange)
    }
  }

  #serving(state: RunningState): Serve {
    return serveAfter(this.#startup, state, state.serviceLog, (exchange) => void this.#serveLater(state, exchange))
  }

  #checkState(act: string): void {
    if (this.#closing !== undefined) throw stateError(act, 'the app is closed. Create a new one')
    if (this.#server !== undefined) throw stateError(act, 'the app already has a server. Create a second app')
  }

  #obeySignals(): void {
    if (this.#parts.options.signals ?? DEFAULTS.signals) closeOnSignal(this, this.#log)
  }

  fetch(request: Request): Promise<Response> {
    const { state } = this.#parts
    return new Promise((resolve, reject) => {
      const exchange = new WebExchange(request, resolve)
      if (this.#startup.isDone) serve(state, exchange, state.serviceLog.start)
      else void this.#serveLater(state, exchange, reject)
    })
  }

  start(): Promise<void> {
    return setupErrorsFrom(this.start, () => this.#start())
  }

  async #start(): Promise<void> {
    if (this.#startup.isDone) return
    if (this.#closing !== undefined) throw stateError('start', 'the app is closed. Create a new one')
    await this.#startup.run()
  }

  get services(): S & AdditionalServices {
    // Proof: the types of `createApp` require all services of the routes.
    return this.#parts.state.services.values as S & AdditionalServices
  }

  /** Runs `next` after the services are created. `close` waits until then. */
  async #afterStart<T>(next: () => T | Promise<T>): Promise<T> {
    const { work } = this.#parts.state
    work.hold()
    try {
      await this.start()
      return next()
    } finally {
      work.release()
    }
  }

  async #serveLater(
    state: RunningState,
    exchange: Exchange,
    reject: ((error: unknown) => void) | null = null,
  ): Promise<void> {
    try {
      await this.#afterStart(() => serve(state, exchange, state.serviceLog.start))
    } catch (error) {
      if (reject !== null && error !== this.#startup.settingError) return reject(error)
      tryLog(state.logger, 'error', { err: error }, 'Failed to start the app')
      rejectRequest(state, exchange, frameworkError(503, 'The server is not ready', { cause: error }))
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  routes(): EndpointDescription[] {
    const { endpoints } = this.#parts.registry
    return endpoints.map(({ route, verb, method, path, tags, constraint, contract, upgrade }) => {
      const summary = { route, verb, method, path, tags: [...tags], version: constraint?.text, contract }
      return upgrade === null ? summary : { ...summary, upgrade }
    })
  }

  metrics(): AppMetrics {
    return this.#parts.metrics.figures()
  }

  openapi({ version }: DocumentOptions = {}): OpenApiDocument {
    return this.#parts.documents.document(version)
  }

  check(): Finding[] {
    const findings = checkApp(this.#parts)
    if (!this.#isMounted || this.#server !== undefined) return findings
    return [...findings, ...unreachableUpgrades(this.#parts.registry.endpoints)]
  }

  async #close(): Promise<void> {
    ignoreSignals(this)
    const { work, logger, openStreams, services } = this.#parts.state
    const { drain, close: deadline } = withDefaults(DEFAULTS.timeouts, this.#parts.options.timeouts)
    openStreams.end()
    this.#parts.devConsole.close()
    if (this.#server !== undefined && drain > 0) await drainServer(this.#server, drain)
    const done = Promise.all([this.#closeServer(deadline), work.idle()])
    if (!(await withinDeadline(done, deadline))) {
      tryLog(logger, 'warn', { running: work.running, deadline }, 'App closed before all requests and tasks were done')
      await this.#stopWork(done, deadline)
    }
    await services.close()
    this.#log.closed()
    this.#parts.state.logOutput.close()
  }

  /** Aborts all requests, and waits up to `deadline` ms again for methods that react to `signal`, because they may still use services. */
  async #stopWork(done: Promise<unknown>, deadline: number): Promise<void> {
    const { work } = this.#parts.state
    work.each((call) => call.abort(serverClosing()))
    if (await withinDeadline(done, deadline)) return
    const cleanups: Promise<void>[] = []
    work.each((call) => void cleanups.push(giveUp(call)))
    await withinDeadline(Promise.all(cleanups), deadline)
  }

  /** Waits until a pending `listen` is done, so that its port does not stay open. */
  async #closeServer(deadline: number): Promise<void> {
    await this.#opening?.catch(noop)
    if (this.#server !== undefined) await closeServer(this.#server, deadline)
  }
}

startStackAtCaller(RunningApp.prototype.attach, RunningApp.prototype.openapi)
markCopy(RunningApp.prototype, 'an app')

function reportTo(logger: Logger): ServerSettings['report'] {
  return (error, message) => tryLog(logger, 'error', { err: error }, message)
}

const FAST_PATH_OFF = 'Fast path disabled: Node functions are patched, or this Node version behaves differently'

/** Returns a function that logs one warning at the start; `null` if responses and strings of all endpoints have a JSON Schema. */
function undescribedWarning({ state, registry }: AppParts): (() => void) | null {
  const endpoints = undescribedEndpoints(registry.endpoints)
  if (endpoints.length === 0) return null
  const fix = 'See the findings RESPONSE_UNDESCRIBED and SCHEMA_UNDESCRIBED of app.check()'
  return () => tryLog(state.logger, 'warn', { endpoints }, `Some schemas cannot be converted to JSON Schema. ${fix}`)
}

function stateError(act: string, why: string): SetupError {
  return new SetupError('APP_STATE', `Cannot ${act}: ${why}`)
}
