/** Services: values of the whole app, given as they are or made when it starts. */
import { checkMembers, rule, type Rule } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isObject } from '../values/objects.js'

/** A service that is made when the app starts. */
export interface Service<T> {
  /** What it is once it is made; a type only. */
  readonly '~service': T
}

/** How a service ends, and how it is looked after. */
export interface ServiceOptions<T> {
  /** Closes it when the app closes; unless given, its `[Symbol.asyncDispose]` is called, where it has one. */
  readonly close?: (value: T) => unknown
  /** Tells whether it is ready to be used: it is not when this throws, rejects, or gives `false`. */
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
 * Makes a service when the app starts: at `listen`, at `start`, or before the first request. Services are made one after the
 * other, in the order of `services`, and closed in reverse.
 *
 * @param create gets the services that stand before this one; may be async
 * @param options `close` ends it, `check` tells whether it is ready
 * @returns a value for `services`; routes and providers get what `create` gives
 * @throws SetupError `SERVICE_INVALID`
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
  const make: unknown = create
  if (typeof make !== 'function') throw invalid('its first argument is not a function. Write "service(() => value)"')
  const settings: unknown = options
  if (!isObject(settings)) throw invalid('its options are no record. Write "service(create, { close })"')
  checkMembers(settings, RULES, invalid)
  // Proof: `createApp` checks by type that the services it asks for stand there; what it takes is what it gives.
  return new ServiceRecipe(create as ServiceRecipe['create'], options as ServiceOptions<unknown>)
}

const RULES = { close: functionRule('close'), check: functionRule('check') }

function functionRule(key: string): Rule {
  return rule((value) => typeof value === 'function', `"${key}" is not a function. Write "${key}: (value) => …"`)
}

function invalid(why: string): SetupError {
  return new SetupError('SERVICE_INVALID', `Cannot make a service: ${why}`)
}
