/** Services: values of the whole app, given or made when it starts. An app makes them in order, and closes them in reverse. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkMembers, rule, type Rule } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { noop } from '../values/ignore.js'
import { withTimeout } from '../values/with-timeout.js'
import { isObject } from '../values/objects.js'
import { servicesForCreate, servicesForProviders } from './missing-services.js'

startStackAtCaller(service)

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
 * @param create gets the services that stand before this one, and throws if it reads another name; may be async
 * @param options `close` ends it, `check` tells whether it is ready
 * @returns a value for `services`; routes and providers get what `create` gives
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
    throw serviceSetupError('its first argument is not a function. Write "service(() => value)"')
  const settings: unknown = options
  if (!isObject(settings)) throw serviceSetupError('its options are no record. Write "service(create, { close })"')
  checkMembers(settings, RULES, serviceSetupError)
  // Proof: `createApp` checks by type that the services it asks for stand there; what it takes is what it gives.
  return new ServiceRecipe(create as ServiceRecipe['create'], options as ServiceOptions<unknown>)
}

const RULES = { close: functionRule('close'), check: functionRule('check') }

function functionRule(key: string): Rule {
  return rule((value) => typeof value === 'function', `"${key}" is not a function. Write "${key}: (value) => …"`)
}

function serviceSetupError(why: string): SetupError {
  return new SetupError('SERVICE_INVALID', `Cannot make a service: ${why}`)
}

export type ServiceValues = Readonly<Record<string, unknown>>

export interface ServiceState {
  readonly name: string
  readonly isReady: boolean
  /** Why it is not, where something was thrown. */
  readonly error: unknown
}

export class ServiceStore {
  readonly #given: ServiceValues
  readonly #borrowed: ReadonlySet<string>
  readonly #report: (error: unknown, service: string) => void
  /** What is open, in the order in which it was made; a name leads to its value. */
  readonly #open = new Map<string, unknown>()
  #values: ServiceValues | null = null
  #forProviders: ServiceValues | null = null
  #making: Promise<void> | null = null
  /** The service whose `create` is running. */
  #creating = ''
  /** Whether `close` did not wait any longer for a service that is still being created. */
  #isAbandoned = false
  readonly #timeout: number

  /** `timeout` limits the time of `close`, in ms. */
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
    throw new SetupError('APP_STATE', 'Cannot read the services: they are not made yet. Await "app.start()" first')
  }

  /** All services; reading a name that is missing throws. */
  get forProviders(): ServiceValues {
    return (this.#forProviders ??= servicesForProviders(this.values))
  }

  /** Makes what is not made yet; all callers wait for the same. */
  async start(): Promise<void> {
    if (this.#values !== null) return
    this.#making ??= this.#makeAll().finally(() => {
      this.#making = null
    })
    await this.#making
  }

  /**
   * Closes services in reverse order, and reports those that throw or hang. Each gets the time that is left divided by the number of
   * services that are left, so that one that hangs does not keep the others open. The app calls it once.
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
      await withTimeout(making.catch(noop), { ms, error: () => hangError(name, 'its function is running', ms) })
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
      if (this.#isAbandoned) throw new Error('the app was closed before')
      return value
    } catch (error) {
      const recipes = [...this.#open.keys()].filter((opened) => this.#given[opened] instanceof ServiceRecipe)
      await this.#closeNamed(recipes.toReversed(), performance.now() + this.#timeout)
      throw isMissing(error) ? error : serviceError(name, error)
    }
  }

  /** From here on the order of what is open is that of `services`. */
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
          error: () => hangError(name, 'its close function is running', ms),
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
      // A value may have two names.
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
  // Several errors in one, as of a connection that was tried in several ways, have no message of their own.
  const text =
    error instanceof Error ? `it failed with "${error.message || error.name}"` : 'it threw something that is no error'
  return new SetupError('SERVICE_FAILED', `Cannot make the service "${name}": ${text}. Its "cause" says more`, {
    cause: error,
  })
}
