/** Creates the services of an app in their order, checks them, and closes them. */
import { SetupError } from '../errors/setup-error.js'
import { Creation, StartTimeout, type CreationLimits } from './creation.js'
import { servicesForProviders, servicesForCreate } from './missing-services.js'
import { ServiceRecipe, type AppServices, type ServiceState, type ServiceValues } from '../injection/services.js'
import { noop } from '../values/noop.js'
import { isObject } from '../values/objects.js'
import { withTimeout } from '../values/with-timeout.js'

export interface ServiceStoreSettings extends CreationLimits {
  /** Names of services that another app closes. */
  readonly borrowed: ReadonlySet<string>
  /** Limit for `close`, in ms. */
  readonly closeTimeout: number
  readonly onUnclosed: (error: unknown, service: string) => void
  /** Returns the log of services. */
  readonly readLog: () => unknown
}

export class ServiceStore implements AppServices {
  /** Empty until the services are created. Requests wait until then. */
  forProviders: ServiceValues = {}
  readonly #declared: ServiceValues
  readonly #settings: ServiceStoreSettings
  /** Services to close: values by name, in order of creation. */
  readonly #open = new Map<string, unknown>()
  #values: ServiceValues | null = null
  #making: Promise<void> | null = null
  /** Checks that have not settled, by name. A probe does not start another one, which could hang as well. */
  readonly #checks = new Map<string, Promise<unknown>>()
  /** The service whose `create` is running. */
  #creating = ''
  #creation: Creation | null = null
  /** Whether `close` stopped waiting for a service that is still being created. */
  #isAbandoned = false

  constructor(declared: ServiceValues, settings: ServiceStoreSettings) {
    this.#declared = declared
    this.#settings = settings
    if (!Object.values(declared).some((value) => value instanceof ServiceRecipe)) this.#complete(declared)
    else
      for (const [name, value] of Object.entries(declared))
        if (!(value instanceof ServiceRecipe)) this.#open.set(name, value)
  }

  get isMade(): boolean {
    return this.#values !== null
  }

  get values(): ServiceValues {
    if (this.#values !== null) return this.#values
    throw new SetupError('APP_STATE', 'Cannot read the services: they are not created yet. Await "app.start()" first')
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
    const end = performance.now() + this.#settings.closeTimeout
    if (this.#making !== null) await this.#waitForStart(this.#making)
    await this.#closeNamed([...this.#open.keys()].toReversed(), end)
  }

  async #waitForStart(making: Promise<void>): Promise<void> {
    const name = this.#creating
    const ms = this.#settings.closeTimeout / (this.#open.size + 1)
    try {
      await withTimeout(making.catch(noop), { ms, error: () => hangError(name, 'its function is still running', ms) })
    } catch (error) {
      this.#isAbandoned = true
      // The process may end before the service is created.
      this.#creation?.unref()
      this.#settings.onUnclosed(error, name)
    }
  }

  check(ms: number): Promise<ServiceState[]> {
    const requestedServices = Object.entries(this.#declared).flatMap(([name, value]) => {
      const check = value instanceof ServiceRecipe ? value.options.check : undefined
      return check === undefined ? [] : [this.#stateOf(name, check, ms)]
    })
    return Promise.all(requestedServices)
  }

  async #stateOf(name: string, check: (value: unknown) => unknown, ms: number): Promise<ServiceState> {
    const values = this.#values
    if (values === null) return { name, isReady: false, error: undefined }
    try {
      const running = this.#checks.get(name) ?? this.#startCheck(name, () => check(values[name]))
      const isReady = await withTimeout(running, { ms, error: () => new Error(`Check still running after ${ms} ms`) })
      return { name, isReady: isReady !== false, error: undefined }
    } catch (error) {
      return { name, isReady: false, error }
    }
  }

  #startCheck(name: string, check: () => unknown): Promise<unknown> {
    const running = Promise.resolve(check()).finally(() => this.#checks.delete(name))
    this.#checks.set(name, running)
    return running
  }

