/** Interface of idempotency for contracts. An app loads the implementation only if it uses `verbena/idempotency`. */
import type { FullReply } from '../context/reply.js'
import type { ProviderRecipe } from '../injection/provide.js'

/** Result of `idempotency`, for contracts. */
export interface Idempotency<Services extends object = {}, Required extends boolean = boolean> {
  /** Type of the services that it and the providers in `uses` require; not present at run time. */
  readonly '~services': (services: Services) => void
  /** Type: whether every request requires a key; not present at run time. */
  readonly '~required': Required
}

interface KeyedApp {
  readonly services: object
  readonly logger: { warn(fields: object, message: string): void }
}

export interface KeyedRequest {
  /** Value of the `Idempotency-Key` header. */
  readonly field: string | undefined
  /** Identifies the client, so that clients have separate keys. */
  readonly by: unknown
  /** The same object for all requests of the app. */
  readonly app: KeyedApp
  /** Identifies the endpoint, so that endpoints have separate keys. */
  readonly endpoint: string
  /** Values that must be equal in a retry, in addition to the body. */
  readonly head: readonly unknown[]
  /** Bytes of the body; `null` if the request has no body, or the endpoint does not read it. */
  readonly bytes: Uint8Array | null
  report(level: 'warn' | 'error', message: string, error?: unknown): void
}

/** The lock of a key while its request is in progress. */
export interface IdempotencyKeyLock {
  /** Called before the method. Replies created earlier, such as errors of guards, are not stored. */
  begin(): void
  /** Called if the method times out but keeps running. The key stays locked until the method ends and `settle` is called. */
  holdAfterTimeout(): void
  /**
   * Stores the reply, or releases the key if the reply must not be stored. Never throws, and its promise never rejects.
   *
   * @param reply reply of the endpoint, without the headers of middleware and guards
   * @param isWell whether the cleanup of all providers succeeded
   * @returns the reply to send instead, if another request with the key was completed first
   */
  settle(reply: FullReply, isWell: boolean): Promise<FullReply | void> | undefined
  /** Stores the reply in the transaction of the request. Rejects if that fails, or if another request with the key was completed first. */
  storeWithin(reply: FullReply, through: unknown): Promise<void>
  /** Releases the key at the end of the request, unless it is settled. */
  release(): void
}

export abstract class IdempotencyRecipe implements Idempotency<never, never> {
  declare readonly '~services': () => void
  declare readonly '~required': never
  /** Identifies the client. Runs after all other guards. */
  abstract readonly by: ProviderRecipe
  abstract readonly isRequired: boolean
  /** Time for which replies are stored, in ms. */
  abstract readonly ttl: number
  /** Provider of the transaction in which replies are stored; `null` if they are stored after the cleanup of all providers. */
  abstract readonly within: ProviderRecipe | null

  /**
   * Looks up the key of a request. Resolves to the stored reply, or to the lock of a new key.
   *
   * @returns `null` for a request without a key
   * @throws HttpError 400, 409, 422 or 503; either throws or rejects
   */
  abstract lookUp(request: KeyedRequest): Promise<FullReply | IdempotencyKeyLock> | null

  /** Returns the key in a header, without quotes; `undefined` without a valid one. */
  abstract readKey(field: string | undefined): string | undefined
}

export function isIdempotency(value: unknown): value is IdempotencyRecipe {
  return value instanceof IdempotencyRecipe
}
