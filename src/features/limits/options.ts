/** Options of `rateLimit`, and their validation. */
import {
  anyRule,
  checkOptions,
  choiceRule,
  functionRule,
  optionError,
  mandatory,
  rule,
  textRule,
  type Rules,
} from '../../errors/options.js'
import type { ProviderInput, Uses } from '../../injection/provide.js'
import type { Setting } from '../../injection/services.js'
import { hasMethods } from '../../values/objects.js'
import { settingRules } from '../stores/service-settings.js'
import type { LimitKey } from './limit-key.js'
import type { LimitStore } from '../stores/limit-store.js'

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

export const LIMIT_SETTINGS: Rules<Pick<RateLimitOptions, 'store'>> = {
  store: rule((value) => hasMethods(value, ['take']), 'have a method "take"', 'redisLimits(client)'),
}

const RULES: Rules<RateLimitOptions> = {
  by: mandatory(functionRule('({ request }) => request.ip')),
  limit: mandatory(
    rule(
      (value) => typeof value === 'function' || isAmount(value, 1),
      'be a positive integer below 1e15, or a function',
      '100',
    ),
  ),
  window: mandatory(rule((value) => isAmount(value, 1), 'be a positive integer of ms', '60_000')),
  cost: rule(
    (value) => typeof value === 'function' || isAmount(value),
    'be a non-negative integer, or a function',
    '1',
  ),
  name: textRule(
    (text) => /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(text),
    'be 1 to 64 printable ASCII characters without quotes or backslashes',
    "'sign-in'",
  ),
  ...settingRules(LIMIT_SETTINGS),
  whenDown: choiceRule(['closed', 'open']),
  uses: anyRule('{ user }'),
}

export function checkLimitOptions(options: object): void {
  checkOptions(options, RULES, 'rateLimit()')
  const { limit, cost }: { limit?: unknown; cost?: unknown } = options
  if (typeof limit !== 'number' || typeof cost !== 'number' || cost <= limit) return
  const why = 'it is greater than "limit", so every request would be rejected'
  throw optionError('rateLimit()', 'cost', `${why}. Use ${limit} or less`)
}
