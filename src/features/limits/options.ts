/** Options of `rateLimit`, and their validation. */
import { ANYTHING, checkMembers, rule, type Rules } from '../../errors/known-keys.js'
import { functionRule } from '../../errors/option-rules.js'
import { SetupError } from '../../errors/setup-error.js'
import type { ProviderInput, Uses } from '../../injection/provide.js'
import type { Setting } from '../../injection/services.js'
import { hasMethods } from '../../values/objects.js'
import { settingRules } from '../stores/service-settings.js'
import type { LimitKey } from './limit-key.js'
import type { LimitStore } from './store-types.js'

/** Computes a value for a request from the provider input, with the values of `uses`, and the services. */
type LimitReader<U extends Uses, Services extends object, T> = (
  input: ProviderInput<{ readonly uses: U }>,
  services: Services,
) => T

/** Options of `rateLimit`. Each function has its own type of services, because TypeScript would infer a common type from only one. */
export interface RateLimitOptions<
  U extends Uses = {},
  ByServices extends object = {},
  LimitServices extends object = {},
  CostServices extends object = {},
  StoreServices extends object = {},
> {
  /**
   * Identifies the client: a string, a number, or an array of both. An IPv6 address counts by its first 64 bits. A missing or empty key
   * is a 500.
   */
  readonly by: LimitReader<U, ByServices, LimitKey>
  /** Number of requests that a client may send in each window, or the sum of their `cost`. */
  readonly limit: number | LimitReader<U, LimitServices, number>
  /** Length of the sliding window in ms. */
  readonly window: number
  /** Share of the limit that a request uses; default 1. A request with cost 0 is not counted. */
  readonly cost?: number | LimitReader<U, CostServices, number>
  /** Name in the `RateLimit` header: 1 to 64 printable ASCII characters without quotes or backslashes; by default such as `5-in-60s`. */
  readonly name?: string
  /**
   * Store that counts the requests, or a function of the services that returns it; default: a separate `memoryLimits()`, with a
   * warning in the log in production. The function may be async, and each app calls it once when it starts.
   */
  readonly store?: Setting<LimitStore, StoreServices>
  /** Treatment of requests while the store is unavailable: `'closed'` (default) responds with 503, `'open'` accepts them. */
  readonly whenDown?: 'closed' | 'open'
  /** Providers whose values `by`, `limit` and `cost` receive by name. */
  readonly uses?: U
}

/** Whether a value is an integer that `RateLimit` can contain: up to 15 digits (RFC 9651 section 3.3.1). */
export function isAmount(value: unknown, least: number = 0): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) < 1e15
}

export const LIMIT_SETTINGS: Rules = {
  store: rule(
    (value) => hasMethods(value, ['take']),
    '"store" must have a method "take". Write "store: redisLimits(client)"',
  ),
}

const RULES: Rules = {
  by: functionRule('by', '({ request }) => request.ip'),
  limit: rule(
    (value) => typeof value === 'function' || isAmount(value, 1),
    '"limit" must be a positive integer below 1e15, or a function. Write "limit: 100"',
  ),
  window: rule((value) => isAmount(value, 1), '"window" must be a positive integer of ms. Write "window: 60_000"'),
  cost: rule(
    (value) => typeof value === 'function' || isAmount(value),
    '"cost" must be a non-negative integer, or a function. Write "cost: 1"',
  ),
  name: rule(
    (value) => typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(value),
    '"name" must be 1 to 64 printable ASCII characters without quotes or backslashes. Write "name: \'sign-in\'"',
  ),
  ...settingRules(LIMIT_SETTINGS),
  whenDown: rule((value) => value === 'open' || value === 'closed', `"whenDown" must be 'open' or 'closed'`),
  uses: ANYTHING,
}

export function checkLimitOptions(options: object): void {
  checkMembers(options, RULES, limitOptionError)
  const missing = ['by', 'limit', 'window'].find((name) => Reflect.get(options, name) === undefined)
  if (missing !== undefined) throw limitOptionError(`"${missing}" is missing. Write "{ by, limit, window }"`)
  const { limit, cost }: { limit?: unknown; cost?: unknown } = options
  if (typeof limit !== 'number' || typeof cost !== 'number' || cost <= limit) return
  throw limitOptionError(`"cost" is greater than "limit", so every request would be rejected. Use ${limit} or less`)
}

export function limitOptionError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot create a rate limit: ${why}`)
}
