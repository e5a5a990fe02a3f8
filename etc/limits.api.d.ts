import { Setting, LimitStore, ServicesOf, WantOf } from './core.js'
import { Uses, ProviderInput, Provider } from './index.js'
export { Charge, ChargeResult, RedisClient, RedisLimitsOptions, redisLimits } from './core.js'
type LimitKeyPart = string | number | bigint
type LimitKey = LimitKeyPart | readonly LimitKeyPart[]
type LimitReader<U extends Uses, Services extends object, T> = (
  input: ProviderInput<{
    readonly uses: U
  }>,
  services: Services,
) => T
interface RateLimitOptions<
  U extends Uses = {},
  ByServices extends object = {},
  LimitServices extends object = {},
  CostServices extends object = {},
  StoreServices extends object = {},
> {
  readonly by: LimitReader<U, ByServices, LimitKey>
  readonly limit: number | LimitReader<U, LimitServices, number>
  readonly window: number
  readonly cost?: number | LimitReader<U, CostServices, number>
  readonly name?: string
  readonly store?: Setting<LimitStore, StoreServices>
  readonly whenDown?: 'closed' | 'open'
  readonly uses?: U
}
interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}
declare function rateLimit<
  U extends Uses = {},
  ByServices extends object = {},
  LimitServices extends object = {},
  CostServices extends object = {},
  StoreServices extends object = {},
>(
  options: RateLimitOptions<U, ByServices, LimitServices, CostServices, StoreServices>,
): Provider<RateLimitState, ByServices & LimitServices & CostServices & StoreServices & ServicesOf<WantOf<U>>>
interface MemoryLimitsOptions {
  readonly keys?: number
}
declare function memoryLimits(options?: MemoryLimitsOptions): LimitStore
export { LimitStore, Setting, memoryLimits, rateLimit }
export type { LimitKey, LimitKeyPart, MemoryLimitsOptions, RateLimitOptions, RateLimitState }
