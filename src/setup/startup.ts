/** Start of an app: creates its services, then passes them to its route classes. */
import type { ServiceStore, ServiceValues } from '../injection/service-store.js'

export type Completion = (services: ServiceValues) => void

export class Startup {
  readonly #services: ServiceStore
  readonly #completions: readonly Completion[]
  #warn: (() => void) | null
  isDone: boolean

  constructor(services: ServiceStore, completions: readonly Completion[], warn: (() => void) | null) {
    this.#services = services
    this.#completions = completions
    this.#warn = warn
    this.isDone = services.isMade && warn === null
  }

  async run(): Promise<void> {
    this.#warn?.()
    this.#warn = null
    await this.#services.start()
    for (const complete of this.#completions) complete(this.#services.values)
    this.isDone = true
  }
}
