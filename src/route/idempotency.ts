/** Idempotency: what brings the code that keeps answers, for contracts; an app loads that code only when it uses it. */
import type { FullReply } from '../context/reply.js'
import type { ProviderRecipe } from '../injection/provide.js'

/** What `idempotency` makes, for contracts. */
export interface Idempotency<Services extends object = {}, Required extends boolean = boolean> {
  /** The services it needs, those of the providers it uses included; a type only. */
  readonly '~services': (services: Services) => void
  /** Whether each request needs a key; a type only. */
  readonly '~required': Required
}

/** An app whose requests have keys. */
interface KeyedApp {
  readonly logger: { warn(fields: object, message: string): void }
}

/** A request whose key is looked up. */
export interface KeyedRequest {
  /** What stands in `Idempotency-Key`. */
  readonly field: string | undefined
  /** What tells the keys of one client from those of another. */
  readonly by: unknown
  /** The app; the same object for all of its requests. */
  readonly app: KeyedApp
  /** The endpoint: each has keys of its own. */
  readonly endpoint: string
  /** What a request that repeats it has in common with it, beside the body. */
  readonly head: readonly unknown[]
  /** The body; `null` where the request has none, or the endpoint does not read it. */
  readonly bytes: Uint8Array | null
  /** Writes a line of the log. */
  report(level: 'warn' | 'error', message: string, error?: unknown): void
}

/** A key that a request holds while it is in work. */
export interface IdempotencyKeyLock {
  /** The method is called: what it answers is kept. */
  begin(): void
  /** The time of the method is over, and its work goes on: the key is held until both its end and `settle`. */
  holdAfterTimeout(): void
  /**
   * Keeps the answer, or frees the key if the answer must not be kept. Never throws, and its promise never rejects.
   *
   * @param reply of the endpoint, without what middleware and guards have set
   * @param isWell whether all providers have ended well
   */
  settle(reply: FullReply, isWell: boolean): Promise<void> | undefined
  /** The request has left its way: lets go of the key, unless that is settled. */
  release(): void
}

export abstract class IdempotencyRecipe implements Idempotency<never, never> {
  declare readonly '~services': () => void
  declare readonly '~required': never
  /** Runs behind all other guards, and gives what keys are told apart by. */
  abstract readonly by: ProviderRecipe
  abstract readonly isRequired: boolean
  /** How long answers are kept, in ms. */
  abstract readonly ttl: number

  /**
   * Looks the key of a request up: gives the answer that is known, or the key to be held.
   *
   * @returns `null` for a request without a key
   * @throws HttpError 400, 409, 422, 503; some of them by the promise
   */
  abstract lookUp(request: KeyedRequest): Promise<FullReply | IdempotencyKeyLock> | null
}

export function isIdempotency(value: unknown): value is IdempotencyRecipe {
  return value instanceof IdempotencyRecipe
}
