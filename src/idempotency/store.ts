/** Where keys and answers are kept: what a store does, and the one in this process's memory. */
import { ExpiringMap } from '../stores/expiring-map.js'
import type { Patience } from '../stores/in-time.js'

/** A request that claims a key. */
export interface KeyClaim {
  /** The key with its endpoint and its client, as a digest: letters, digits, `-` and `_`. */
  readonly key: string
  /** Who claims it, unique for each request. */
  readonly owner: string
  /** A digest of the request. */
  readonly request: string
  /** How long the claim holds unless it is made again, in ms. */
  readonly lease: number
}

/** A key without an answer. */
export interface OpenKey {
  /** This claim holds; or another one does, for the same request; or the key is that of another request, with an answer or without. */
  readonly state: 'claimed' | 'in work' | 'other request'
}

/** A key with an answer. */
export interface AnsweredKey {
  /** The request was answered before. */
  readonly state: 'answered'
  /** The text that was kept. */
  readonly answer: string
}

/** What a claim has found. */
export type KeyState = OpenKey | AnsweredKey

/** Keeps keys and answers. Each method does its work in one step, whatever other processes do meanwhile. */
export interface IdempotencyStore {
  /**
   * Claims a key. A claim of the same owner renews the lease.
   *
   * @param claim the key, who claims it, and for which request
   * @returns `'claimed'` where nobody held the key, or this owner did. For another request always `'other request'`
   */
  claim(claim: KeyClaim): Promise<KeyState>
  /**
   * Keeps the answer of a claim, unless another owner has the key now.
   *
   * @param claim as it was made
   * @param answer a text
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

/** Answers that this process keeps. */
const MOST = 10_000

/** Keeps all in this process. A claim needs no lease here: it cannot outlive its process, and its owner lets go of it in time. */
export class MemoryStore implements IdempotencyStore {
  readonly #claims = new Map<string, KeyClaim>()
  readonly #answers = new ExpiringMap<{ readonly request: string; readonly answer: string }>(MOST)

  async claim(claim: KeyClaim): Promise<KeyState> {
    const { key, owner, request } = claim
    const [claimed, answered] = [this.#claims.get(key), this.#answers.get(key)]
    const known = claimed ?? answered
    if (known !== undefined && known.request !== request) return { state: 'other request' }
    if (claimed !== undefined) return { state: claimed.owner === owner ? 'claimed' : 'in work' }
    if (answered !== undefined) return { state: 'answered', answer: answered.answer }
    this.#claims.set(key, claim)
    return { state: 'claimed' }
  }

  async keep({ key, request, owner }: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    if (this.#claims.get(key)?.owner !== owner) return false
    this.#claims.delete(key)
    this.#answers.set(key, { request, answer }, Date.now() + ttl)
    return true
  }

  async free({ key, owner }: KeyClaim): Promise<void> {
    if (this.#claims.get(key)?.owner === owner) this.#claims.delete(key)
  }
}

/** ms that a store may take for an answer. */
const LONGEST = 2000

export const PATIENCE: Patience = {
  ms: LONGEST,
  error: () => new Error(`Cannot reach the store of idempotency keys: it has not answered for ${LONGEST} ms`),
}
