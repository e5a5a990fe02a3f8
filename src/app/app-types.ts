/** The public types of an app. */
import type { Verb } from '../http/methods.js'
import type { ListenOptions, Listening, NodeListener, Server } from '../http/server.js'
import type { ContractSpec } from '../route/contract-types.js'
import type { AnyRoute } from '../route/route.js'
import type { Checked, Needed, Routes } from '../route/routes-types.js'
import type { Finding } from './findings.js'
import type { CommonOptions } from './options.js'

/** What `routes` may be: a record of classes, groups and sections, or an array of classes. */
export type RoutesOption = Routes | readonly AnyRoute[]

/** Services by name. */
export interface Extra {
  readonly [name: string]: unknown
}

/** The services that are asked for; without any the option can be left out. */
export type ServicesOption<N> = {} extends N ? ExtraServices : NeededServices<N>

/** Services that no route asks for. */
export interface ExtraServices {
  /** Values by name, on `this` in every route. */
  readonly services?: Extra
}

/** Services that routes ask for. */
export interface NeededServices<N> {
  /** Values by name, on `this` in every route. */
  readonly services: N & Extra
}

/** The options of `createApp`. */
export type AppOptions<R> = CommonOptions & RoutesGiven<R> & ServicesOption<Needed<R>>

/** The routes of an app. */
export interface RoutesGiven<R> {
  /** A record of classes, groups and sections; its keys are the names of the routes. */
  readonly routes: R & Checked<R>
}

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
  /** What its contract says, when it has one. */
  readonly contract: ContractSpec | undefined
}

/** An app: a set of routes that answers requests. */
export interface App<R = unknown> extends AsyncDisposable {
  /** Name of the API. */
  readonly name: string
  /** Version of the API. */
  readonly version: string
  /** Its routes; a type only. */
  readonly '~routes'?: R
  /** A listener for a server of `node:http` that is your own; its limits and time-outs stay yours. */
  readonly handler: NodeListener
  /**
   * Opens a port.
   *
   * @param options where; a free port of 127.0.0.1 unless given
   * @returns where it came to listen
   * @throws SetupError `LISTEN_FAILED` when the address cannot be used, `APP_STATE` when it listens already or is closed
   */
  listen(options?: ListenOptions): Promise<Listening>
  /**
   * Puts the app on a server of your own, with all limits and time-outs; `close` closes the server too.
   *
   * @param server of `node:http` or `node:https`, listening or not
   * @throws SetupError `APP_STATE` for another kind of server, or when the app has one or is closed
   */
  attach(server: Server): void
  /**
   * Answers a web request without a socket, in the same way.
   *
   * @param request a request of the Fetch standard
   * @returns its response
   */
  fetch(request: Request): Promise<Response>
  /**
   * Closes: takes no new connection, finishes what is in hand and the tasks after it, up to `timeouts.close`.
   *
   * @returns when all is done
   */
  close(): Promise<void>
  /**
   * The endpoints in the order of registration.
   *
   * @returns data, not connected with the app
   */
  routes(): EndpointDescription[]
  /**
   * Looks for what is probably not meant.
   *
   * @returns the findings; none is the best
   */
  check(): Finding[]
}
