/** `rateLimit`: a guard that counts requests, and refuses those beyond a limit. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import type { RequestContext } from '../../context/request-context.js'
import { frameworkError, reportedError, type HttpError } from '../../errors/http-error.js'
import {
  ProviderRecipe,
  type AnswerFields,
  type FrameworkErrors,
  type ErrorsSpec,
  type Provider,
  type ServicesOf,
  type Uses,
  type WantOf,
} from '../../injection/provide.js'
import type { ServiceValues } from '../../injection/service-store.js'
import type { Schema } from '../../validation/schema.js'
import { ignoreErrors } from '../../observe/logger.js'
import { isThenable } from '../../values/objects.js'
import { discardPromise, rejectedHook } from '../../values/promises.js'
import { digestKey } from './limit-key.js'
import { checkLimitOptions, limitOptionError, isAmount, type RateLimitOptions } from './limit-options.js'
import type { Charge, ChargeResult, LimitStore } from './store-types.js'
import { memoryLimits } from './memory-limits.js'
import { WatchedStore } from './guarded-store.js'

startStackAtCaller(rateLimit)

/** What a limit leaves to a client. */
export interface RateLimitState {
  /** How much a client may use in each window. */
  readonly limit: number
  /** How much is left, this request counted. */
  readonly remaining: number
  /** ms until there is more; 0 where nothing is used. */
  readonly reset: number
}

/** The limit as it is carried out: functions know nothing of the types of their author any more. */
interface RuntimeLimit {
  readonly name: string
  readonly window: number
  readonly by: (input: object, services: ServiceValues) => unknown
  readonly limit: unknown
  readonly cost: unknown
  readonly isOpen: boolean
  readonly store: WatchedStore
  /** What keys begin with. */
  readonly prefix: string
}

/**
 * Makes a guard that counts requests, in a sliding window: a client never gets more through in any window than its limit. One request too
 * many is refused with 429, before anything of the body is read. Answers have `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-11). One limit that several endpoints use counts for all of them together.
 *
 * @param options whom it counts for, how much is allowed, and where it counts; times in ms
 * @returns the provider, for `uses`; its value is what is left
 * @throws SetupError `PROVIDER_INVALID`
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
export function rateLimit<U extends Uses = {}, Services extends object = {}>(
  options: RateLimitOptions<U, Services>,
): Provider<RateLimitState, Services & ServicesOf<WantOf<U>>> {
  checkLimitOptions(options)
  const recipe: unknown = new RateLimitRecipe(options.uses, toRuntimeLimit(options), options.store !== undefined)
  // Proof: its resolving gives the state of a limit, and its functions need the services of the parameters.
  return recipe as Provider<RateLimitState, Services & ServicesOf<WantOf<U>>>
}

const OWN_FIELDS: AnswerFields = {
  RateLimit: {
    description: 'What is left: "r" units, and "t" seconds until there are more',
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
      description: 'Names of the limits that refuse it',
    },
  },
}

/** What stands in the problem of a refusal, for the document. Other problems of this status need not have it. */
const QUOTA_MEMBERS: Schema = {
  '~standard': {
    version: 1,
    vendor: 'verbena',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => MEMBERS, output: () => MEMBERS },
  },
}

class RateLimitRecipe extends ProviderRecipe {
  override readonly fields: AnswerFields = OWN_FIELDS
  override readonly frameworkErrors: FrameworkErrors

  constructor(uses: Uses | undefined, limit: RuntimeLimit, hasStore: boolean) {
    const errors: ErrorsSpec = { 429: QUOTA_MEMBERS }
    const needs = { guard: true, errors, ...(uses !== undefined && { uses }) } as const
    // Proof: providers get their input from the app, and all inputs are contexts.
    super(Object.freeze(needs), (input, services) => countRequest(limit, input as RequestContext, services))
    this.frameworkErrors = { always: hasStore && !limit.isOpen ? [503] : [], unsafe: [] }
  }
}

