/** `@deprecated`: announces the end of a verb method in headers and in the OpenAPI document. */
import { checkOptions, optionError, rule, textRule, type Rules } from '../errors/options.js'
import { decorator, MetaKey, type Decorator } from '../route/decorator.js'

/** Options of `@deprecated`. */
export interface DeprecatedOptions {
  /** Time of the deprecation, past or future: a `Date`, a day (`'2026-01-31'`, from 00:00 UTC), or a date and time with `Z` or offset. */
  readonly since?: Date | string
  /** Time from which the method responds 410, in the same formats. */
  readonly sunset?: Date | string
  /** Documentation for clients: a URL, or a path of this server. */
  readonly link?: string
}

interface Deprecation {
  readonly headers: Readonly<Record<string, string>>
  /** Time of the sunset in ms since 1970; `Infinity` if there is none. */
  readonly sunset: number
}

export const DEPRECATION: MetaKey<Deprecation> = new MetaKey('deprecated')

/**
 * Marks a verb method as deprecated. Its responses have the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` for the
 * options that you set. After the sunset it responds 410. `meta.deprecated` of the endpoint is true, and its operation in the OpenAPI
 * document has `x-sunset`.
 *
 * @throws SetupError `DECORATOR_MISUSED` if it is not on a verb method, `DECORATOR_INVALID` for unknown options and invalid values
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { deprecated } from 'verbena/decorators'
 *
 * const end = { since: '2026-01-31', sunset: '2999-12-31', link: '/docs/news' }
 * class Home extends Route {@deprecated(end) async get() { return { hello: 'world' } }}
 *
 * const app = createApp({ routes: { Home } })
 * const { headers } = await app.fetch(new Request('http://localhost/home'))
 * headers.get('deprecation') // => '@1769817600'
 * headers.get('sunset') // => 'Tue, 31 Dec 2999 00:00:00 GMT'
 * headers.get('link') // => '</docs/news>; rel="deprecation", </docs/news>; rel="sunset"'
 * ```
 */
export const deprecated: Decorator<[options?: DeprecatedOptions]> = decorator(function deprecated(
  options: DeprecatedOptions = {},
) {
  const deprecation = parseDeprecation(options)
  const meta: object = { ...DEPRECATION.carry(deprecation), deprecated: true }
  return { meta }
})

function parseDeprecation(options: DeprecatedOptions): Deprecation {
  checkOptions(options, RULES, '@deprecated')
  const { link } = options
  const [since, sunset] = [options.since, options.sunset].map((time) => (time === undefined ? time : readTime(time)))
  if (since !== undefined && sunset !== undefined && sunset < since) {
    throw optionError('@deprecated', 'sunset', 'it must not be before "since" (RFC 9745 section 4). Use a later date')
  }
  return {
    headers: {
      ...(since === undefined ? undefined : { deprecation: `@${Math.floor(since / 1000)}` }),
      ...(sunset === undefined ? undefined : { sunset: new Date(sunset).toUTCString() }),
      ...(link === undefined ? undefined : { link: formatLinks(link, sunset !== undefined) }),
    },
    sunset: sunset ?? Infinity,
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
/** First ms of the year 10000, which HTTP dates cannot express. */
const TOO_LATE = Date.UTC(10_000, 0)

/** Returns the time in ms since 1970; `NaN` for an invalid time. */
function readTime(value: unknown): number {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== 'string' || !DATE.test(value)) return NaN
  // `Date.parse` converts February 31 to a day in March.
  const day = value.slice(0, 'yyyy-mm-dd'.length)
  const isDay = new Date(Date.parse(`${day}T00:00Z`)).toJSON()?.startsWith(day)
  return isDay === true ? Date.parse(value) : NaN
}

const TIME = {
  ...rule(
    (value) => readTime(value) >= 0 && readTime(value) < TOO_LATE,
    'be a Date or a date such as 2026-01-31T12:00:00Z, from 1970 to 9999',
    "'2026-01-31'",
  ),
  showsText: true,
}
const BASE = 'http://localhost'

const RULES: Rules<DeprecatedOptions> = {
  since: TIME,
  sunset: TIME,
  link: textRule(
    (link) => /^[!-~]+$/.test(link) && !/[<>"\\^`{|}]/.test(link) && URL.canParse(link, BASE),
    'be a URL, or a path of this server',
    "'https://example.com/news'",
  ),
}

function formatLinks(link: string, hasSunset: boolean): string {
  const relations = hasSunset ? ['deprecation', 'sunset'] : ['deprecation']
  return relations.map((relation) => `<${link}>; rel="${relation}"`).join(', ')
}
