/**
 * The log of services. With the built-in logger, its lines contain the id of the request that is running.
 *
 * @see docs/decisions/0043-request-ids-of-services.md
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createLogger, readFields, type Logger } from '../observe/logger.js'
import type { Call } from '../request/call.js'
import { runSteps } from '../request/pipeline.js'

export class ServiceLog {
  /** Starts a request in its async context. `undefined` until a service reads the log, because the context makes each `await` slower. */
  start: ((call: Call) => void) | undefined = undefined
  readonly #logger: Logger
  readonly #isBuiltIn: boolean
  #log: Logger | null = null

  constructor(logger: Logger, isBuiltIn: boolean) {
    this.#logger = logger
    this.#isBuiltIn = isBuiltIn
  }

  /** Returns the log for the `create` function of a service. */
  read(): Logger {
    return (this.#log ??= this.#isBuiltIn ? this.#trackRequests() : this.#logger)
  }

  /** The context contains only the id, so that a connection that a request opens does not keep the request in memory. */
  #trackRequests(): Logger {
    const logger = this.#logger
    const ids = new AsyncLocalStorage<string>()
    this.start = (call) => ids.run(call.id, runSteps, call)
    return createLogger((level, fields, message) => {
      const requestId = ids.getStore()
      logger[level](requestId === undefined ? fields : { requestId, ...readFields(fields) }, message)
    })
  }
}
