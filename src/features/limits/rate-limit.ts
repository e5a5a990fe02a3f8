/** `rateLimit`: a guard that counts requests and rejects them above a limit. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { optionError } from '../../errors/options.js'
import { BaseContext, type RequestContext } from '../../context/request-context.js'
import { frameworkError, reportedError, type HttpError } from '../../errors/http-error.js'
import {
  ProviderRecipe,
  type ResponseFields,
  type FrameworkErrors,
  type ErrorsSpec,
  type Provider,
  type ServicesOf,
  type Uses,
  type WantOf,
} from '../../injection/provide.js'
import type { ServiceValues, StartSettings } from '../../injection/services.js'
import type { Schema } from '../../validation/schema.js'
import { ignoreErrors } from '../../observe/logger.js'
import { readMode } from '../../values/mode.js'
import { isThenable } from '../../values/objects.js'
import { discardPromise, rejectedHook } from '../../values/promises.js'
import { buildSettings, type ProviderSettings } from '../stores/service-settings.js'
import { digestKey } from './limit-key.js'
import { checkLimitOptions, LIMIT_SETTINGS, isAmount, type RateLimitOptions } from './options.js'
import type { Charge, ChargeResult, LimitStore } from '../stores/limit-store.js'
import { memoryLimits } from '../stores/memory/limits.js'
import { WatchedStore } from './watched-store.js'

startStackAtCaller(rateLimit)

/** Value of a `rateLimit` provider. */
export interface RateLimitState {
  /** Limit of the client in each window. */
  readonly limit: number
  /** Remaining part of the limit, after this request. */
  readonly remaining: number
  /** Time in ms until more of the limit is available; 0 if the full limit is available. */
  readonly reset: number
}

/** Validated options, without the types of the app's functions. */
interface LimitFacts {
  readonly name: string
  readonly window: number
  readonly by: (input: object, services: ServiceValues) => unknown
  readonly limit: unknown
  readonly cost: unknown
  readonly isOpen: boolean
  /** Whether the app has set a store. */
  readonly hasStore: boolean
  /** Prefix of keys in the store. */
  readonly prefix: string
}

/** A limit with its store. */
interface RuntimeLimit extends LimitFacts {
  readonly store: WatchedStore
}

/**
 * Creates a guard that counts requests in a sliding window. No window ever contains more requests of a client than its limit allows. A
 * request above the limit is rejected with 429 before its body is read. Responses have the headers `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11). Endpoints that use the same provider share one count.
 *
 * @param options client key, limit, window and store; times in ms
 * @returns the provider, for `uses`; its value is a `RateLimitState`
 * @throws SetupError `OPTION_INVALID`; also in `createApp`, if two limits with a store have the same name and window, and when the app
 *   starts, for the result of a function `store`
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { rateLimit } from 'verbena/limits'
 *
 * const searches = rateLimit({ by: ({ request }) => request.headers['x-client'] ?? 'all others', limit: 1, window: 60_000 })
 *
 * class Search extends Route {
 *   static readonly get = this.contract({ uses: { searches } })
 *   async get() {
 *     return []
 *   }
 * }
 * const app = createApp({ routes: { Search } })
 * const first = await app.fetch(new Request('http://localhost/search'))
 * first.headers.get('ratelimit-policy') // => '"1-in-60s";q=1;w=60'
 * const second = await app.fetch(new Request('http://localhost/search'))
 * second.status // => 429
 * ```
 */
export function rateLimit<
  U extends Uses = {},
  ByServices extends object = {},
  LimitServices extends object = {},
  CostServices extends object = {},
  StoreServices extends object = {},
