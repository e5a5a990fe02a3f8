/** `cacheControl`: the value of the header field of that name (RFC 9111 section 5.2.2). */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptionValues, rule, type Rule, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'

startStackAtCaller(cacheControl)

/** What caches may do with an answer. Times are in ms, and sent in whole seconds. */
export interface CacheControlOptions {
  /** Any cache may keep it, also where the request had credentials. */
  readonly public?: boolean
  /** Only the cache of the client may keep it. */
  readonly private?: boolean
  /** No cache may keep it. */
  readonly noStore?: boolean
  /** Caches may keep it, and ask before each use whether it is still the same. */
  readonly noCache?: boolean
  /** For how long it is fresh, in ms. */
  readonly maxAge?: number
  /** For how long it is fresh in shared caches, in ms. */
  readonly sharedMaxAge?: number
  /** For how long it may be used while a cache asks for a new one, in ms (RFC 5861). */
  readonly staleWhileRevalidate?: number
  /** For how long it may be used when the server cannot be reached, in ms (RFC 5861). */
  readonly staleIfError?: number
  /** What is no longer fresh is never used without asking. */
  readonly mustRevalidate?: boolean
  /** The same for shared caches alone. */
  readonly proxyRevalidate?: boolean
  /** It never changes while it is fresh, so browsers do not ask when a page is reloaded (RFC 8246). */
  readonly immutable?: boolean
  /** Nobody may compress or convert it on the way. */
  readonly noTransform?: boolean
}

export const SWITCH: Rule = rule(
  (value) => typeof value === 'boolean',
  'it is neither true nor false. Give one of them',
)
export const TIME: Rule = rule(
  (value) => Number.isFinite(value) && Number(value) >= 0,
  'it is no time. Give a number of ms from 0 up',
)

const RULES: Readonly<Record<keyof CacheControlOptions, Rules[string]>> = {
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
 * Writes the value of `Cache-Control` (RFC 9111 section 5.2.2).
 *
 * @param options what caches may do; times in ms, cut to whole seconds
 * @returns the value for the header field
 * @throws SetupError `OPTION_INVALID` for an unknown option, a value that cannot be used, and `public` beside `private`
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
  checkOptionValues(options, RULES, (name) => `the option "${name}" of cacheControl()`)
  if (options.public === true && options.private === true) {
    throw new SetupError(
      'OPTION_INVALID',
      'Cannot use "public" of cacheControl(): it stands beside "private". Leave one out',
    )
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
