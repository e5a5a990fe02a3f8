/** Compression of answers (RFC 9110 sections 8.4 and 12.5.3). */
import { codingsFor } from '../http/accept-encoding.js'
import { tagsIn } from '../http/conditions.js'
import type { Chunks } from '../http/chunks.js'
import { CompressedChunks } from '../http/compressed-chunks.js'
import { createEncoder, type CodingWriter, type ContentCoding } from '../http/coders.js'
import { applyChanges, toHeaderChanges, type HeaderMap } from '../http/fields.js'
import { essenceMatcher, mediaEssence } from '../http/media-type.js'
import { isChunks, isEmptyStatus, type Payload } from '../http/payload.js'
import type { CompressionOptions } from '../route/answer-options.js'
import type { FullReply } from '../context/reply.js'
import type { Call } from './call.js'

/** Best first: what takes the least time for the same size. */
const CODINGS: readonly ContentCoding[] = ['zstd', 'br', 'gzip']
/** In bytes: a smaller answer fits into one packet anyway. */
const THRESHOLD = 1024
/** What is not compressed by its format already. */
const TYPES = [
  ...['text/*', '*/*+json', '*/*+xml', 'application/json', 'application/xml', 'application/x-ndjson'],
  ...['application/javascript', 'application/wasm', 'font/otf', 'font/ttf', 'image/bmp', 'image/x-icon'],
]
const NO_TRANSFORM = /(?:^|,)[ \t]*no-transform[ \t]*(?:,|$)/i
const DEPENDS = toHeaderChanges({ vary: 'accept-encoding' })
const DONE: IteratorResult<unknown> = { done: true, value: undefined }

/** Compresses what clients take compressed. An answer that cannot be compressed leaves as it is. */
export function compression(options: CompressionOptions): (call: Call) => Promise<void> | undefined {
  const { encodings = CODINGS, threshold = THRESHOLD, types = TYPES } = options
  const writers = new Map<string, CodingWriter>(encodings.flatMap((coding) => toEncoderEntry(coding)))
  const offers = [...writers.keys()]
  const takesType = compressibleCheck(types)
  const isWorthIt = ({ payload, headers }: FullReply): boolean =>
    takesType(String(headers.get('content-type') ?? payload.type)) && bodySize(payload, headers) >= threshold
  return (call) => {
    const { reply, exchange } = call
    const isUnchanged = reply.status === 304
    if (!isUnchanged && (hasFixedEncoding(reply) || !isWorthIt(reply))) return undefined
    const codings = codingsFor(exchange.header('accept-encoding'), offers)
    call.reply = reply.withFields(applyChanges(reply.headers, DEPENDS))
    if (isUnchanged) return keepTag(call, codings)
    const [coding = ''] = codings
    const writer = writers.get(coding)
    return writer && compress(call, coding, writer)
  }
}

/** Most answers have the same type as the one before: then it is not read again. */
function compressibleCheck(types: readonly string[]): (type: string) => boolean {
  const takesEssence = essenceMatcher(types)
  let [known, isTaken] = ['', false]
  return (type) => {
    if (type !== known) {
      isTaken = takesEssence(mediaEssence(type))
      known = type
    }
    return isTaken
  }
}

function toEncoderEntry(coding: ContentCoding): (readonly [string, CodingWriter])[] {
  const writer = createEncoder(coding)
  return writer === undefined ? [] : [[coding, writer]]
}

/** Answers that nobody may change, and those that have no content. */
function hasFixedEncoding({ status, headers, payload: { data } }: FullReply): boolean {
  if (data === null || isEmptyStatus(status) || status === 206 || headers.has('content-encoding')) return true
  return NO_TRANSFORM.test(headers.get('cache-control') ?? '')
}

/** In bytes; of a stream what it says, or without an end. */
function bodySize({ data }: Payload, headers: HeaderMap): number {
  if (typeof data === 'string') return Buffer.byteLength(data)
  if (data instanceof Uint8Array) return data.byteLength
  return Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
}

async function compress(call: Call, coding: string, writer: CodingWriter): Promise<void> {
  const { reply, exchange } = call
  const { headers, payload } = reply
  try {
    // HEAD says what GET would, but for the length, for which all of it would have to be compressed.
    const data = exchange.method === 'HEAD' ? withoutLength(payload) : await compressReply(payload, writer)
    const etag = headers.get('etag')
    const tag = etag === undefined ? {} : { etag: tagFor(etag, coding) }
    // A range is one of the encoded bytes, and nobody can cut those out.
    const changes = { 'content-length': null, 'accept-ranges': null, 'content-encoding': coding, ...tag }
    call.reply = call.reply.withFields(applyChanges(call.reply.headers, toHeaderChanges(changes)))
    call.reply.payload = { type: payload.type, data, plain: isChunks(payload.data) ? null : payload.data }
  } catch (error) {
    call.reportError(error, 'An answer could not be compressed')
  }
}

function compressReply({ data }: Payload, { whole, stream }: CodingWriter): Promise<Uint8Array> | Chunks {
  // Proof: what has no content never comes here.
  return isChunks(data) ? new CompressedChunks(data, stream()) : whole(data as string | Uint8Array)
}

function withoutLength({ data }: Payload): Chunks {
  return { next: () => Promise.resolve(DONE), cancel: () => (isChunks(data) ? data.cancel() : undefined) }
}

/** Bytes in another coding are another representation, with another tag; whoever compares tags takes the suffix away. */
function tagFor(etag: string, coding: string): string {
  return etag.replace(/"$/, `;${coding}"`)
}

/** A client that has the compressed answer must hear of that: to a cache another tag is of another answer (RFC 9111 section 4.3.4). */
function keepTag(call: Call, codings: readonly string[]): undefined {
  const etag = call.reply.headers.get('etag')
  if (etag === undefined) return
  const sentTags = new Set(tagsIn(String(call.exchange.header('if-none-match'))).map(strong))
  const tags = codings.map((coding) => (coding === 'identity' ? etag : tagFor(etag, coding)))
  const matchedTag = tags.find((tag) => sentTags.has(strong(tag)))
  if (matchedTag !== undefined)
    call.reply = call.reply.withFields(applyChanges(call.reply.headers, toHeaderChanges({ etag: matchedTag })))
}

/** Without the mark of a weak tag. */
function strong(tag: string): string {
  return tag.replace(/^W\//, '')
}
