/** Moves the inspector to the newest process. Two processes cannot use one port, so the earlier one closes it first. */
import type { AppProcess } from './app-process.js'

export class InspectorOwner {
  /** `null` without `--inspect`. */
  readonly #port: number | null
  #owner: AppProcess | null = null
  #next: AppProcess | null = null

  constructor(port: number | null) {
    this.#port = port
  }

  give(app: AppProcess): void {
    if (this.#port === null) return
    this.#next = app
    if (this.#owner === null) this.#open()
    else this.#owner.send({ verbena: 'close-inspector' })
  }

  closed(app: AppProcess): void {
    if (app === this.#owner) this.#open()
  }

  /** Gives the inspector of an ended process to another one. */
  ended(app: AppProcess, other: AppProcess | null): void {
    if (this.#next === app) this.#next = other
    if (this.#owner === app) this.#open()
    /* c8 ignore next -- the order in which two processes end */
    else if (this.#next === other && other !== null && other !== this.#owner) this.give(other)
  }

  #open(): void {
    this.#owner = this.#next
    if (this.#port !== null) this.#owner?.send({ verbena: 'inspect', port: this.#port })
  }
}
