/** Where limits count: what a store is asked, and what it answers. */

/** One request, to be counted. */
export interface Charge {
  /** Whom it is counted for: the name of the limit, its window, and a digest of what `by` gave. */
  readonly key: string
  /** How much one may use in a window. */
  readonly limit: number
  /** ms. */
  readonly window: number
  /** How much the request uses. */
  readonly cost: number
}

/** What came of it. */
export interface ChargeResult {
  /** Whether it fitted. Only what fits is counted. */
  readonly allowed: boolean
  /** How much is left. */
  readonly remaining: number
  /** ms until there is more; 0 where nothing is used. */
  readonly reset: number
  /** ms until the request would fit; 0 where it did. */
  readonly retryAfter: number
}

/** Counts requests. All processes of an app share what a store outside of them holds. */
export interface LimitStore {
  /**
   * Counts a request if it fits: both in one step, so that no other request comes in between.
   *
   * @param charge the request
   * @returns what came of it, at once or later; rejected where the store cannot be reached
   */
  take(charge: Charge): ChargeResult | Promise<ChargeResult>
}
