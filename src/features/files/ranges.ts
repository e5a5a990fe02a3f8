/** Ranges of a file (RFC 9110 section 14): which of them a request asks for. */
import { httpDate, type ConditionalHeaders } from '../../http/conditions.js'
import type { HeaderMap } from '../../http/fields.js'
import type { ByteRange } from './file-chunks.js'

/** More ranges than this, and those that overlap, are ignored: the whole costs less (RFC 9110 section 14.2). */
const MAX_RANGES = 10
const UNIT = /^bytes[ \t]*=/i
const RANGE = /^(?:([0-9]+)-([0-9]*)|-([0-9]+))$/

/** The ranges that a request asks for; empty where none of them lies in the file, `null` where it is sent as a whole. */
export function rangesFor(asked: ConditionalHeaders, fields: HeaderMap, size: number): readonly ByteRange[] | null {
  const range = asked.header('range')
  if (asked.method !== 'GET' || range === undefined || !UNIT.test(range)) return null
  // Empty elements do not count (RFC 9110 section 5.6.1.2).
  const parts = range
    .replace(UNIT, '')
    .split(',')
    .flatMap((part) => part.trim() || [])
  if (parts.length === 0 || parts.length > MAX_RANGES) return null
  const spans = parts.map((part) => parseByteRange(part, size))
  if (spans.includes(null) || !isUnchanged(asked.header('if-range'), fields)) return null
  const inFile = spans.filter((span): span is ByteRange => span !== null && span.start < span.end)
  return doOverlap(inFile) ? null : inFile
}

/** Empty for a range behind the end; `null` for what is no range. */
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

/** `If-Range` compares strongly, the coding included: parts of two encodings do not fit together (RFC 9110 section 13.1.5). */
function isUnchanged(condition: string | undefined, fields: HeaderMap): boolean {
  if (condition === undefined) return true
  if (condition.endsWith('"')) return !condition.startsWith('W/') && condition === fields.get('etag')
  const [changed, now] = [httpDate(fields.get('last-modified')), Date.now()]
  // Within the second in which it was changed it may change once more.
  return changed !== undefined && httpDate(condition) === changed && now - changed >= 1000
}
