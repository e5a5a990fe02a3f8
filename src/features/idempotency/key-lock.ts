/** Lock of an idempotency key while its request is in progress: renews the lease, then stores the response or releases the key. */
import type { FullReply } from '../../context/reply.js'
import type { IdempotencyKeyLock, KeyedRequest } from '../../route/idempotency.js'
import { isResult, readStoredReply, storeBody, formatOmitted } from './stored-response.js'
import { valueOr } from '../../values/value-or.js'
import { STORE_TIMES, withTimeout, type StoreTimeout } from '../../values/with-timeout.js'
import { keyError } from './key.js'
import type { IdempotencyStore, IdempotencyStoreWithin, KeyClaim } from '../stores/idempotency-store.js'

/** Renewals in the time of a lease. The claim survives two failed ones. */
const RENEWALS = 3

/** Timeout of each call to the store, except in a transaction of the app. */
export const PATIENCE: StoreTimeout = {
  ms: STORE_TIMES.keys,
  error: () => new Error(`Cannot reach the store of idempotency keys: it has not responded for ${STORE_TIMES.keys} ms`),
}

/** Settings for the key of a request. */
export interface ResponseStorage extends Pick<KeyedRequest, 'app' | 'endpoint' | 'report'> {
  readonly store: IdempotencyStore & Partial<IdempotencyStoreWithin<unknown>>
  /** Time for which the response is stored, in ms. */
  readonly ttl: number
}

export class KeyLock implements IdempotencyKeyLock {
  readonly #claim: KeyClaim
  readonly #storage: ResponseStorage
  readonly #renewal: NodeJS.Timeout
  /** Time after which the lease is not renewed, in ms since 1970. A method that never returns must not lock its key forever. */
  readonly #last: number
  /** Whether the method was called. */
  #isBegun: boolean = false
  /** Number of completions to wait for before the key is released: 1, or 2 after a timeout. */
  #ends: number = 1
  /** Whether the response is stored in the transaction of the request, or another request has stored one. */
  #within: 'stored' | 'not stored' | null = null

  constructor(claim: KeyClaim, storage: ResponseStorage) {
    this.#claim = claim
    this.#storage = storage
    this.#last = Date.now() + storage.ttl
    this.#renewal = setInterval(() => void this.#renew(), claim.lease / RENEWALS).unref()
  }

  begin(): void {
    this.#isBegun = true
  }

  holdAfterTimeout(): void {
    this.#ends = 2
  }

  /** Stops the renewal first, because a renewal must not wait for a transaction of the app. */
  async storeWithin(reply: FullReply, through: unknown): Promise<void> {
    const { store, ttl } = this.#storage
    if (store.completeWithin === undefined || !isResult(reply)) return
    clearInterval(this.#renewal)
    const isStored = await store.completeWithin(this.#claim, this.#serialize(reply), ttl, through)
    this.#within = isStored ? 'stored' : 'not stored'
    if (!isStored) throw keyError(409, OVERTAKEN, { 'retry-after': '1' })
  }

  settle(reply: FullReply, isWell: boolean): Promise<FullReply | void> | undefined {
    // The method still runs after its timeout, and its result will be discarded.
    if (this.#ends > 1) return this.#endOne()
    this.#ends = 0
    if (this.#within === 'stored') return this.#release()
    if (this.#within === 'not stored') return this.#findStored()
    return this.#isBegun && isWell && isResult(reply) ? this.#storeResponse(reply) : this.#release()
  }

  release(): void {
    if (this.#ends > 0) void this.#endOne()
  }

  #endOne(): Promise<void> | undefined {
    this.#ends--
    return this.#ends > 0 ? undefined : this.#release()
  }

  async #release(): Promise<void> {
    const { store, report } = this.#storage
    clearInterval(this.#renewal)
    try {
      await withTimeout(store.release(this.#claim), PATIENCE)
    } catch (error) {
      report('error', 'Failed to release an idempotency key; it expires with its lease', error)
    }
  }

  #serialize(reply: FullReply): string {
    const storedReply = storeBody(reply)
    if (storedReply === null) reportTooLarge(this.#storage)
    return storedReply ?? formatOmitted(reply)
  }

  /** Returns the response that another request with the key has stored, now that the transaction of this one is rolled back. */
  async #findStored(): Promise<FullReply | undefined> {
    const { store, report } = this.#storage
    let reply: FullReply | undefined
    try {
      const keyState = await withTimeout(store.claim(this.#claim), PATIENCE)
      // A response that was too large stays the 409 of this request.
      if (keyState.state === 'completed') reply = valueOr(() => readStoredReply(keyState.response), undefined)
    } catch (error) {
      report('warn', 'Failed to read the stored response of an idempotency key', error)
    }
    await this.#release()
    return reply
  }

  async #storeResponse(reply: FullReply): Promise<void> {
    const { store, ttl, report } = this.#storage
    clearInterval(this.#renewal)
    try {
      if (await withTimeout(store.complete(this.#claim, this.#serialize(reply), ttl), PATIENCE)) return
      report('warn', 'Response not stored: the lease expired and another request has locked the idempotency key')
    } catch (error) {
      report('error', 'Failed to store a response; its request can run again after the lease expires', error)
    }
  }

  async #renew(): Promise<void> {
    const { store, report } = this.#storage
    if (Date.now() >= this.#last) return this.#release()
    try {
      await withTimeout(store.claim(this.#claim), PATIENCE)
    } catch (error) {
      report('warn', 'Failed to renew the lease of an idempotency key', error)
    }
  }
}

const OVERTAKEN = 'Another request with this Idempotency-Key was completed first. Try again later'

/** Endpoints that have logged the warning, by app. */
const reported = new WeakMap<object, Set<string>>()
const TOO_LARGE =
  'Response not stored: it is larger than 1 MB. Its idempotency key stays completed, so a retry gets 409'

/** Logs one warning per endpoint. */
function reportTooLarge({ app, endpoint, report }: ResponseStorage): void {
  const endpoints = reported.get(app) ?? new Set()
  if (endpoints.has(endpoint)) return
  reported.set(app, endpoints.add(endpoint))
  report('warn', TOO_LARGE)
}
