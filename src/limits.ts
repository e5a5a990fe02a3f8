/** `verbena/limits`: limits of requests. */

// # Rate limits
export { rateLimit } from './limits/rate-limit.js'
export type { LimitKey, LimitKeyPart } from './limits/limit-key.js'
export type { RateLimitOptions } from './limits/limit-options.js'
export type { RateLimitState } from './limits/rate-limit.js'
export { memoryLimits } from './limits/memory-limits.js'
export type { MemoryLimitsOptions } from './limits/memory-limits.js'
export { redisLimits } from './limits/redis-limits.js'
export type { RedisLimitsOptions } from './limits/redis-limits.js'
export type { RedisClient } from './stores/redis.js'
export type { Charge, ChargeResult, LimitStore } from './limits/store-types.js'
