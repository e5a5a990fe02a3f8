/** `verbena/idempotency`: requests that may be sent again, and are done once. */

// # Idempotency
export { idempotency } from './idempotency/idempotency.js'
export type { IdempotencyOptions } from './idempotency/idempotency.js'
export { redisIdempotency } from './idempotency/redis-store.js'
export type { RedisIdempotencyOptions } from './idempotency/redis-store.js'
export type { IdempotencyStore, KeyClaim, KeyState } from './idempotency/store.js'

// # Inferred types
export type { CompletedKey, IncompleteKey } from './idempotency/store.js'
export type { Idempotency } from './route/idempotency.js'
export type { RedisClient } from './stores/redis.js'
