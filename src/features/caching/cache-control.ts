/** `cacheControl`: builds the value of the `Cache-Control` header (RFC 9111 section 5.2.2). */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptions, optionError, rule, SWITCH, type Rule, type Rules } from '../../errors/options.js'

startStackAtCaller(cacheControl)

/** Options of `cacheControl`, one for each directive. Times are in ms, and are sent in whole seconds, rounded down. */
export interface CacheControlOptions {
  /** Any cache may store the response, even if the request had credentials. */
  readonly public?: boolean
  /** Only the cache of the client may store the response. */
  readonly private?: boolean
  /** No cache may store the response. */
  readonly noStore?: boolean
  /** Caches may store the response, but must revalidate it before each use. */
  readonly noCache?: boolean
  /** Time for which the response is fresh, in ms. */
  readonly maxAge?: number
  /** Time for which the response is fresh in shared caches, in ms; overrides `maxAge` there. */
  readonly sharedMaxAge?: number
  /** Time for which a cache may use a stale response while it revalidates it, in ms (RFC 5861). */
  readonly staleWhileRevalidate?: number
  /** Time for which a cache may use a stale response if the server fails or is unreachable, in ms (RFC 5861). */
  readonly staleIfError?: number
  /** Caches must never use a stale response without revalidating it. */
  readonly mustRevalidate?: boolean
  /** Like `mustRevalidate`, but only for shared caches. */
  readonly proxyRevalidate?: boolean
  /** The response never changes while it is fresh, so browsers do not revalidate it when the page is reloaded (RFC 8246). */
  readonly immutable?: boolean
  /** Proxies must not compress or convert the response. */
  readonly noTransform?: boolean
}

/** Rule for a duration, which is rounded down to whole seconds. */
export const TIME: Rule = rule(
  (value) => Number.isFinite(value) && Number(value) >= 0,
  'be a number of ms, 0 or greater',
  '60_000',
)

const RULES: Rules<CacheControlOptions> = {
  public: SWITCH,
  private: SWITCH,
  noStore: SWITCH,
  noCache: SWITCH,
  maxAge: TIME,
  sharedMaxAge: TIME,
  staleWhileRevalidate: TIME,
  staleIfError: TIME,
  mustRevalidate: SWITCH,
  proxyRevalidate: SWITCH,
  immutable: SWITCH,
  noTransform: SWITCH,
}

/**
 * Returns a value for the `Cache-Control` header (RFC 9111 section 5.2.2).
 *
 * @param options directives; times in ms, rounded down to whole seconds
 * @returns the value of the header; empty without directives
 * @throws SetupError `OPTION_INVALID` for an unknown option, an invalid value, or `public` together with `private`
 *
 * @example
 * ```ts
 * import { cacheControl } from 'verbena'
 *
 * cacheControl({ private: true, maxAge: 60_000 }) // => 'private, max-age=60'
 * cacheControl({ noStore: true }) // => 'no-store'
 * ```
 */
export function cacheControl(options: CacheControlOptions): string {
  checkOptions(options, RULES, 'cacheControl()')
  if (options.public === true && options.private === true) {
    throw optionError('cacheControl()', 'public', 'it conflicts with "private". Remove one of them')
  }
  const directives = Object.keys(RULES).flatMap((name) => directive(name, Reflect.get(options, name)))
  return directives.join(', ')
}

function directive(name: string, value: unknown): string[] {
  const directiveName =
    name === 'sharedMaxAge' ? 's-maxage' : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (typeof value === 'number') return [`${directiveName}=${Math.floor(value / 1000)}`]
  return value === true ? [directiveName] : []
}
