/** A store that may be out of reach. The log says once that it is, and once that it is back; requests do not queue up before it. */
import { tried, type Logger } from '../logging/logger.js'
import { isThenable } from '../values/objects.js'
import type { Charge, Charged, LimitStore } from './store-types.js'

/** How long a request waits for a store, in ms. */
const PATIENCE = 1000

export class WatchedStore {
  readonly #store: LimitStore
  /** Which limit it is, and what becomes of requests, for the log. */
  readonly #fields: Readonly<Record<string, string>>
  #isDown = false
  /** How many requests wait for it. */
  #waiting = 0

  constructor(store: LimitStore, fields: Readonly<Record<string, string>>) {
    this.#store = store
    this.#fields = fields
  }

  /** `null` where the store does not answer. While it is down, one request at a time finds out whether it is back. */
  take(charge: Charge, log: Logger): Charged | null | Promise<Charged | null> {
    if (this.#isDown && this.#waiting > 0) return null
    const charged = this.#store.take(charge)
    return isThenable(charged) ? this.#wait(charged, log) : charged
  }

  #wait(charged: PromiseLike<Charged>, log: Logger): Promise<Charged | null> {
    this.#waiting++
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#isAway(new Error(`There was no answer within ${PATIENCE} ms`), log)
        resolve(null)
      }, PATIENCE)
      const settle = (answer: Charged | null): void => {
        clearTimeout(timer)
        this.#waiting--
        resolve(answer)
      }
      const fail = (error: unknown): void => {
        this.#isAway(error, log)
        settle(null)
      }
      const succeed = (answer: Charged): void => {
        this.#isBack(log)
        settle(answer)
      }
      charged.then(succeed, fail)
    })
  }

  #isAway(err: unknown, log: Logger): void {
    if (this.#isDown) return
    this.#isDown = true
    tried(() => log.error({ ...this.#fields, err }, 'The store of a rate limit does not answer'))
  }

  #isBack(log: Logger): void {
    if (!this.#isDown) return
    this.#isDown = false
    tried(() => log.info(this.#fields, 'The store of a rate limit answers again'))
  }
}
