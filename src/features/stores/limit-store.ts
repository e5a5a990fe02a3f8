/** Interface of the stores for rate limits. */

/** A request to count. */
export interface Charge {
  /** Key of the client: the name of the limit, its window, and a digest of the result of `by`. */
  readonly key: string
  /** Maximum sum of costs in a window. */
  readonly limit: number
  /** Length of the window in ms. */
  readonly window: number
  /** Cost of the request. */
  readonly cost: number
}

/** Result of counting a request. */
export interface ChargeResult {
  /** Whether the request is within the limit. Rejected requests are not counted. */
  readonly allowed: boolean
  /** Remaining part of the limit. */
  readonly remaining: number
  /** Time in ms until more of the limit is available; 0 if the full limit is available. */
  readonly reset: number
  /** Time in ms until the request would be allowed; 0 if it is allowed. */
  readonly retryAfter: number
}

/** Counts requests. A store outside the process, such as Redis, is shared by all processes of an app. */
export interface LimitStore {
  /**
   * Counts a request if it is within the limit. The check and the count must be one atomic step.
   *
   * @param charge the request to count
   * @returns the result, or a promise of it. Throws or rejects if the store is unavailable
   */
  take(charge: Charge): ChargeResult | Promise<ChargeResult>
}
