/** Response for an open file: the whole file, one range, or several (RFC 9110 section 14). */
import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { frameworkError } from '../../errors/http-error.js'
import type { ConditionalHeaders } from '../../http/conditions.js'
import type { HeaderMap } from '../../http/fields.js'
import type { PayloadPart, Payload } from '../../http/payload.js'
import { FileChunks, readSpan, type ByteRange } from './file-chunks.js'
import { noop } from '../../values/noop.js'
import { parseByteRanges } from './ranges.js'

/** Maximum number of bytes that are read into one buffer. */
const SMALL_FILE_SIZE = 64 * 1024

interface SentFile {
  readonly handle: FileHandle
  readonly size: number
  readonly type: string
}

export interface FilePayload extends Payload {
  readonly data: FileChunks
}

/** Returns the payload of a whole file, with a function that selects the requested ranges. */
export function filePayload(file: SentFile): FilePayload {
  return { ...fullPayload(file), part: (conditions, fields) => cutFile(file, conditions, fields) }
}

async function cutFile(file: SentFile, conditions: ConditionalHeaders, fields: HeaderMap): Promise<PayloadPart> {
  const { size } = file
  const ranges = parseByteRanges(conditions, fields, size)
  // HEAD does not read the file.
  if (conditions.method !== 'GET') return { status: 200, headers: fields, payload: fullPayload(file) }
  if (ranges === null) return onePart(file, { start: 0, end: size }, 200, fields)
  const [range, ...others] = ranges
  if (range === undefined) {
    throw frameworkError(416, `This file has ${size} bytes. Request a range within them`, {
      headers: { 'content-range': `bytes */${size}` },
    })
  }
  if (others.length > 0) return severalParts(file, ranges, fields)
  return onePart(file, range, 206, new Map(fields).set('content-range', rangeText(range, size)))
}

function fullPayload({ handle, size, type }: SentFile): FilePayload {
  return { type, data: new FileChunks(handle, [{ start: 0, end: size }]) }
}

/** Responds with one range. A small range is read into a buffer, so that it is sent together with the headers. */
async function onePart(file: SentFile, span: ByteRange, status: number, fields: HeaderMap): Promise<PayloadPart> {
  const { handle, type } = file
  const length = span.end - span.start
  const headers = new Map(fields).set('content-length', String(length))
  if (length > SMALL_FILE_SIZE) return { status, headers, payload: { type, data: new FileChunks(handle, [span]) } }
  const data = await readSpan(handle, span)
  handle.close().catch(noop)
  return { status, headers, payload: { type, data } }
}

/** `multipart/byteranges` (RFC 9110 section 14.6). */
function severalParts({ handle, size, type }: SentFile, spans: readonly ByteRange[], fields: HeaderMap): PayloadPart {
  const boundary = randomUUID()
  const ownType = fields.get('content-type') ?? type
  const begin = `\r\n--${boundary}`
  const head = (span: ByteRange): string =>
    `${begin}\r\ncontent-type: ${ownType}\r\ncontent-range: ${rangeText(span, size)}\r\n\r\n`
  const texts = [...spans.map(head), `${begin}--\r\n`].map((text) => Buffer.from(text, 'latin1'))
  const pieces = texts.flatMap((text, at) => [text, spans[at] ?? []].flat())
  const length = [...texts, ...spans].reduce((sum, piece) => sum + pieceLength(piece), 0)
  const headers = new Map(fields).set('content-length', String(length))
  headers.delete('content-type')
  const payload = { type: `multipart/byteranges; boundary=${boundary}`, data: new FileChunks(handle, pieces) }
  return { status: 206, headers, payload }
}

function pieceLength(piece: Buffer | ByteRange): number {
  return 'start' in piece ? piece.end - piece.start : piece.length
}

function rangeText({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`
}
