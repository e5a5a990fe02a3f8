/** Interface of the stores for idempotency keys. */
import type { StoreTimeout } from '../../values/with-timeout.js'

/** A request that claims a key. */
export interface KeyClaim {
  /** The key with its endpoint and its client, as a digest: letters, digits, `-` and `_`. */
  readonly key: string
  /**
   * The client, as a digest of what `by` returned. Stores with a maximum size need it: a client that sends many keys should only lose its
   * own.
   */
  readonly client: string
  /** Who claims it, unique for each request. */
  readonly owner: string
  /** A digest of the request. */
  readonly request: string
  /** How long the claim holds unless it is made again, in ms. */
  readonly lease: number
}

/** A key without an answer. */
export interface IncompleteKey {
  /** This claim holds; or another one does, for the same request; or the key is that of another request, with an answer or without. */
  readonly state: 'claimed' | 'in-progress' | 'mismatch'
}

/** A key with an answer. */
export interface CompletedKey {
  /** The request was answered before. */
  readonly state: 'completed'
  /** The text that was kept. */
  readonly answer: string
}

/** What a claim has found. */
export type KeyState = IncompleteKey | CompletedKey

/** Keeps keys and answers. Each method does its work in one step, whatever other processes do meanwhile. */
export interface IdempotencyStore {
  /**
   * Claims a key. A claim of the same owner renews the lease.
   *
   * @param claim the key, who claims it, and for which request
   * @returns `'claimed'` where nobody held the key, or this owner did. For another request always `'mismatch'`
   */
  claim(claim: KeyClaim): Promise<KeyState>
  /**
   * Keeps the answer of a claim, unless another owner has the key now.
   *
   * @param claim as it was made
   * @param answer a string of at most 1 MB in UTF-8
   * @param ttl how long the answer is kept, in ms
   * @returns whether it was kept
   */
  keep(claim: KeyClaim, answer: string, ttl: number): Promise<boolean>
  /**
   * Lets go of a key, where this owner holds it.
   *
   * @param claim as it was made
   */
  free(claim: KeyClaim): Promise<void>
}

/** ms that a store may take for an answer. */
const MAX_WAIT = 2000

export const PATIENCE: StoreTimeout = {
  ms: MAX_WAIT,
  error: () => new Error(`Cannot reach the store of idempotency keys: it has not answered for ${MAX_WAIT} ms`),
}
