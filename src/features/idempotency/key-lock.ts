/** Lock of an idempotency key while its request is in progress: renews the lease, then stores the response or releases the key. */
import type { FullReply } from '../../context/reply.js'
import type { IdempotencyKeyLock, KeyedRequest } from '../../route/idempotency.js'
import { isResult, storeBody, writtenWithoutContent } from './stored-response.js'
import { withTimeout } from '../../values/with-timeout.js'
import { PATIENCE, type IdempotencyStore, type KeyClaim } from './store.js'

/** Time after which the claim of a crashed process expires, in ms. */
export const LEASE = 30_000
/** Time between renewals in ms. The claim survives two failed renewals. */
const RENEWAL = LEASE / 3

/** Settings for the key of a request. */
export interface ResponseKeeper extends Pick<KeyedRequest, 'app' | 'endpoint' | 'report'> {
  readonly store: IdempotencyStore
  /** Time for which the response is stored, in ms. */
  readonly ttl: number
}

export class KeyLock implements IdempotencyKeyLock {
  readonly #claim: KeyClaim
  readonly #keeping: ResponseKeeper
  readonly #renewal: NodeJS.Timeout
  /** Time after which the lease is not renewed, in ms since 1970. A method that never returns must not lock its key forever. */
  readonly #last: number
  /** Whether the method was called. */
  #isBegun: boolean = false
  /** Number of completions to wait for before the key is released: 1, or 2 after a timeout. */
  #ends: number = 1

  constructor(claim: KeyClaim, keeping: ResponseKeeper) {
    this.#claim = claim
    this.#keeping = keeping
    this.#last = Date.now() + keeping.ttl
    this.#renewal = setInterval(() => void this.#renew(), RENEWAL).unref()
  }

  begin(): void {
    this.#isBegun = true
  }

  holdAfterTimeout(): void {
    this.#ends = 2
  }

  settle(reply: FullReply, isWell: boolean): Promise<void> | undefined {
    // The method still runs after its timeout, and its result will be discarded.
    if (this.#ends > 1) return this.#endOne()
    this.#ends = 0
    return this.#isBegun && isWell && isResult(reply) ? this.#keep(reply) : this.#release()
  }

  release(): void {
    if (this.#ends > 0) void this.#endOne()
  }

  #endOne(): Promise<void> | undefined {
    this.#ends--
    return this.#ends > 0 ? undefined : this.#release()
  }

  async #release(): Promise<void> {
    const { store, report } = this.#keeping
    clearInterval(this.#renewal)
    try {
      await withTimeout(store.free(this.#claim), PATIENCE)
    } catch (error) {
      report('error', 'Failed to release an idempotency key; it expires with its lease', error)
    }
  }

  async #keep(reply: FullReply): Promise<void> {
    const { store, ttl, report } = this.#keeping
    clearInterval(this.#renewal)
    try {
      const answer = storeBody(reply)
      if (answer === null) reportTooLarge(this.#keeping)
      if (await withTimeout(store.keep(this.#claim, answer ?? writtenWithoutContent(reply), ttl), PATIENCE)) return
      report('warn', 'Response not stored: the lease expired and another request has locked the idempotency key')
    } catch (error) {
      report('error', 'Failed to store a response; its request can run again after the lease expires', error)
    }
  }

  async #renew(): Promise<void> {
    const { store, report } = this.#keeping
    if (Date.now() >= this.#last) return this.#release()
    try {
      await withTimeout(store.claim(this.#claim), PATIENCE)
    } catch (error) {
      report('warn', 'Failed to renew the lease of an idempotency key', error)
    }
  }
}

/** Endpoints that have logged the warning, by app. */
const reported = new WeakMap<object, Set<string>>()
const TOO_LARGE =
  'Response not stored: it is larger than 1 MB. Its idempotency key stays completed, so a retry gets 409'

/** Logs one warning per endpoint. */
function reportTooLarge({ app, endpoint, report }: ResponseKeeper): void {
  const endpoints = reported.get(app) ?? new Set()
  if (endpoints.has(endpoint)) return
  reported.set(app, endpoints.add(endpoint))
  report('warn', TOO_LARGE)
}