  async #makeAll(): Promise<void> {
    const created = new Map<string, unknown>()
    for (const [name, service] of Object.entries(this.#declared)) {
      const value = service instanceof ServiceRecipe ? await this.#make(name, service, created) : service
      created.set(name, value)
    }
    this.#complete(Object.fromEntries(created))
  }

  async #make(name: string, recipe: ServiceRecipe, made: ReadonlyMap<string, unknown>): Promise<unknown> {
    try {
      this.#creating = name
      const created = servicesForCreate(
        name,
        Object.fromEntries(made),
        Object.keys(this.#declared),
        this.#settings.readLog,
      )
      const onLate = (late: unknown): Promise<void> => this.#closeLate(name, late)
      this.#creation = new Creation(name, () => recipe.create(created), { ...this.#settings, onLate })
      const value = await this.#creation.value
      this.#open.set(name, value)
      if (this.#isAbandoned) throw new Error('the app was closed while it was starting')
      return value
    } catch (error) {
      const recipes = [...this.#open.keys()].filter((opened) => this.#declared[opened] instanceof ServiceRecipe)
      await this.#closeNamed(recipes.toReversed(), performance.now() + this.#settings.closeTimeout)
      throw isMissingService(error) ? error : serviceError(name, error)
    }
  }

  /** Also sorts `#open` into the order of `services`. */
  #complete(values: ServiceValues): void {
    this.#values = Object.freeze({ ...values })
    this.forProviders = servicesForProviders(values)
    this.#open.clear()
    for (const [name, value] of Object.entries(values)) this.#open.set(name, value)
  }

  /** `end` is a time of `performance.now()`. */
  async #closeNamed(names: readonly string[], end: number): Promise<void> {
    const closings = this.#closingsOf(names)
    for (const [index, closing] of closings.entries()) {
      await this.#runClose(closing, Math.max(0, end - performance.now()) / (closings.length - index))
    }
  }

  async #closeLate(name: string, value: unknown): Promise<void> {
    for (const closing of this.#closingOf(name, value, new Set()))
      await this.#runClose(closing, this.#settings.closeTimeout)
  }

  /** Reports a close function that throws, or takes longer than `ms`. */
  async #runClose({ name, close }: Closing, ms: number): Promise<void> {
    try {
      await withTimeout(Promise.resolve(close()), {
        ms,
        error: () => hangError(name, 'its close function is still running', ms),
      })
    } catch (error) {
      this.#settings.onUnclosed(error, name)
    }
  }

  #closingsOf(names: readonly string[]): Closing[] {
    const disposed = new Set<unknown>()
    return names.flatMap((name) => {
      const value = this.#open.get(name)
      this.#open.delete(name)
      return this.#settings.borrowed.has(name) ? [] : this.#closingOf(name, value, disposed)
    })
  }

  /** Returns one closing, or none. The same value can have two names, so `disposed` has the values to skip. */
  #closingOf(name: string, value: unknown, disposed: Set<unknown>): Closing[] {
    const recipe = this.#declared[name]
    const close = recipe instanceof ServiceRecipe ? recipe.options.close : undefined
    if (close !== undefined) return [{ name, close: () => close(value) }]
    if (!isDisposable(value) || disposed.has(value)) return []
    disposed.add(value)
    return [{ name, close: () => value[Symbol.asyncDispose]() }]
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
function isMissingService(error: unknown): boolean {
  return error instanceof SetupError && error.code === 'SERVICE_MISSING'
}
function serviceError(name: string, error: unknown): SetupError {
  const what = `Cannot create the service "${name}"`
  if (error instanceof StartTimeout) return new SetupError('SERVICE_FAILED', `${what}: ${error.message}`)
  // An `AggregateError` has no message, for example if a connection failed on several addresses.
  const text =
    error instanceof Error ? `it failed with "${error.message || error.name}"` : 'it threw a value that is not an Error'
  return new SetupError('SERVICE_FAILED', `${what}: ${text}. See its "cause" for details`, { cause: error })
}
