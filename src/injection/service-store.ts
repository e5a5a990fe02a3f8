/** Services of an app. They are created in order when it starts, and closed in reverse order. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkMembers, rule, type Rule } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { noop } from '../values/ignore.js'
import { withTimeout } from '../values/with-timeout.js'
import { isObject } from '../values/objects.js'
import { servicesForCreate, servicesForProviders } from './missing-services.js'

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
 * @param create receives the services listed before this one, and fails if it reads another name; may be async
 * @param options `close` closes the service, `check` checks whether it is ready
 * @returns a value for `services`; routes and providers receive the result of `create`
 * @throws SetupError `SERVICE_INVALID`; when the app starts, `SERVICE_FAILED` or `SERVICE_MISSING`
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
  if (typeof make !== 'function')
    throw serviceSetupError('its first argument must be a function. Write "service(() => value)"')
  const settings: unknown = options
  if (!isObject(settings)) throw serviceSetupError('its options must be an object. Write "service(create, { close })"')
  checkMembers(settings, RULES, serviceSetupError)
  // Proof: the types of `createApp` require the services that `create` reads, and the options only receive the result of `create`.
  return new ServiceRecipe(create as ServiceRecipe['create'], options as ServiceOptions<unknown>)
}

const RULES = { close: functionRule('close'), check: functionRule('check') }

function functionRule(key: string): Rule {
  return rule((value) => typeof value === 'function', `"${key}" must be a function. Write "${key}: (value) => …"`)
}

function serviceSetupError(why: string): SetupError {
  return new SetupError('SERVICE_INVALID', `Cannot create a service: ${why}`)
}

export type ServiceValues = Readonly<Record<string, unknown>>

export interface ServiceState {
  readonly name: string
  readonly isReady: boolean
  readonly error: unknown
}

export class ServiceStore {
  readonly #given: ServiceValues
  readonly #borrowed: ReadonlySet<string>
  readonly #report: (error: unknown, service: string) => void
  /** Services to close: values by name, in order of creation. */
  readonly #open = new Map<string, unknown>()
  #values: ServiceValues | null = null
  #forProviders: ServiceValues | null = null
  #making: Promise<void> | null = null
  /** The service whose `create` is running. */
  #creating = ''
  /** Whether `close` stopped waiting for a service that is still being created. */
  #isAbandoned = false
  readonly #timeout: number

  /** @param timeout limit for `close`, in ms */
  constructor(
    given: ServiceValues,
    report: (error: unknown, service: string) => void,
    borrowed: ReadonlySet<string> = new Set(),
    timeout: number = 10_000,
  ) {
    this.#given = given
    this.#borrowed = borrowed
    this.#report = report
    this.#timeout = timeout
    if (!Object.values(given).some((value) => value instanceof ServiceRecipe)) this.#complete(given)
    else
      for (const [name, value] of Object.entries(given))
        if (!(value instanceof ServiceRecipe)) this.#open.set(name, value)
  }

  get isMade(): boolean {
    return this.#values !== null
  }

  get values(): ServiceValues {
    if (this.#values !== null) return this.#values
    throw new SetupError('APP_STATE', 'Cannot read the services: they are not created yet. Await "app.start()" first')
  }

  /** All services. Reading a missing name throws. */
  get forProviders(): ServiceValues {
    return (this.#forProviders ??= servicesForProviders(this.values))
  }

  /** Creates the services. Concurrent calls wait for the same creation. */
  async start(): Promise<void> {
    if (this.#values !== null) return
    this.#making ??= this.#makeAll().finally(() => {
      this.#making = null
    })
    await this.#making
  }

  /**
   * Closes services in reverse order, and reports services that throw or hang. Each may use an equal share of the remaining time, so a
   * service that hangs does not prevent others from closing. The app calls it once.
   */
  async close(): Promise<void> {
    const end = performance.now() + this.#timeout
    if (this.#making !== null) await this.#waitForStart(this.#making)
    await this.#closeNamed([...this.#open.keys()].toReversed(), end)
  }

  async #waitForStart(making: Promise<void>): Promise<void> {
    const name = this.#creating
    const ms = this.#timeout / (this.#open.size + 1)
    try {
      await withTimeout(making.catch(noop), { ms, error: () => hangError(name, 'its function is still running', ms) })
    } catch (error) {
      this.#isAbandoned = true
      this.#report(error, name)
    }
  }

  check(): Promise<ServiceState[]> {
    const requestedServices = Object.entries(this.#given).flatMap(([name, given]) => {
      const check = given instanceof ServiceRecipe ? given.options.check : undefined
      return check === undefined ? [] : [this.#stateOf(name, check)]
    })
    return Promise.all(requestedServices)
  }

  async #stateOf(name: string, check: (value: unknown) => unknown): Promise<ServiceState> {
    if (this.#values === null) return { name, isReady: false, error: undefined }
    try {
      return { name, isReady: (await check(this.#values[name])) !== false, error: undefined }
    } catch (error) {
      return { name, isReady: false, error }
    }
  }

  async #makeAll(): Promise<void> {
    const created = new Map<string, unknown>()
    for (const [name, given] of Object.entries(this.#given)) {
      const value = given instanceof ServiceRecipe ? await this.#make(name, given, created) : given
      created.set(name, value)
    }
    this.#complete(Object.fromEntries(created))
  }

  async #make(name: string, recipe: ServiceRecipe, made: ReadonlyMap<string, unknown>): Promise<unknown> {
    try {
      this.#creating = name
      const created = servicesForCreate(name, Object.fromEntries(made), Object.keys(this.#given))
      const value = await recipe.create(created)
      this.#open.set(name, value)
      if (this.#isAbandoned) throw new Error('the app was closed while it was starting')
      return value
    } catch (error) {
      const recipes = [...this.#open.keys()].filter((opened) => this.#given[opened] instanceof ServiceRecipe)
      await this.#closeNamed(recipes.toReversed(), performance.now() + this.#timeout)
      throw isMissing(error) ? error : serviceError(name, error)
    }
  }

  /** Also sorts `#open` into the order of `services`. */
  #complete(values: ServiceValues): void {
    this.#values = Object.freeze({ ...values })
    this.#open.clear()
    for (const [name, value] of Object.entries(values)) this.#open.set(name, value)
  }

  /** `end` is a time of `performance.now()`. */
  async #closeNamed(names: readonly string[], end: number): Promise<void> {
    const closings = this.#closingsOf(names)
    for (const [index, { name, close }] of closings.entries()) {
      const ms = Math.max(0, end - performance.now()) / (closings.length - index)
      try {
        await withTimeout(Promise.resolve(close()), {
          ms,
          error: () => hangError(name, 'its close function is still running', ms),
        })
      } catch (error) {
        this.#report(error, name)
      }
    }
  }

  #closingsOf(names: readonly string[]): Closing[] {
    const disposed = new Set<unknown>()
    return names.flatMap((name) => {
      const [value, given] = [this.#open.get(name), this.#given[name]]
      this.#open.delete(name)
      if (this.#borrowed.has(name)) return []
      const close = given instanceof ServiceRecipe ? given.options.close : undefined
      if (close !== undefined) return { name, close: () => close(value) }
      // The same value can have two names.
      if (!isDisposable(value) || disposed.has(value)) return []
      disposed.add(value)
      return { name, close: () => value[Symbol.asyncDispose]() }
    })
  }
}

interface Closing {
  readonly name: string
  readonly close: () => unknown
}

function hangError(name: string, state: string, ms: number): Error {
  return new Error(`Cannot wait for the service "${name}": ${state} after ${Math.round(ms)} ms. Raise "timeouts.close"`)
}

function isDisposable(value: unknown): value is AsyncDisposable {
  const mayHold = isObject(value) || typeof value === 'function'
  return mayHold && Symbol.asyncDispose in value && typeof value[Symbol.asyncDispose] === 'function'
}

function isMissing(error: unknown): boolean {
  return error instanceof SetupError && error.code === 'SERVICE_MISSING'
}

function serviceError(name: string, error: unknown): SetupError {
  // An `AggregateError` has no message, for example if a connection failed on several addresses.
  const text =
    error instanceof Error ? `it failed with "${error.message || error.name}"` : 'it threw a value that is not an Error'
  return new SetupError('SERVICE_FAILED', `Cannot create the service "${name}": ${text}. See its "cause" for details`, {
    cause: error,
  })
}
