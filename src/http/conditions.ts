/** Conditional requests (RFC 9110 section 13): what the conditions of a request say of the state that it would meet. */

/** What a request asks for beside its target. */
export interface ConditionalHeaders {
  readonly method: string
  header(name: string): string | undefined
}

/** The state of what a request is about. */
export interface CurrentState {
  /** Whether there is anything; `*` stands for that. */
  readonly exists: boolean
  /** Its entity tag, as in `ETag`. */
  readonly etag?: string | undefined
  /** When it was last changed, as in `Last-Modified`. */
  readonly lastModified?: string | undefined
}

/**
 * The status that answers a request whose conditions do not hold, in the order of RFC 9110 section 13.2.2; `null` where they do.
 * Only a request that reads gets a 304.
 */
export function evaluateConditions(asked: ConditionalHeaders, state: CurrentState, isRead: boolean): 304 | 412 | null {
  const ifMatch = asked.header('if-match')
  if (ifMatch === undefined ? isNewer(state, asked.header('if-unmodified-since')) : !listsETag(ifMatch, state, true)) {
    return 412
  }
  const rejectionStatus = isRead ? 304 : 412
  const ifNoneMatch = asked.header('if-none-match')
  if (ifNoneMatch !== undefined) return listsETag(ifNoneMatch, state, false) ? rejectionStatus : null
  const since = isRead ? httpDate(asked.header('if-modified-since')) : undefined
  const modified = httpDate(state.lastModified)
  return since !== undefined && modified !== undefined && modified <= since ? 304 : null
}

function isNewer({ lastModified }: CurrentState, field: string | undefined): boolean {
  const since = httpDate(field)
  const modified = httpDate(lastModified)
  return since !== undefined && modified !== undefined && modified > since
}

/** An entity tag (RFC 9110 section 8.8.3); a comma may stand in it. */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** The entity tags of a field. */
export function tagsIn(field: string): readonly string[] {
  return field.match(TAG) ?? []
}

/** Compares strongly or weakly (RFC 9110 section 8.8.3.2). */
function listsETag(field: string, { exists, etag }: CurrentState, isStrong: boolean): boolean {
  if (field.trim() === '*') return exists
  if (etag === undefined || (isStrong && isWeak(etag))) return false
  // Read once: both the field and the tag may be long.
  const opaqueTag = opaque(etag)
  return tagsIn(field).some((tag) => !(isStrong && isWeak(tag)) && opaque(tag) === opaqueTag)
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/')
}

/** The content coding of an answer stands in its tag, behind a semicolon: what is behind the tag is the same in every coding. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '').replace(/;(?:br|gzip|zstd)"$/, '"')
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '\\d{2}:\\d{2}:\\d{2}'
const IN_GMT = new RegExp(`^${DAY}(?:, \\d{2} ${MONTH} \\d{4}|[a-z]{3,6}, \\d{2}-${MONTH}-\\d{2}) ${TIME} GMT$`)
const OF_ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`)

/** Reads a date in one of the three forms of RFC 9110 section 5.6.7; `undefined` for anything else. In ms since 1970. */
export function httpDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const dateText = OF_ASCTIME.test(text) ? `${text} GMT` : text
  const time = IN_GMT.test(text) || dateText !== text ? Date.parse(dateText) : NaN
  return Number.isNaN(time) ? undefined : time
}
