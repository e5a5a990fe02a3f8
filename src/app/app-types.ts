/** The public types of an app. */
import type { Verb } from '../http/methods.js'
import type { ListenOptions, ListenResult, NodeListener, Server } from '../http/server.js'
import type { ServicesOf, WantOf } from '../injection/provide.js'
import type { Service } from '../injection/service-store.js'
import type { ContractSpec } from '../route/contract.js'
import type { ErrorFormat } from '../route/error-format.js'
import type { AnyRoute } from '../route/route.js'
import type { CheckedInput, RequiredServices, Routes } from '../route/route-types.js'
import type { OpenApiDocument } from '../route/document-types.js'
import type { AppMetrics } from '../observe/metrics.js'
import type { Finding } from '../check/findings.js'
import type { CommonOptions } from '../setup/options.js'

/** What `routes` may be: a record of classes, groups and sections, or an array of classes. */
export type RoutesOption = Routes | readonly AnyRoute[]

/** Services by name. */
export interface AdditionalServices {
  readonly [name: string]: unknown
}

/** The services that are asked for; without any the option can be left out. */
type ServicesOption<N> = {} extends N ? ExtraServices : NeededServices<N>

interface ExtraServices {
  /** Values by name, on `this` in every route. */
  readonly services?: AdditionalServices
}

interface NeededServices<N> {
  /** Values by name, on `this` in every route; `service(…)` makes one when the app starts. */
  readonly services: GivenServices<N> & AdditionalServices
}

/** Services as they are given: values, or what makes them. */
export type GivenServices<N> = { readonly [K in keyof N]: N[K] | Service<N[K]> }

/** The options of `createApp`. */
export type AppOptions<R, DocumentUses = {}, MetricsUses = {}, Format = unknown> = CommonOptions &
  Inferred<R, DocumentUses, MetricsUses, Format> &
  ServicesOption<NeededWith<R, DocumentUses, MetricsUses>>

/** What the types of routes and of guards decide. */
interface Inferred<R, DocumentUses, MetricsUses, Format> {
  /** A record of classes, groups and sections; its keys are the names of the routes. */
  readonly routes: R & CheckedInput<R>
  /** What guards the document; here for the services that the guards need. */
  readonly openapi?: { readonly uses?: DocumentUses } | false
  /** What guards the metrics. */
  readonly metrics?: { readonly uses?: MetricsUses } | string
  /** What error answers look like; problem details (RFC 9457) unless given. */
  readonly errorFormat?: ErrorFormat<Format>
}

/** Services of routes and guards; without guards those of the routes alone, so that errors of the compiler stay short. */
type NeededWith<R, D, M> = [keyof D | keyof M] extends [never]
  ? RequiredServices<R>
  : RequiredServices<R> & ServicesOf<WantOf<D> | WantOf<M>>

/** One endpoint of an app, as data. */
export interface EndpointDescription {
  /** Name of the route. */
  readonly route: string
  /** Name of the method of the class. */
  readonly verb: Verb
  /** Request method, upper case. */
  readonly method: string
  /** Path template, mount and prefix included. */
  readonly path: string
  /** Tags of groups, class and contract. */
  readonly tags: readonly string[]
  /** The versions that it answers, as its `@version` says it; `undefined` for all. */
  readonly version: string | undefined
  /** What its contract says, when it has one. */
  readonly contract: ContractSpec | undefined
  /** What it hands the connection over for, such as `websocket`; only where `upgrade` of `verbena/upgrade` made it. */
  readonly upgrade?: string
}

/** Which document is wanted. */
export interface DocumentOptions {
  /** Version of the API, as a client would ask for it. */
  readonly version?: string | undefined
}

/** An app: a set of routes that answers requests. */
export interface App<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  /** Name of the API. */
  readonly name: string
  /** Version of the API. */
  readonly version: string
  /** Its routes; a type only. */
  readonly '~routes'?: R
  /** The schema of its errors; a type only. */
  readonly '~format'?: Format
  /** A listener for a server of `node:http` that is your own; its limits and time-outs stay yours. */
  readonly handler: NodeListener
  /** The services by name; a SetupError `APP_STATE` is thrown as long as one is not made. */
  readonly services: S & AdditionalServices
  /**
   * Makes the services without listening, for jobs and seeds. `listen` and the first request do it otherwise.
   *
   * @throws SetupError `SERVICE_FAILED` when one cannot be made, `APP_STATE` when the app is closed
   */
  start(): Promise<void>
  /**
   * Makes the services, then opens a port.
   *
   * @param options where; a free port of 127.0.0.1 unless given
   * @returns where it listens
   * @throws SetupError `SERVICE_FAILED`, `LISTEN_FAILED` for an address that cannot be used, `APP_STATE` when it listens or is closed
   */
  listen(options?: ListenOptions): Promise<ListenResult>
  /**
   * Puts the app on a server of your own, with all limits and time-outs; `close` closes the server too.
   *
   * @param server of `node:http` or `node:https`, listening or not
   * @throws SetupError `APP_STATE` for another kind of server, or when the app has one or is closed
   */
  attach(server: Server): void
  /** Answers a request of the Fetch standard without a socket, in the same way. */
  fetch(request: Request): Promise<Response>
  /** Takes no new connection, finishes requests and tasks within `timeouts.close` ms, then services in reverse order within as long. */
  close(): Promise<void>
  /** The endpoints in the order of registration, as data that is not connected with the app. */
  routes(): EndpointDescription[]
  /** How often endpoints were called and how long that took, in ms: those with `@speed`, with the option `metrics` all of them. */
  metrics(): AppMetrics
  /**
   * The OpenAPI 3.1 document of the API; what is `hidden` is not in it.
   *
   * @param wanted which version of the API it shows; the one for requests that name none unless given
   * @throws SetupError `OPTION_INVALID` when that is no version
   */
  openapi(wanted?: DocumentOptions): OpenApiDocument
  /** Looks for what is probably not meant. */
  check(): Finding[]
}
