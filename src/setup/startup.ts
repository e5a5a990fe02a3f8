/** Start of an app: creates its services, reads the settings of its providers, then passes the services to its route classes. */
import type { AppServices, ServiceValues, StartSettings } from '../injection/services.js'
import type { Logger } from '../observe/logger.js'
import { hasSilentService, listenForErrors } from './service-errors.js'

export type Completion = (services: ServiceValues) => void

interface StartupParts {
  readonly services: AppServices
  /** Settings that are functions of the services. */
  readonly settings: Iterable<StartSettings>
  readonly completions: readonly Completion[]
  /** Logs a warning before the first start; `null` without one. */
  readonly warn: (() => void) | null
  readonly logger: Logger
}

export class Startup {
  readonly #services: AppServices
  /** Settings that are not read yet. */
  readonly #settings: StartSettings[]
  readonly #completions: readonly Completion[]
  readonly #logger: Logger
  #warn: (() => void) | null
  #running: Promise<void> | null = null
  isDone: boolean
  /** The error of the last setting that was invalid. */
  settingError: unknown = null

  constructor({ services, settings, completions, warn, logger }: StartupParts) {
    this.#services = services
    this.#settings = [...settings]
    this.#completions = completions
    this.#warn = warn
    this.#logger = logger
    const isMade = services.isMade && !hasSilentService(services.values)
    this.isDone = isMade && this.#settings.length === 0 && warn === null
  }

  /** Concurrent calls wait for the same start. A failed start can be repeated. */
  run(): Promise<void> {
    return (this.#running ??= this.#start().finally(() => {
      this.#running = null
    }))
  }

  async #start(): Promise<void> {
    this.#warn?.()
    this.#warn = null
    await this.#services.start()
    listenForErrors(this.#services.values, this.#logger)
    await this.#readSettings()
    for (const complete of this.#completions) complete(this.#services.values)
    this.isDone = true
  }

  async #readSettings(): Promise<void> {
    try {
      for (let [next] = this.#settings; next !== undefined; [next] = this.#settings) {
        await next.read(this.#services)
        this.#settings.shift()
      }
    } catch (error) {
      this.settingError = error
      throw error
    }
  }
}
