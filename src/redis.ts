/**
 * `verbena/redis`: sessions, idempotency keys and rate limits in Redis.
 *
 * @module
 */

// # Stores in Redis
export { redisSessions } from './features/stores/redis/sessions.js'
export type { RedisSessionsOptions } from './features/stores/redis/sessions.js'
export { redisIdempotency } from './features/stores/redis/idempotency.js'
export type { RedisIdempotencyOptions } from './features/stores/redis/idempotency.js'
export { redisLimits } from './features/stores/redis/limits.js'
export type { RedisLimitsOptions } from './features/stores/redis/limits.js'
export type { RedisClient } from './features/stores/redis/commands.js'
