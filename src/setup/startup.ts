/** Start of an app: creates its services, then passes them to its route classes. */
import type { AppServices, ServiceValues } from '../injection/services.js'

export type Completion = (services: ServiceValues) => void

export class Startup {
  readonly #services: AppServices
  readonly #completions: readonly Completion[]
  #warn: (() => void) | null
  isDone: boolean

  constructor(services: AppServices, completions: readonly Completion[], warn: (() => void) | null) {
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
