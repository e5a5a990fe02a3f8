/**
 * `verbena/idempotency`: requests that clients can safely retry.
 *
 * @module
 */

// # Idempotency
export { idempotency } from './features/idempotency/idempotency.js'
export type { IdempotencyOptions, IdempotencyStoreFor } from './features/idempotency/idempotency.js'
export type {
  IdempotencyStore,
  IdempotencyStoreWithin,
  KeyClaim,
  KeyState,
} from './features/stores/idempotency-store.js'

// # Inferred types
export type { Setting } from './injection/services.js'
export type { CompletedKey, IncompleteKey } from './features/stores/idempotency-store.js'
export type { Idempotency } from './route/idempotency.js'

// # Deprecated
export {
  /** @deprecated Import it from `verbena/redis`. */
  redisIdempotency,
} from './features/stores/redis/idempotency.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisIdempotencyOptions,
} from './features/stores/redis/idempotency.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisClient,
} from './features/stores/redis/commands.js'
