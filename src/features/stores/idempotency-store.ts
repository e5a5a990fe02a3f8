/** Interface of the stores for idempotency keys. */
import type { UnknownRecord } from '../../values/objects.js'

/** A request that claims a key. */
export interface KeyClaim {
  /** Digest of the key, its endpoint and its client, in base64url. */
  readonly key: string
  /**
   * Digest of the result of `by`. Stores with a maximum size need it, so that a client that sends many keys only loses its own
   * responses.
   */
  readonly client: string
  /** Id of the claim, unique for each request. */
  readonly owner: string
  /** Digest of the request, to detect a different request with the same key. */
  readonly request: string
  /** Time after which the claim expires unless it is renewed, in ms. */
  readonly lease: number
}

/** A key without a response that may be replayed. */
export interface IncompleteKey {
  /**
   * `'claimed'`: this claim has locked the key. `'in-progress'`: a different claim for the same request has locked it. `'mismatch'`: the
   * key belongs to a different request, completed or not.
   */
  readonly state: 'claimed' | 'in-progress' | 'mismatch'
  /** Remaining time of the lease of a claim that is in progress, in ms, for `Retry-After`. Default: one second. */
  readonly left?: number
}

/** A key with a stored response. */
export interface CompletedKey {
  /** The request was completed before. */
  readonly state: 'completed'
  /** The string that was passed to `complete`. */
  readonly response: string
}

/** Result of a claim. */
export type KeyState = IncompleteKey | CompletedKey

/** Returns the state of a key with a stored response, from the row of a database. */
export function readStoredState(row: UnknownRecord, request: string): KeyState {
  if (row['request'] !== request) return { state: 'mismatch' }
  return { state: 'completed', response: String(row['answer']) }
}

/** Stores keys and responses. Each method must be atomic, also across processes. */
export interface IdempotencyStore {
  /**
   * Claims a key. A claim of the same owner renews the lease.
   *
   * @param claim key, owner and request
   * @returns the state of the key after the claim; always `'mismatch'` for a different request
   */
  claim(claim: KeyClaim): Promise<KeyState>
  /**
   * Completes a key: stores the response of a claim, unless a different owner has locked the key since.
   *
   * @param claim the claim that was passed to `claim`
   * @param response a string of at most 1 MB in UTF-8
   * @param ttl time for which the response is stored, in ms
   * @returns whether the response was stored
   */
  complete(claim: KeyClaim, response: string, ttl: number): Promise<boolean>
  /**
   * Releases a key without a response, if this owner has locked it.
   *
   * @param claim the claim that was passed to `claim`
   */
  release(claim: KeyClaim): Promise<void>
}

/**
 * Store for idempotency keys that can also store a response in a transaction of the app, for the option `within`. A key can have one stored
 * response, even if several requests run at the same time, so that a second one cannot be committed.
 */
export interface IdempotencyStoreWithin<Through> extends IdempotencyStore {
  /**
   * Completes a key in a transaction of the app: stores the response of a claim. The response must stay if the claim is released.
   *
   * @param claim the claim that was passed to `claim`
   * @param response a string of at most 1 MB in UTF-8
   * @param ttl time for which the response is stored, in ms
   * @param through value of the provider `within`, such as a client that is inside of a transaction
   * @returns whether the response was stored; `false` if the key has a response, or if a transaction that ran at the same time has stored
   * one. The request is then rolled back
   */
  readonly completeWithin: (
    claim: KeyClaim,
    response: string,
    ttl: number,
    through: Through,
  ) => Promise<boolean> | boolean
}
