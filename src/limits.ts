/**
 * `verbena/limits`: rate limits.
 *
 * @module
 */

// # Rate limits
export { rateLimit } from './features/limits/rate-limit.js'
export type { LimitKey, LimitKeyPart } from './features/limits/limit-key.js'
export type { RateLimitOptions } from './features/limits/options.js'
export type { RateLimitState } from './features/limits/rate-limit.js'
export { memoryLimits } from './features/stores/memory/limits.js'
export type { MemoryLimitsOptions } from './features/stores/memory/limits.js'
export type { Charge, ChargeResult, LimitStore } from './features/stores/limit-store.js'

// # Inferred types
export type { Setting } from './injection/services.js'

// # Deprecated
export {
  /** @deprecated Import it from `verbena/redis`. */
  redisLimits,
} from './features/stores/redis/limits.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisLimitsOptions,
} from './features/stores/redis/limits.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisClient,
} from './features/stores/redis/commands.js'
