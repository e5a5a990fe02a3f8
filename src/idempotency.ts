/**
 * `verbena/idempotency`: requests that clients can safely retry.
 *
 * @module
 */

// # Idempotency
export { idempotency } from './features/idempotency/idempotency.js'
export type { IdempotencyOptions, IdempotencyStoreFor } from './features/idempotency/idempotency.js'
export { redisIdempotency } from './features/stores/redis/idempotency.js'
export type { RedisIdempotencyOptions } from './features/stores/redis/idempotency.js'
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
export type { RedisClient } from './features/stores/redis/commands.js'
