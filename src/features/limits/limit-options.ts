/** The options of a limit, and what they may be. */
import { ANYTHING, checkMembers, rule, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import type { ProviderInput, Uses } from '../../injection/provide.js'
import { hasMethods } from '../../values/objects.js'
import type { LimitKey } from './limit-key.js'
import type { LimitStore } from './store-types.js'

/** Reads something of a request: what providers get, with the values of `uses`, and the services. */
type Reads<U extends Uses, Services extends object, T> = (
  input: ProviderInput<{ readonly uses: U }>,
  services: Services,
) => T

/** A limit of requests. */
export interface RateLimitOptions<U extends Uses = {}, Services extends object = {}> {
  /**
   * Tells clients apart: a text or number, or several. Of addresses of version 6 the first 64 bits count. Nothing, such as an empty
   * text, is a 500.
   */
  readonly by: Reads<U, Services, LimitKey>
  /** How much a client may use in each window. */
  readonly limit: number | Reads<U, Services, number>
  /** ms. */
  readonly window: number
  /** How much a request uses; 1 unless given. */
  readonly cost?: number | Reads<U, Services, number>
  /** What it is called in `RateLimit`: printable ASCII; `5-in-60s` unless given. */
  readonly name?: string
  /** Where it counts; in this process's memory unless given. */
  readonly store?: LimitStore
  /** What becomes of requests while the store does not answer: refused with 503 (`'closed'`, the default), or let through (`'open'`). */
  readonly whenDown?: 'closed' | 'open'
  /** Providers whose values `by`, `limit` and `cost` get by name. */
  readonly uses?: U
}

/** What a number in `RateLimit` may be (RFC 9651 section 3.3.1). */
export function isAmount(value: unknown, least: number = 0): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) < 1e15
}

const RULES: Rules = {
  by: rule((value) => typeof value === 'function', '"by" is no function. Write "by: ({ request }) => request.ip"'),
  limit: rule(
    (value) => typeof value === 'function' || isAmount(value, 1),
    '"limit" is neither a whole number from 1 up nor a function. Write "limit: 100"',
  ),
  window: rule((value) => isAmount(value, 1), '"window" is no whole number of ms from 1 up. Write "window: 60_000"'),
  cost: rule(
    (value) => typeof value === 'function' || isAmount(value),
    '"cost" is neither a whole number from 0 up nor a function. Write "cost: 1"',
  ),
  name: rule(
    (value) => typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(value),
    '"name" is no text of 1 to 64 printable ASCII characters without quotes and backslashes. Write "name: \'sign-in\'"',
  ),
  store: rule(
    (value) => hasMethods(value, ['take']),
    '"store" has no method "take". Write "store: redisLimits(client)"',
  ),
  whenDown: rule(
    (value) => value === 'open' || value === 'closed',
    `"whenDown" is neither 'open' nor 'closed'. Write one of them`,
  ),
  uses: ANYTHING,
}

export function checkLimitOptions(options: object): void {
  checkMembers(options, RULES, limitOptionError)
  const missing = ['by', 'limit', 'window'].find((name) => Reflect.get(options, name) === undefined)
  if (missing !== undefined) throw limitOptionError(`"${missing}" is missing. Write "{ by, limit, window }"`)
  const { limit, cost }: { limit?: unknown; cost?: unknown } = options
  if (typeof limit !== 'number' || typeof cost !== 'number' || cost <= limit) return
  throw limitOptionError(`"cost" is more than "limit", so that no request would fit. Give less than ${limit + 1}`)
}

export function limitOptionError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a rate limit: ${why}`)
}