>(
  options: RateLimitOptions<U, ByServices, LimitServices, CostServices, StoreServices>,
): Provider<RateLimitState, ByServices & LimitServices & CostServices & StoreServices & ServicesOf<WantOf<U>>> {
  checkLimitOptions(options)
  // Proof: the app passes the input and the services that the types of the functions require.
  const facts = readLimit(options as unknown as UntypedOptions)
  const checks = { rules: LIMIT_SETTINGS, owner: 'rateLimit()' }
  const limits = buildSettings({ store: options.store }, checks, ({ store = memoryLimits() }): RuntimeLimit => {
    const fields = { limit: facts.name, whenDown: facts.isOpen ? 'open' : 'closed' }
    const warning = !facts.hasStore && readMode() === 'production' ? IN_MEMORY : null
    // Proof: the rule has checked the store.
    return { ...facts, store: new WatchedStore(store as LimitStore, fields, warning) }
  })
  const recipe: unknown = new RateLimitRecipe(options.uses, facts, limits)
  // Proof: the provider returns a `RateLimitState`, and its functions require the services of the type parameters.
  return recipe as ReturnType<typeof rateLimit<U, ByServices, LimitServices, CostServices, StoreServices>>
}

const OWN_FIELDS: ResponseFields = {
  RateLimit: {
    description: 'Remaining units "r", and seconds "t" until there are more',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limits: "q" units in a window of "w" seconds',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds until the request may succeed',
    schema: { type: 'integer' },
    statuses: [429],
  },
}

const MEMBERS = {
  title: 'QuotaExceeded',
  type: 'object',
  properties: {
    'violated-policies': {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the exceeded limits',
    },
  },
}

/** Schema of the 429 problem for the OpenAPI document. It validates nothing, because other 429 problems may lack these members. */
const QUOTA_MEMBERS: Schema = {
  '~standard': {
    version: 1,
    vendor: 'verbena',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => MEMBERS, output: () => MEMBERS },
  },
}

class RateLimitRecipe extends ProviderRecipe {
  override readonly fields: ResponseFields = OWN_FIELDS
  override readonly frameworkErrors: FrameworkErrors
  override readonly settings: readonly StartSettings[]
  readonly #facts: LimitFacts

  constructor(uses: Uses | undefined, facts: LimitFacts, limits: ProviderSettings<RuntimeLimit>) {
    const errors: ErrorsSpec = { 429: QUOTA_MEMBERS }
    const needs = { guard: true, errors, ...(uses !== undefined && { uses }) } as const
    super(Object.freeze(needs), (requestParts, services) => {
      // Proof: the app calls providers, and passes a `RequestContext`.
      const input = requestParts as RequestContext
      return countRequest(limits.for(BaseContext.sourceOf(input).app), input, services)
    })
    this.frameworkErrors = { always: facts.hasStore && !facts.isOpen ? [503] : [], unsafe: [] }
    this.settings = limits.unread
    this.#facts = facts
  }

