/** Public types of an app. */
import type { EndpointVerb } from '../http/methods.js'
import type { AttachOptions, ListenOptions, ListenResult, NodeListener, Server } from '../http/server.js'
import type { ServicesOf, WantOf } from '../injection/provide.js'
import type { Service } from '../injection/services.js'
import type { ContractSpec } from '../route/contract.js'
import type { ErrorFormat } from '../route/error-format.js'
import type { AnyRoute } from '../route/route.js'
import type { CheckedInput, RequiredServices, Routes } from '../route/route-types.js'
import type { OpenApiDocument } from '../setup/document-types.js'
import type { AppMetrics } from '../observe/metrics.js'
import type { Finding } from '../check/findings.js'
import type { CommonOptions } from '../setup/options.js'

/** Value of the option `routes`: an object of classes, groups and sections, or an array of classes with a `static path`. */
export type RoutesOption = Routes | readonly AnyRoute[]

/** Services by name. */
export interface AdditionalServices {
  readonly [name: string]: unknown
}

/** Option `services`: required if routes or guards require services. */
type ServicesOption<N> = {} extends N ? ExtraServices : NeededServices<N>

interface ExtraServices {
  /** Services by name, available on `this` in every route. */
  readonly services?: AdditionalServices
}

interface NeededServices<N> {
  /** Services by name, available on `this` in every route. The app creates `service(…)` at its start. */
  readonly services: GivenServices<N> & AdditionalServices
}

/** Services by name, as values or `service(…)`. */
export type GivenServices<N> = { readonly [K in keyof N]: N[K] | Service<N[K]> }

/**
 * Options of `createApp`.
 *
 * @interface
 */
export type AppOptions<R, DocumentUses = {}, MetricsUses = {}, Format = unknown> = CommonOptions &
  Inferred<R, DocumentUses, MetricsUses, Format> &
  ServicesOption<MissingServices<R, DocumentUses, MetricsUses>>

/** Options with inferred types. */
interface Inferred<R, DocumentUses, MetricsUses, Format> {
  /** Route classes, groups and sections. The keys are the names of the routes. */
  readonly routes: R & CheckedInput<R>
  /** Options of the OpenAPI document; `false` disables its path. */
  readonly openapi?: { readonly uses?: DocumentUses } | false
  /** Path of the app's metrics, or an object with path and guards. */
  readonly metrics?: { readonly uses?: MetricsUses } | string
  /** Format of error responses; default: problem details (RFC 9457). */
  readonly errorFormat?: ErrorFormat<Format>
}

/** Services that routes and guards require. Without guards, only `RequiredServices`, to keep compiler errors short. */
type MissingServices<R, D, M> = [keyof D | keyof M] extends [never]
  ? RequiredServices<R>
  : RequiredServices<R> & ServicesOf<WantOf<D> | WantOf<M>>

/** Description of an endpoint, returned by `app.routes()`. */
export interface EndpointDescription {
  /** Name of the route. */
  readonly route: string
  /** Name of the method in the class; `all` for a mounted handler. */
  readonly verb: EndpointVerb
  /** Request method in upper case; `*` for a mounted handler. */
  readonly method: string
  /** Path template with mount and prefix. */
  readonly path: string
  /** Tags of the groups, the class and the contract. */
  readonly tags: readonly string[]
  /** Version constraint of `@version`; `undefined` if the endpoint handles all versions. */
  readonly version: string | undefined
  /** Contract of the endpoint; `undefined` without a contract. */
  readonly contract: ContractSpec | undefined
  /** Protocol of an upgrade, such as `websocket`; only for endpoints created by `upgrade` of `verbena/upgrade`. */
  readonly upgrade?: string
}

/** Options of `app.openapi()`. */
export interface DocumentOptions {
  /** Version of the API, as a client would request it. */
  readonly version?: string | undefined
}

