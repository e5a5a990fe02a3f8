/** A key while its request is in work: the lease that is renewed, and what becomes of the key at the end. */
import type { FullReply } from '../../context/reply.js'
import type { IdempotencyKeyLock, KeyedRequest } from '../../route/idempotency.js'
import { isResult, storeBody, writtenWithoutContent } from './stored-response.js'
import { withTimeout } from '../../values/with-timeout.js'
import { PATIENCE, type IdempotencyStore, type KeyClaim } from './store.js'

/** How long a claim holds once its process has died, in ms. */
export const LEASE = 30_000
/** ms between renewals: two may fail. */
const RENEWAL = LEASE / 3

/** How the key of a request is kept. */
export interface Keeping extends Pick<KeyedRequest, 'app' | 'endpoint' | 'report'> {
  readonly store: IdempotencyStore
  /** How long the answer is kept, in ms. */
  readonly ttl: number
}

export class KeyLock implements IdempotencyKeyLock {
  readonly #claim: KeyClaim
  readonly #keeping: Keeping
  readonly #renewal: NodeJS.Timeout
  /** When no lease is renewed any more: a method that never ends does not hold its key for good. */
  readonly #last: number
  /** Whether the method was called. */
  #isBegun: boolean = false
  /** What has to end before the key is free. */
  #ends: number = 1

  constructor(claim: KeyClaim, keeping: Keeping) {
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
    // Its work goes on: what that gives comes too late.
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
      report('error', 'An idempotency key could not be freed: it is when its lease is over', error)
    }
  }

  async #keep(reply: FullReply): Promise<void> {
    const { store, ttl, report } = this.#keeping
    clearInterval(this.#renewal)
    try {
      const answer = storeBody(reply)
      if (answer === null) reportTooLarge(this.#keeping)
      if (await withTimeout(store.keep(this.#claim, answer ?? writtenWithoutContent(reply), ttl), PATIENCE)) return
      report('warn', 'An answer was not kept: its lease was over, and another request has its idempotency key')
    } catch (error) {
      report('error', 'An answer was not kept: when its lease is over, its request can be done again', error)
    }
  }

  async #renew(): Promise<void> {
    const { store, report } = this.#keeping
    if (Date.now() >= this.#last) return this.#release()
    try {
      await withTimeout(store.claim(this.#claim), PATIENCE)
    } catch (error) {
      report('warn', 'The lease of an idempotency key could not be renewed', error)
    }
  }
}

/** Endpoints whose warning is logged, by app. */
const reported = new WeakMap<object, Set<string>>()
const TOO_LARGE =
  'Response not stored: it is larger than 1 MB. Its idempotency key stays completed, so a retry gets 409'

/** Logs one warning for each endpoint. */
function reportTooLarge({ app, endpoint, report }: Keeping): void {
  const endpoints = reported.get(app) ?? new Set()
  if (endpoints.has(endpoint)) return
  reported.set(app, endpoints.add(endpoint))
  report('warn', TOO_LARGE)
}
