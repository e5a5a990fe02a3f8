/** Wrapper for a rate limit store that may be unavailable. Logs each outage once, and its end once. Requests never queue for the store. */
import { ignoreErrors, type Logger } from '../../observe/logger.js'
import { isObject, isThenable } from '../../values/objects.js'
import { STORE_TIMES, storeTimeout, withTimeout } from '../../values/with-timeout.js'
import type { Charge, ChargeResult, LimitStore } from '../stores/limit-store.js'

/** Shorter than for other stores, because `whenDown` lets requests pass without this one. */
const PATIENCE = storeTimeout(STORE_TIMES.limits)

/** Time after which a request that waits no longer prevents the next one, in ms: a client can lose a request, which then never settles. */
const LOST = 10_000

export class WatchedStore {
  readonly #store: LimitStore
  /** Fields for log lines: the name of the limit, and `whenDown`. */
  readonly #fields: Readonly<Record<string, string>>
  /** Warning to log once; `null` after it is logged. */
  #warning: string | null
  #isDown = false
  /** Number of requests that wait for the store. */
  #waiting = 0
  /** Time until which they prevent another one, in ms since the start of the process. */
  #waitingUntil = 0

  constructor(store: LimitStore, fields: Readonly<Record<string, string>>, warning: string | null = null) {
    this.#store = store
    this.#fields = fields
    this.#warning = warning
  }

  /** Returns `null` if the store is unavailable. During an outage, one request at a time checks whether the store is available again. */
  take(charge: Charge, log: Logger): ChargeResult | null | Promise<ChargeResult | null> {
    if (this.#warning !== null) this.#warn(log, this.#warning)
    if (this.#isDown && this.#waiting > 0 && performance.now() < this.#waitingUntil) return null
    try {
      const charged: unknown = this.#store.take(charge)
      return isThenable(charged) ? this.#wait(charged, log) : this.#checked(charged, log)
    } catch (error) {
      this.#isAway(error, log)
      return null
    }
  }

  async #wait(charged: PromiseLike<unknown>, log: Logger): Promise<ChargeResult | null> {
    this.#waiting++
    this.#waitingUntil = performance.now() + LOST
    const settled = Promise.resolve(charged).finally(() => this.#waiting--)
    try {
      return this.#checked(await withTimeout(settled, PATIENCE, (late) => this.#checked(late, log)), log)
    } catch (error) {
      this.#isAway(error, log)
      return null
    }
  }

  /** Returns a valid result. Treats a malformed result as an outage. */
  #checked(result: unknown, log: Logger): ChargeResult | null {
    if (isChargeResult(result)) {
      this.#isBack(log)
      return result
    }
    this.#isAway(new TypeError(MALFORMED), log)
    return null
  }

  #warn(log: Logger, warning: string): void {
    this.#warning = null
    ignoreErrors(() => log.warn({ limit: this.#fields['limit'] }, warning))
  }

  #isAway(err: unknown, log: Logger): void {
    if (this.#isDown) return
    this.#isDown = true
    ignoreErrors(() => log.error({ ...this.#fields, err }, 'Rate limit store unavailable'))
  }

  #isBack(log: Logger): void {
    if (!this.#isDown) return
    this.#isDown = false
    ignoreErrors(() => log.info(this.#fields, 'Rate limit store available again'))
  }
}

const MALFORMED =
  'Cannot use the result of a rate limit store: "take" must return { allowed, remaining, reset, retryAfter }, a boolean and three numbers'

function isChargeResult(result: unknown): result is ChargeResult {
  if (!isObject(result) || typeof result['allowed'] !== 'boolean') return false
  return (
    Number.isFinite(result['remaining']) && Number.isFinite(result['reset']) && Number.isFinite(result['retryAfter'])
  )
}