/** An app. `createApp` creates it. */
export interface App<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  /** Name of the API. */
  readonly name: string
  /** Version of the API. */
  readonly version: string
  /** The option `routes`; exists only as a type. */
  readonly '~routes'?: R
  /** Schema of the option `errorFormat`; exists only as a type. */
  readonly '~format'?: Format
  /**
   * Request listener for your own `node:http` server, and middleware of Express, Connect and middie. The app does not set limits and
   * timeouts of that server.
   *
   * With `next`, a request for a path that the app does not have is passed on unchanged: `next` is called once, without an argument.
   * Otherwise the app handles the request, including errors. If the server has mounted the app at a path (`baseUrl`, `originalUrl`), routes
   * match without it, and `request.url`, hrefs, redirects and the log contain it.
   *
   * @example
   * ```ts
   * import { once } from 'node:events'
   * import { createServer } from 'node:http'
   * import type { AddressInfo } from 'node:net'
   * import { createApp, Route } from 'verbena'
   *
   * class Users extends Route {
   *   async get() {
   *     return ['ada']
   *   }
   * }
   * const app = createApp({ routes: { Users } })
   * const server = createServer((request, response) => {
   *   app.handler(request, response, () => response.end('another path'))
   * })
   * await once(server.listen(0, '127.0.0.1'), 'listening')
   * const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
   *
   * const users = await fetch(`${url}/users`)
   * await users.json() // => ['ada']
   * const other = await fetch(`${url}/other`)
   * await other.text() // => 'another path'
   *
   * server.closeAllConnections()
   * server.close()
   * ```
   */
  readonly handler: NodeListener
  /** Services by name. Throws a SetupError `APP_STATE` before all services are created. */
  readonly services: S & AdditionalServices
  /**
   * Creates the services without listening, for jobs and seeds. You do not need it before `listen` or a request, which also create them.
   *
   * @throws SetupError `SERVICE_FAILED` if a service cannot be created; the error of a provider, such as `OPTION_INVALID`, if the result of
   *   a function of the services is invalid; `APP_STATE` if the app is closed
   */
  start(): Promise<void>
  /**
   * Creates the services, then listens on a port or socket.
   *
   * @param options address and TLS; default: a free port of 127.0.0.1
   * @returns the address
   * @throws SetupError as for `start`; `LISTEN_FAILED` if the address cannot be used; `APP_STATE` if the app has a server or is closed
   */
  listen(options?: ListenOptions): Promise<ListenResult>
  /**
   * Attaches the app to your own server, with all limits and timeouts. `close` also closes this server.
   *
   * The app must be the only `request` listener of the server. Call `attach` before libraries that add a listener and pass other requests
   * on, such as socket.io. If another listener is added between `attach` and `listen` of the server, the server closes and emits the error.
   *
   * @param server server of `node:http` or `node:https`, listening or not
   * @param options whether other `request` listeners of the server only watch; default: no
   * @throws SetupError `APP_STATE` for another kind of server, if the server has another `request` listener, or if the app already has a
   *   server or is closed; `OPTION_INVALID` for unknown options
   */
  attach(server: Server, options?: AttachOptions): void
  /**
   * Handles a request of the Fetch standard without a socket.
   *
   * @throws SetupError `SERVICE_FAILED` or `APP_STATE`, as for `start`. If the result of a function of the services is invalid, the response
   *   is 503
   */
  fetch(request: Request): Promise<Response>
  /** Stops accepting connections, waits up to `timeouts.close` ms for requests and tasks, then closes services in reverse order. */
  close(): Promise<void>
  /** Returns descriptions of all endpoints in the order of registration. Changes to them do not affect the app. */
  routes(): EndpointDescription[]
  /** Returns request counts and durations in ms of endpoints with `@speed`; with the option `metrics`, of all endpoints. */
  metrics(): AppMetrics
  /**
   * Returns the OpenAPI document of the API, without `hidden` endpoints.
   *
   * @param wanted `version`: version of the API; default: the version of requests that do not specify one
   * @throws SetupError `OPTION_INVALID` if `version` is not a valid version
   */
  openapi(wanted?: DocumentOptions): OpenApiDocument
  /** Returns findings: settings that are valid but probably not intended. */
  check(): Finding[]
}
