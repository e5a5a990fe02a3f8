/** Services of an app. They are created in order when it starts, and closed in reverse order. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkArgument, checkOptions, functionRule, type Rules } from '../errors/options.js'

startStackAtCaller(service)

/** A service that is created when the app starts. */
export interface Service<T> {
  /** Type of the created value; not present at run time. */
  readonly '~service': T
}

/** Options of `service`. */
export interface ServiceOptions<T> {
  /** Closes the service when the app closes. By default, its `[Symbol.asyncDispose]` is called, if it has one. */
  readonly close?: (value: T) => unknown
  /** Checks whether the service is ready. It is not ready if the function throws, rejects or returns `false`. */
  readonly check?: (value: T) => unknown
}

export class ServiceRecipe implements Service<never> {
  declare readonly '~service': never
  readonly create: (made: Readonly<Record<string, unknown>>) => unknown
  readonly options: ServiceOptions<unknown>

  constructor(create: ServiceRecipe['create'], options: ServiceOptions<unknown>) {
    this.create = create
    this.options = options
  }
}

/**
 * Defines a service that is created when the app starts: at `listen`, at `start`, or before the first request. Services are created one
 * after another, in the order of `services`, and closed in reverse order.
 *
 * @param create receives the services listed before this one and `log`, the logger of the app; reading another name throws; may be async
 * @param options `close` closes the service, `check` checks whether it is ready
 * @returns a value for `services`; routes and providers receive the result of `create`
 * @throws SetupError `OPTION_INVALID`; when the app starts, `SERVICE_FAILED`, also after `timeouts.start`, or `SERVICE_MISSING`
 *
 * @example
 * ```ts
 * import { createApp, Route, service } from 'verbena'
 *
 * class Home extends Route<{ greeting: string }> {
 *   async get() {
 *     return this.greeting
 *   }
 * }
 * const greeting = service(async () => 'hello')
 * await using app = createApp({ services: { greeting }, routes: { Home } })
 * const response = await app.fetch(new Request('http://localhost/home'))
 * await response.text() // => 'hello'
 * ```
 */
export function service<T, Made extends object = {}>(
  create: (made: Made) => T | Promise<T>,
  options: ServiceOptions<T> = {},
): Service<T> {
  checkArgument(create, functionRule('service(() => value)'), 'create', 'service()')
  checkOptions(options, RULES, 'service()')
  // Proof: the types of `createApp` require the services that `create` reads, and the options only receive the result of `create`.
  return new ServiceRecipe(create as ServiceRecipe['create'], options as ServiceOptions<unknown>)
}

const RULES: Rules<ServiceOptions<unknown>> = {
  close: functionRule('(value) => …'),
  check: functionRule('(value) => …'),
}

export type ServiceValues = Readonly<Record<string, unknown>>

/** A value, or a function of the services that returns it; the function may be async. */
export type Setting<T, Services extends object = {}> = T | ((services: Services) => T | Promise<T>)

/** Settings that are functions of the services. An app reads them at its start; an invalid value is a setup error. */
export interface StartSettings {
  read(services: AppServices): Promise<void>
}

export interface ServiceState {
  readonly name: string
  readonly isReady: boolean
  readonly error: unknown
}

/** The services of an app, from its start to its end. */
export interface AppServices {
  /** Whether they are created. */
  readonly isMade: boolean
  /** Throws before they are created. */
  readonly values: ServiceValues
  /** All services. Reading a missing name throws. */
  readonly forProviders: ServiceValues
  start(): Promise<void>
  close(): Promise<void>
  /** Runs the checks. A check that takes longer than `ms` counts as failed. */
  check(ms: number): Promise<ServiceState[]>
}
