/** The start of an app: its services are made, then its classes get them. */
import type { ServiceStore, ServiceValues } from '../injection/service-store.js'

/** Takes the services once all are made. */
export type Completion = (services: ServiceValues) => void

export class Startup {
  readonly #services: ServiceStore
  readonly #completions: readonly Completion[]
  #warn: (() => void) | null
  /** Whether requests can be answered. */
  isDone: boolean

  constructor(services: ServiceStore, completions: readonly Completion[], warn: (() => void) | null) {
    this.#services = services
    this.#completions = completions
    this.#warn = warn
    this.isDone = services.isMade && warn === null
  }

  /** Makes the services and gives them to the classes. */
  async run(): Promise<void> {
    this.#warn?.()
    this.#warn = null
    await this.#services.start()
    for (const complete of this.#completions) complete(this.#services.values)
    this.isDone = true
  }
}
