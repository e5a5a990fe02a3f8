/** Compression of responses (RFC 9110 sections 8.4 and 12.5.3). */
import zlib from 'node:zlib'
import { acceptedCodings } from '../../http/accept-encoding.js'
import { encodedETag, parseETags, strongTag } from '../../http/conditions.js'
import type { Chunks } from '../../http/chunks.js'
import { CODINGS, type CodingWriter } from '../../http/codings.js'
import { CompressedChunks } from '../../http/compressed-chunks.js'
import { applyChanges, toHeaderChanges } from '../../http/fields.js'
import { essenceMatcher, mediaEssence } from '../../http/media-type.js'
import { bodySize, discard, isChunks, EMPTY_STATUSES } from '../../http/payload.js'
import type { CompressionOptions } from '../../route/response-options.js'
import type { FullReply } from '../../context/reply.js'
import type { Call } from '../../request/call.js'

/** In bytes. A smaller response fits into one packet anyway. */
const THRESHOLD = 1024
/** Media types whose format is not compressed already. */
const TYPES = [
  ...['text/*', '*/*+json', '*/*+xml', 'application/json', 'application/xml', 'application/x-ndjson'],
  ...['application/jsonl'],
  ...['application/javascript', 'application/wasm', 'font/otf', 'font/ttf', 'image/bmp', 'image/x-icon'],
]
const NO_TRANSFORM = /(?:^|,)[ \t]*no-transform[ \t]*(?:,|$)/i
const DEPENDS = toHeaderChanges({ vary: 'accept-encoding' })
const DONE: IteratorResult<unknown> = { done: true, value: undefined }

/** Returns the step that compresses responses for clients that accept it. If compression fails, the response is sent uncompressed. */
export function compression(options: CompressionOptions): (call: Call) => Promise<void> | undefined {
  const { encodings = [...CODINGS.keys()], threshold = THRESHOLD, types = TYPES } = options
  const writers = new Map<string, CodingWriter>(encodings.flatMap(toEncoderEntry))
  const offers = [...writers.keys()]
  const takesType = compressibleCheck(types)
  const isWorthIt = ({ payload, headers }: FullReply): boolean =>
    takesType(String(headers.get('content-type') ?? payload.type)) && bodySize(payload, headers) >= threshold
  return (call) => {
    const { reply, exchange } = call
    const isUnchanged = reply.status === 304
    if (!isUnchanged && (hasFixedEncoding(reply) || !isWorthIt(reply))) return undefined
    const codings = acceptedCodings(exchange.header('accept-encoding'), offers)
    call.reply = reply.withFields(applyChanges(reply.headers, DEPENDS))
    if (isUnchanged) return matchTag(call, codings)
    const [coding = ''] = codings
    const writer = writers.get(coding)
    return writer && compress(call, coding, writer)
  }
}

/** Caches the last result, because consecutive responses usually have the same type. */
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

function toEncoderEntry(coding: string): (readonly [string, CodingWriter])[] {
  const writer = CODINGS.get(coding)?.createWriter(zlib)
  return writer === undefined ? [] : [[coding, writer]]
}

/** Whether a response must not be transformed, or has no content. The default of event streams concerns only proxies. */
function hasFixedEncoding({ status, headers, payload: { data }, hasEventCaching }: FullReply): boolean {
  if (data === null || EMPTY_STATUSES.has(status) || status === 206 || headers.has('content-encoding')) return true
  return !hasEventCaching && NO_TRANSFORM.test(headers.get('cache-control') ?? '')
}

async function compress(call: Call, coding: string, writer: CodingWriter): Promise<void> {
  const { reply, exchange } = call
  const { headers, payload } = reply
  try {
    let data: Uint8Array | Chunks
    // HEAD returns the headers of GET except `Content-Length`, which would require compressing the whole body.
    if (exchange.method === 'HEAD') data = { next: () => Promise.resolve(DONE), cancel: () => discard(payload) }
    else if (isChunks(payload.data)) data = new CompressedChunks(payload.data, writer.stream())
    // Proof: `hasFixedEncoding` excludes responses without content.
    else data = await writer.whole(payload.data as string | Uint8Array)
    // Ranges count encoded bytes, which the source of the data cannot provide.
    const changes = toHeaderChanges({ 'content-length': null, 'accept-ranges': null, 'content-encoding': coding })
    const etag = headers.get('etag')
    if (etag !== undefined) changes.push(...toHeaderChanges({ etag: encodedETag(etag, coding) }))
    call.reply = call.reply.withFields(applyChanges(call.reply.headers, changes))
    call.reply.payload = { type: payload.type, data, plain: isChunks(payload.data) ? null : payload.data }
  } catch (error) {
    call.reportError(error, 'Failed to compress a response')
  }
}

/** Uses the compressed ETag if the client sent it, because a 304 with another ETag is another response (RFC 9111 section 4.3.4). */
function matchTag(call: Call, codings: readonly string[]): undefined {
  const etag = call.reply.headers.get('etag')
  if (etag === undefined) return
  const sentTags = new Set(parseETags(String(call.exchange.header('if-none-match'))).map(strongTag))
  const tags = codings.map((coding) => (coding === 'identity' ? etag : encodedETag(etag, coding)))
  const matchedTag = tags.find((tag) => sentTags.has(strongTag(tag)))
  if (matchedTag !== undefined)
    call.reply = call.reply.withFields(applyChanges(call.reply.headers, toHeaderChanges({ etag: matchedTag })))
}
