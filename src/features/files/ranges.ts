/** Parsing of range requests (RFC 9110 section 14). */
import { httpDate, type ConditionalHeaders } from '../../http/conditions.js'
import type { HeaderMap } from '../../http/fields.js'
import type { ByteRange } from './file-chunks.js'

/** Maximum number of ranges. With more, or with overlapping ones, the whole file is sent, because it costs less (RFC 9110 section 14.2). */
const MAX_RANGES = 10
const UNIT = /^bytes[ \t]*=/i
const RANGE = /^(?:([0-9]+)-([0-9]*)|-([0-9]+))$/

/** Returns the requested ranges; empty if all of them are outside the file, `null` if the whole file must be sent. */
export function parseByteRanges(
  conditions: ConditionalHeaders,
  fields: HeaderMap,
  size: number,
): readonly ByteRange[] | null {
  const range = conditions.header('range')
  if (conditions.method !== 'GET' || range === undefined || !UNIT.test(range)) return null
  // Empty list elements are ignored (RFC 9110 section 5.6.1.2).
  const parts = range
    .replace(UNIT, '')
    .split(',')
    .flatMap((part) => part.trim() || [])
  if (parts.length === 0 || parts.length > MAX_RANGES) return null
  const spans = parts.map((part) => parseByteRange(part, size))
  if (spans.includes(null) || !isUnchanged(conditions.header('if-range'), fields)) return null
  const inFile = spans.filter((span): span is ByteRange => span !== null && span.start < span.end)
  return doOverlap(inFile) ? null : inFile
}

/** Parses one range. Returns an empty range if it starts after the end of the file, and `null` if it is malformed. */
function parseByteRange(text: string, size: number): ByteRange | null {
  const [found, first = '', last = '', tail] = RANGE.exec(text) ?? []
  if (found === undefined) return null
  if (tail !== undefined) return { start: Math.max(0, size - Number(tail)), end: size }
  if (last !== '' && Number(last) < Number(first)) return null
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

function doOverlap(spans: readonly ByteRange[]): boolean {
  const sorted = spans.toSorted((a, b) => a.start - b.start)
  return sorted.some(({ start }, at) => start < (sorted[at - 1]?.end ?? 0))
}

/**
 * Whether the `If-Range` condition is true. ETags are compared strongly and include the content coding, because ranges of different
 * encodings cannot be combined (RFC 9110 section 13.1.5).
 */
function isUnchanged(condition: string | undefined, fields: HeaderMap): boolean {
  if (condition === undefined) return true
  if (condition.endsWith('"')) return !condition.startsWith('W/') && condition === fields.get('etag')
  const [changed, now] = [httpDate(fields.get('last-modified')), Date.now()]
  // A date that is less than a second old does not identify a state: the file may change again in the same second.
  return changed !== undefined && httpDate(condition) === changed && now - changed >= 1000
}
