/** Types and checks of the response options of an app or a group: CORS, security headers and compression. */
import { ANYTHING, checkMembers, rule, type Rules } from '../errors/known-keys.js'
import { integerRule, isTextList, switchRule } from '../errors/option-rules.js'
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

type RejectOption = (why: string) => Error

const WRITE = `Write "{ origins: ['https://app.example'] }"`

const CORS: Rules = {
  origins: ANYTHING,
  methods: rule(
    (value) => isTextList(value) && value.every((name) => VERB_BY_METHOD.has(name)),
    `"methods" must be an array of methods. Write "methods: ['GET', 'POST']"`,
  ),
  headers: headerNamesRule('headers'),
  credentials: switchRule('credentials'),
  expose: headerNamesRule('expose'),
  maxAge: integerRule('maxAge', 0, '600_000', ' (ms)'),
}

function headerNamesRule(key: string): Rules[string] {
  return rule(
    (value) => isTextList(value) && value.every(isToken),
    `"${key}" must be an array of header names. Write "${key}: ['x-request-id']"`,
  )
}

export function checkCors(options: unknown, toError: RejectOption): void {
  if (!isRecord(options)) throw toError(`it must be an object, not ${describeType(options)}. ${WRITE}`)
  checkMembers(options, CORS, toError, 'Valid keys are')
  const { origins, credentials, headers, expose } = options
  const listed = typeof origins === 'function' ? [] : [origins].flat()
  const message = listed.map(findOriginError).find((each) => each !== null)
  if (message !== undefined) throw toError(message)
  const values = { origins: listed, headers, expose }
  const open = Object.entries(values).find(([, list]) => Array.isArray(list) && list.some(isOpen))
  if (credentials !== true || open === undefined) return
  throw toError(
    `"${open[0]}" contains "*" or "null", but "credentials" is true. List trusted values, or remove "credentials"`,
  )
}

/** `*` allows all origins, and `null` is the origin of any page without one. */
function isOpen(value: unknown): boolean {
  return value === '*' || value === 'null'
}

/** Scheme, host and port (RFC 6454 section 6.2). The host may start with `*.`. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d+)?$/

function findOriginError(origin: unknown): string | null {
  if (isOpen(origin)) return null
  if (typeof origin !== 'string') return `"origins" must contain strings, not ${describeType(origin)}. ${WRITE}`
  const plain = origin.replace('://*.', '://')
  const url = plain.includes('://') ? plain : `https://${plain}`
  const originText = URL.canParse(url) ? new URL(url).origin : null
  // Apps and browser extensions have custom schemes, for which `URL` returns the origin "null".
  if (ORIGIN.test(origin) && (originText === plain || originText === 'null')) return null
  let fix = 'https://app.example'
  if (originText !== null && originText !== 'null') fix = originText
  return `"origins" contains "${origin}", but an origin must be a scheme, host and port as browsers send them. Write "${fix}"`
}

const SETS: Rules = { api: headerListRule('api'), html: headerListRule('html') }

function headerListRule(key: string): Rules[string] {
  return rule(
    isHeaderSet,
    `"${key}" must contain valid header names and values. Write "${key}: { 'x-frame-options': null }"`,
  )
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

export function checkSecurityHeaders(options: unknown, toError: RejectOption): void {
  if (options === 'api' || options === 'html') return
  if (!isRecord(options))
    throw toError(
      `it must be 'api', 'html' or an object, not ${describeType(options)}. Write "{ html: { … } }" for changes`,
    )
  checkMembers(options, SETS, toError, 'Valid keys are')
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/

const COMPRESSION: Rules = {
  encodings: rule(
    (value) => Array.isArray(value) && value.length > 0 && value.every((each) => CODINGS.has(each)),
    `"encodings" must be a non-empty array of codings. Write "encodings: ['${[...CODINGS.keys()].join("', '")}']", or fewer`,
  ),
  threshold: integerRule('threshold', 0, '1_024', ' (bytes)'),
  types: rule(
    (value) => isTextList(value) && value.length > 0 && value.every((type) => MEDIA_TYPE.test(type)),
    `"types" must be a non-empty array of media types. Write "types: ['application/json', 'text/*']"`,
  ),
}

export function checkCompression(options: unknown, toError: RejectOption): void {
  if (!isRecord(options))
    throw toError(`it must be an object, not ${describeType(options)}. Write "compression: {}" for the defaults`)
  checkMembers(options, COMPRESSION, toError, 'Valid keys are')
}