  /** Compares names and not stores, because two stores can share one Redis. */
  override checkBeside(other: ProviderRecipe): void {
    if (!(other instanceof RateLimitRecipe)) return
    const { name, prefix, hasStore } = this.#facts
    if (!hasStore || !other.#facts.hasStore || other.#facts.prefix !== prefix) return
    const why = `another limit of the app with a store has the name "${name}" and the same window, so they could share one count`
    throw optionError('rateLimit()', 'name', `${why}. Set a different "name"`)
  }
}

function countRequest(limit: RuntimeLimit, input: RequestContext, services: ServiceValues): unknown {
  const charge = buildCharge(limit, input, services)
  const charged = limit.store.take(charge, input.log)
  if (isThenable(charged)) return charged.then((result) => applyLimit(limit, charge, result, input))
  return applyLimit(limit, charge, charged, input)
}

function buildCharge(
  { name, by, limit, cost, window, prefix }: RuntimeLimit,
  input: RequestContext,
  services: ServiceValues,
): Charge {
  const key = by(input, services)
  const digest = digestKey(key)
  if (digest === null) {
    const promises = [key].flat().filter((part) => discardPromise(part, reportStoreError(input, name, 'by')))
    throw promises.length > 0 ? asyncError('by', name) : missingKeyError(key, name)
  }
  const amount = (of: unknown, what: string): number => {
    const value: unknown = typeof of === 'function' ? of(input, services) : of
    if (isAmount(value)) return value
    if (discardPromise(value, reportStoreError(input, name, what))) throw asyncError(what, name)
    throw new TypeError(`Cannot use "${what}" of the rate limit "${name}": it must be a non-negative integer`)
  }
  return { key: prefix + digest, limit: amount(limit, 'limit'), window, cost: amount(cost, 'cost') }
}

/** Returns a handler that logs the rejection of a promise. The request already fails because the hook returned a promise. */
function reportStoreError({ log }: RequestContext, limit: string, hook: string): (err: unknown) => void {
  return (err) => ignoreErrors(() => log.error({ limit, err }, rejectedHook(`"${hook}" of rateLimit(…)`)))
}

function asyncError(hook: string, name: string): TypeError {
  const state = `"${hook}" of the rate limit "${name}" returned a promise`
  return new TypeError(`Cannot count a request: ${state}. Await its value in a provider of "uses"`)
}

/** Error for a request without a client key. The request must fail, because it would not be counted. */
function missingKeyError(key: unknown, name: string): TypeError {
  const why = 'the client address is unknown in "app.fetch", and behind a proxy of "trustProxy" that does not send it'
  const state = `"by" of the rate limit "${name}" returned an invalid key (${formatLimitKey(key)})`
  return new TypeError(
    `Cannot count a request: ${state}; ${why}. Return a non-empty string, a number, or an array of both`,
  )
}

function formatLimitKey(key: unknown): string {
  if (key === '') return 'an empty string'
  return Array.isArray(key) ? `an array: ${key.map(formatLimitKey).join(', ')}` : typeof key
}

function applyLimit(
  limit: RuntimeLimit,
  charge: Charge,
  charged: ChargeResult | null,
  { response }: RequestContext,
): RateLimitState {
  const { name, window, isOpen } = limit
  const maximum = charge.limit
  if (charged === null) {
    if (isOpen) return { limit: maximum, remaining: maximum, reset: 0 }
    throw reportedError(503, 'The rate limit store is unavailable. Try again later')
  }
  const { allowed, remaining, reset } = charged
  response.append('ratelimit-policy', `"${name}";q=${maximum};w=${seconds(window)}`)
  response.append('ratelimit', `"${name}";r=${remaining};t=${seconds(reset)}`)
  if (allowed) return { limit: maximum, remaining, reset }
  throw tooMany(limit, charge, charged)
}

/** Problem type of the rate limit draft. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded'

function tooMany({ name, window }: RuntimeLimit, { limit, cost }: Charge, { retryAfter }: ChargeResult): HttpError {
  const wait = Math.max(1, seconds(retryAfter))
  const why =
    cost > limit
      ? `This request counts as ${cost}, which exceeds the limit of ${limit} in ${seconds(window)} s`
      : `This request exceeds the limit of ${limit} in ${seconds(window)} s. Try again in ${wait} s`
  return frameworkError(429, why, {
    type: QUOTA_EXCEEDED,
    'violated-policies': [name],
    headers: { 'retry-after': String(wait) },
  })
}

/** Converts ms to whole seconds, rounded up, so that a client does not retry too early. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

const IN_MEMORY =
  'Rate limit counted in memory: each process counts by itself. Set "store" of rateLimit(); for one process, memoryLimits()'

/** Options of `rateLimit` at run time. */
interface UntypedOptions extends Pick<LimitFacts, 'by' | 'limit' | 'window'> {
  readonly name?: string
  readonly cost?: unknown
  readonly store?: unknown
  readonly whenDown?: 'closed' | 'open'
}

function readLimit({ by, limit, window, cost = 1, store, whenDown, ...options }: UntypedOptions): LimitFacts {
  const name = options.name ?? `${typeof limit === 'number' ? limit : 'some'}-in-${seconds(window)}s`
  const [isOpen, hasStore] = [whenDown === 'open', store !== undefined]
  return { name, window, by, limit, cost, isOpen, hasStore, prefix: `${name}:${window}:` }
}