function countRequest(limit: RuntimeLimit, input: RequestContext, services: ServiceValues): unknown {
  const charge = buildCharge(limit, input, services)
  const charged = limit.store.take(charge, input.log)
  if (isThenable(charged)) return charged.then((answer) => applyLimit(limit, charge, answer, input))
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
    throw new TypeError(`Cannot use "${what}" of the rate limit "${name}": it is no whole number from 0 up`)
  }
  return { key: prefix + digest, limit: amount(limit, 'limit'), window, cost: amount(cost, 'cost') }
}

/** The request fails for the promise; what that rejects with is only logged. */
function reportStoreError({ log }: RequestContext, limit: string, hook: string): (err: unknown) => void {
  return (err) => ignoreErrors(() => log.error({ limit, err }, rejectedHook(`"${hook}" of rateLimit(…)`)))
}

function asyncError(hook: string, name: string): TypeError {
  const state = `"${hook}" of the rate limit "${name}" returned a promise`
  return new TypeError(`Cannot count a request: ${state}. Await its value in a provider of "uses"`)
}

/** Nobody gets through because there is nothing to tell them apart by. */
function missingKeyError(given: unknown, name: string): TypeError {
  const why =
    'the address of the client is not known in "app.fetch", and behind a proxy that "trustProxy" names but that names no client'
  const state = `"by" of the rate limit "${name}" gave nothing to tell clients apart by (${formatLimitKey(given)})`
  return new TypeError(`Cannot count a request: ${state}; ${why}. Give a text that is not empty, a number, or several`)
}

function formatLimitKey(given: unknown): string {
  if (given === '') return 'an empty text'
  return Array.isArray(given) ? `a list: ${given.map(formatLimitKey).join(', ')}` : typeof given
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
    throw reportedError(503, 'Requests cannot be counted right now')
  }
  const { allowed, remaining, reset } = charged
  response.append('ratelimit-policy', `"${name}";q=${maximum};w=${seconds(window)}`)
  response.append('ratelimit', `"${name}";r=${remaining};t=${seconds(reset)}`)
  if (allowed) return { limit: maximum, remaining, reset }
  throw tooMany(limit, charge, charged)
}

/** A kind of problem of the same draft. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded'

function tooMany({ name, window }: RuntimeLimit, { limit, cost }: Charge, { retryAfter }: ChargeResult): HttpError {
  const wait = Math.max(1, seconds(retryAfter))
  const why =
    cost > limit
      ? `This request counts as ${cost}, and no more than ${limit} are allowed in ${seconds(window)} s`
      : `No more than ${limit} are allowed in ${seconds(window)} s. Try again in ${wait} s`
  return frameworkError(429, why, {
    type: QUOTA_EXCEEDED,
    'violated-policies': [name],
    headers: { 'retry-after': String(wait) },
  })
}

/** Rounded up: nobody is told to come back too early. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

/** Names that limits have in a store that several of them share. */
const taken = new WeakMap<LimitStore, Set<string>>()

function toRuntimeLimit<U extends Uses, Services extends object>(options: RateLimitOptions<U, Services>): RuntimeLimit {
  const { by, limit, window, cost = 1, whenDown = 'closed' } = options
  const name = options.name ?? `${typeof limit === 'number' ? limit : 'some'}-in-${seconds(window)}s`
  const prefix = `${name}:${window}:`
  const store = options.store ?? memoryLimits()
  const prefixes = taken.get(store) ?? new Set()
  if (prefixes.has(prefix)) {
    throw limitOptionError(
      `another one is called "${name}" in the same store, and would count the same. Give one of them a "name"`,
    )
  }
  taken.set(store, prefixes.add(prefix))
  return {
    name,
    window,
    // Proof: the app gives what the types of the author say.
    by: by as unknown as RuntimeLimit['by'],
    limit,
    cost,
    isOpen: whenDown === 'open',
    store: new WatchedStore(store, { limit: name, whenDown }),
    prefix,
  }
}
