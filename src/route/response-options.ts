/** Types and checks of the response options of an app or a group: CORS, security headers and compression. */
import {
  anyRule,
  integerRule,
  isTextList,
  objectRule,
  optionError,
  mandatory,
  rule,
  SWITCH,
  type Rule,
  type Rules,
} from '../errors/options.js'
import { CODINGS, type ContentCoding } from '../http/codings.js'
import { toHeaderChanges, isToken } from '../http/fields.js'
import { VERB_BY_METHOD } from '../http/methods.js'
import { describeType } from '../values/describe-type.js'
import { isRecord } from '../values/objects.js'

/**
 * Decides whether pages of an origin may read responses.
 *
 * @param origin as sent by the browser: `https://app.example`, or the string `null` for a page without an origin
 * @returns `true` to allow the origin
 */
export type OriginTest = (origin: string) => boolean | Promise<boolean>

/** Which pages of other origins may read responses (Fetch standard, section 3.2). */
export interface CorsOptions {
  /** One or more origins: `'https://app.example'`, `'https://*.app.example'` for subdomains, `'*'` for all, `[]` for none. Or a function. */
  readonly origins: string | readonly string[] | OriginTest
  /** Allowed methods; default: the methods of the path. */
  readonly methods?: readonly string[]
  /** Allowed request headers; default: the headers that the preflight requests. */
  readonly headers?: readonly string[]
  /** Whether pages may send credentials, such as cookies, and read the response; default `false`. */
  readonly credentials?: boolean
  /** Response headers that pages may read, in addition to the headers that the standard always allows; default: none. */
  readonly expose?: readonly string[]
  /** Time for which a browser may cache a preflight response, in ms; default 600_000. */
  readonly maxAge?: number
}

/** Changes to a set of security headers: values by name; `null` removes a header. */
export interface HeaderChanges {
  readonly [name: string]: string | null
}

/** Changes to both sets of security headers. */
export interface SecurityHeaderSets {
  /** Headers of all responses except `text/html`. */
  readonly api?: HeaderChanges
  /** Headers of `text/html` responses. */
  readonly html?: HeaderChanges
}

/** Security headers for an API, for an app with HTML pages, or for an API with changes. */
export type SecurityHeaders = 'api' | 'html' | SecurityHeaderSets

/** Compression of responses (RFC 9110 section 8.4). */
export interface CompressionOptions {
  /** Codings in order of preference; default `['zstd', 'br', 'gzip']`. Zstandard requires Node 22.15 and is ignored in older versions. */
  readonly encodings?: readonly ContentCoding[]
  /** Minimum size of a compressed response, in bytes; default 1_024. Streams without a length are always compressed. */
  readonly threshold?: number
  /** Media types to compress, with `*` as a wildcard; default: text, JSON, XML and similar types. */
  readonly types?: readonly string[]
}

/** Response options of a section of an app. Sections with the same options share one object. */
export interface ResponseSettings {
  readonly cors: CorsOptions | undefined
  readonly securityHeaders: SecurityHeaders | undefined
  readonly compression: CompressionOptions | undefined
  /** Whether every response has `X-Request-Id`; otherwise only errors have it. */
  readonly hasRequestId?: boolean
}

/** Response options that a group overrides; `false` disables an option. */
export interface ResponseChanges {
  readonly cors?: CorsOptions | false
  readonly securityHeaders?: SecurityHeaders | false
}

const HEADER_NAMES = rule(
  (value) => isTextList(value) && value.every(isToken),
  'be an array of header names',
  "['x-request-id']",
)

const CORS_RULES: Rules<CorsOptions> = {
  origins: mandatory(anyRule("['https://app.example']")),
  methods: rule(
    (value) => isTextList(value) && value.every((name) => VERB_BY_METHOD.has(name)),
    'be an array of methods',
    "['GET', 'POST']",
  ),
  headers: HEADER_NAMES,
  credentials: SWITCH,
  expose: HEADER_NAMES,
  maxAge: integerRule(0, '600_000', ' of ms'),
}

export const CORS: Rule = objectRule("{ origins: ['https://app.example'] }", CORS_RULES)

/**
 * Checks the origins of options that follow the rules.
 *
 * @param path before the name of an option, such as `cors.`
 */
export function checkOrigins(
  { origins, credentials, headers, expose }: CorsOptions,
  path: string,
  owner: string,
): void {
  const listed = typeof origins === 'function' ? [] : [origins].flat()
  const message = listed.map(findOriginError).find((each) => each !== null)
  if (message !== undefined) throw optionError(owner, `${path}origins`, message)
  const values = { origins: listed, headers, expose }
  const open = Object.entries(values).find(([, list]) => Array.isArray(list) && list.some(isOpenValue))
  if (credentials !== true || open === undefined) return
  const why = 'it contains "*" or "null", but "credentials" is true. List trusted values, or remove "credentials"'
  throw optionError(owner, `${path}${open[0]}`, why)
}

/** `*` allows all origins, and `null` is the origin of any page without one. */
function isOpenValue(value: unknown): boolean {
  return value === '*' || value === 'null'
}

/** Scheme, host and port (RFC 6454 section 6.2). The host may start with `*.`. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d+)?$/

function findOriginError(origin: unknown): string | null {
  if (isOpenValue(origin)) return null
  if (typeof origin !== 'string')
    return `it must contain strings, not ${describeType(origin)}. Write "origins: ['https://app.example']"`
  const plain = origin.replace('://*.', '://')
  const url = plain.includes('://') ? plain : `https://${plain}`
  const originText = URL.canParse(url) ? new URL(url).origin : null
  // Apps and browser extensions have custom schemes, for which `URL` returns the origin "null".
  if (ORIGIN.test(origin) && (originText === plain || originText === 'null')) return null
  let fix = 'https://app.example'
  if (originText !== null && originText !== 'null') fix = originText
  return `it contains "${origin}", but an origin must be a scheme, host and port as browsers send them. Write "${fix}"`
}

const HEADER_SET = rule(isHeaderSet, 'contain valid header names and values', "{ 'x-frame-options': null }")
const SETS: Rules<SecurityHeaderSets> = { api: HEADER_SET, html: HEADER_SET }

export const SECURITY_HEADERS: Rule = {
  ...rule(
    (value) => value === 'api' || value === 'html' || isRecord(value),
    "be 'api', 'html' or an object",
    "{ html: { 'x-frame-options': null } }",
    SETS,
  ),
  showsText: true,
}

function isHeaderSet(value: unknown): boolean {
  if (!isRecord(value) || !Object.values(value).every((each) => each === null || typeof each === 'string')) return false
  try {
    // Proof: all values are strings or `null`, as checked above.
    toHeaderChanges(value as Record<string, string | null>)
    return true
  } catch {
    return false
  }
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/

const COMPRESSION_RULES: Rules<CompressionOptions> = {
  encodings: rule(
    (value) => Array.isArray(value) && value.length > 0 && value.every((each) => CODINGS.has(each)),
    'be a non-empty array of codings',
    `['${[...CODINGS.keys()].join("', '")}']`,
  ),
  threshold: integerRule(0, '1_024', ' of bytes'),
  types: rule(
    (value) => isTextList(value) && value.length > 0 && value.every((type) => MEDIA_TYPE.test(type)),
    'be a non-empty array of media types',
    "['application/json', 'text/*']",
  ),
}

export const COMPRESSION: Rule = objectRule('{}', COMPRESSION_RULES)
