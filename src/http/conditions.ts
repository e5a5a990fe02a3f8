/** Conditional requests (RFC 9110 section 13): checks the preconditions of a request against the current state of a resource. */
import type { HeaderMap } from './fields.js'

/** The method and headers of a request. */
export interface ConditionalHeaders {
  readonly method: string
  header(name: string): string | undefined
}

/** The current state of the requested resource. */
export interface CurrentState {
  /** Whether the resource exists, which `*` in `If-Match` and `If-None-Match` refers to. */
  readonly exists: boolean
  /** Entity tag, as in the `ETag` header. */
  readonly etag?: string | undefined
  /** Date of the last change, as in the `Last-Modified` header. */
  readonly lastModified?: string | undefined
  /** Whether Verbena has made the ETag, so that a suffix such as `-gzip` is from a proxy that compresses. */
  readonly isOwnETag?: boolean
  /** Whether `If-Match` accepts the weak form of the ETag. */
  readonly acceptsWeak?: boolean
}

/**
 * Returns the response status if a precondition fails, in the order of RFC 9110 section 13.2.2; `null` if all preconditions hold.
 *
 * @param isRead whether the request only reads the resource. The status 304 requires this
 */
export function evaluateConditions(
  conditions: ConditionalHeaders,
  state: CurrentState,
  isRead: boolean,
): 304 | 412 | null {
  // Each comparison with a missing or malformed date is false.
  const modified = httpDate(state.lastModified) ?? NaN
  const ifMatch = conditions.header('if-match')
  if (ifMatch !== undefined) {
    if (!listsETag(ifMatch, state, state.acceptsWeak !== true)) return 412
  } else if (modified > (httpDate(conditions.header('if-unmodified-since')) ?? NaN)) return 412
  const ifNoneMatch = conditions.header('if-none-match')
  if (ifNoneMatch !== undefined) {
    if (!listsETag(ifNoneMatch, state, false)) return null
    return isRead ? 304 : 412
  }
  if (isRead && modified <= (httpDate(conditions.header('if-modified-since')) ?? NaN)) return 304
  return null
}

/** An entity tag (RFC 9110 section 8.8.3). It can contain commas. */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** Returns the entity tags of a header. */
export function parseETags(field: string): readonly string[] {
  return field.match(TAG) ?? []
}

/** Whether a header lists the current ETag, by strong or weak comparison (RFC 9110 section 8.8.3.2). */
function listsETag(field: string, { exists, etag, isOwnETag }: CurrentState, isStrong: boolean): boolean {
  if (field.trim() === '*') return exists
  if (etag === undefined || (isStrong && isWeak(etag))) return false
  const tags = parseETags(field).filter((tag) => !(isStrong && isWeak(tag)))
  // Computed once, because both the header and the ETag may be long.
  const opaqueTag = opaque(etag)
  if (tags.some((tag) => opaque(tag) === opaqueTag)) return true
  return isOwnETag === true && tags.some((tag) => opaque(tag).replace(PROXY_SUFFIX, '"') === opaqueTag)
}

/** Suffix of the ETag of a response that a proxy has compressed, such as `-gzip` of Apache. */
const PROXY_SUFFIX = /-(?:br|gzip|zstd)"$/

/** Whether `If-Match` fails only because its ETag is weak, as proxies make it when they compress a response. */
export function failsAsWeak(conditions: ConditionalHeaders, state: CurrentState): boolean {
  const ifMatch = conditions.header('if-match')
  return ifMatch !== undefined && !listsETag(ifMatch, state, true) && listsETag(ifMatch, state, false)
}

export const WEAK_TAG =
  'The ETag in "If-Match" is weak, or a proxy has changed it by compressing the response. Send the ETag of an uncompressed response'

function isWeak(tag: string): boolean {
  return tag.startsWith('W/')
}

/** Removes `W/` and the content coding that Verbena appends to the ETag of a compressed response, such as `;br`. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '').replace(/;(?:br|gzip|zstd)"$/, '"')
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '\\d{2}:\\d{2}:\\d{2}'
const IN_GMT = new RegExp(`^${DAY}(?:, \\d{2} ${MONTH} \\d{4}|[a-z]{3,6}, \\d{2}-${MONTH}-\\d{2}) ${TIME} GMT$`)
const ASCTIME_FORMAT = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`)

/** Parses a date in one of the three formats of RFC 9110 section 5.6.7. Returns ms since 1970, or `undefined` for other strings. */
export function httpDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  let time = NaN
  if (IN_GMT.test(text)) time = Date.parse(text)
  else if (ASCTIME_FORMAT.test(text)) time = Date.parse(`${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Headers that describe the content. They are dropped if the content is not sent. */
export const CONTENT_HEADERS: readonly string[] = [
  ...['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'],
  ...['content-range', 'accept-ranges'],
]
/** Headers that describe the resource and its caching. Errors do not have them. */
export const STATE_HEADERS: readonly string[] = [
  'content-location',
  'etag',
  'last-modified',
  'cache-control',
  'expires',
]

export function withoutHeaders(headers: HeaderMap, names: readonly string[]): HeaderMap {
  return new Map([...headers].filter(([name]) => !names.includes(name)))
}

/** Encoded bytes are a different representation with a different ETag. Code that compares ETags removes the suffix. */
export function encodedETag(etag: string, coding: string): string {
  return etag.replace(/"$/, `;${coding}"`)
}

/** Returns a tag without the mark of a weak one. */
export function strongTag(tag: string): string {
  return tag.replace(/^W\//, '')
}
