/** Log lines about the start of a server, signals, and the end, in production. Elsewhere apps restart often. */
import { tryLog, type Logger } from '../observe/logger.js'
import { readMode } from '../values/mode.js'

export class LifecycleLog {
  readonly #logger: Logger
  readonly #version: string
  readonly #mode = readMode()
  #isStarted = false

  constructor(logger: Logger, version: string) {
    this.#logger = logger
    this.#version = version
  }

  started(address: string): void {
    this.#isStarted = true
    this.#write({ address, version: this.#version, mode: this.#mode }, 'App started')
  }

  /** @param isRepeated whether the signal ends the process immediately */
  signaled(signal: string, isRepeated: boolean): void {
    this.#write({ signal }, isRepeated ? 'Signal received again; exiting before the app is closed' : 'Signal received')
  }

  closed(): void {
    if (this.#isStarted) this.#write({}, 'App closed')
  }

  #write(fields: object, message: string): void {
    if (this.#mode === 'production') tryLog(this.#logger, 'info', fields, message)
  }
}
