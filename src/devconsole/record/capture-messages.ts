/** Captures request and response messages: the start of a text body without its secrets, and type and size of any other body. */
import { Buffer } from 'node:buffer'
import { detachString } from '../../secrets/detach-string.js'
import type { RecordedRequest } from '../../observe/request-recorder.js'
import { cutToLength, cut } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { BodyCapture } from '../host/console-settings.js'
import type { CapturedBody, Message } from '../wire/request-types.js'

export const MAX_BODY_TEXT: number = 16 * 1024
/** Number of bytes of a binary body that are stored. */
const BINARY_BYTES = 64
const MAX_TYPE_LENGTH = 300

/** Maximum size of JSON that is parsed to find its secrets, in bytes. */
const MAX_PARSED_BYTES = 1024 * 1024

interface MessageScope {
  readonly hider: RequestRedactor
  readonly capture: BodyCapture
  /** Limits of long JSON in responses; missing if it is not recorded. */
  readonly longJson?: LongJson
}

export interface LongJson {
  /** Maximum number of characters that are recorded. */
  readonly most: number
  /** Whether another body may be parsed now. Parsing 256 kB takes several ms. */
  readonly mayParse: () => boolean
}

export function captureRequest(
  scope: MessageScope,
  body: Uint8Array | null,
  headers: RecordedRequest['headers'],
): Message {
  const { hider, capture } = scope
  const declared = Number(headers['content-length'] ?? 0)
  const size = body?.byteLength ?? (Number.isSafeInteger(declared) ? declared : 0)
  const hasBody = size > 0 || headers['transfer-encoding'] !== undefined
  const seen = { type: headers['content-type'], coding: headers['content-encoding'], data: body, size }
  return { headers: hider.headers(Object.entries(headers)), body: hasBody ? captureBody(seen, capture, hider) : null }
}

export function captureResponse(
  { hider, capture, longJson }: MessageScope,
  { response, streamed, lines }: Pick<RecordedRequest, 'response' | 'streamed' | 'lines'>,
  method: string,
): Message {
  if (response === null) return { headers: [], body: null }
  const { headers, payload } = response
  const headerLines = hider.headerLines(lines)
  if (payload.data === null || method === 'HEAD') return { headers: headerLines, body: null }
  const type = headers.get('content-type') ?? payload.type
  // Uses the uncompressed body, because secrets cannot be found in compressed bytes.
  const { data: sent, plain = sent } = payload
  const data = typeof plain === 'string' || plain instanceof Uint8Array ? plain : null
  const size = data === null ? streamed : Buffer.byteLength(data)
  const coding = plain === sent ? headers.get('content-encoding') : undefined
  const seen = { type, coding, data, size }
  return { headers: headerLines, body: captureBody(seen, capture, hider, longJson) }
}

export interface SeenBody {
  readonly type: string | undefined
  readonly coding: string | undefined
  /** String or bytes; `null` if the whole body was never in memory, as with streams. */
  readonly data: string | Uint8Array | null
  readonly size: number
}

export function captureBody(
  body: SeenBody,
  capture: BodyCapture,
  hider: RequestRedactor,
  longJson?: LongJson,
): CapturedBody {
  const { data, size } = body
  const essence = (body.type ?? '').split(';', 1).join('').trim().toLowerCase()
  const type = body.type === undefined ? null : hider.known(body.type.slice(0, MAX_TYPE_LENGTH))
  const base = { type, size, text: null, hex: null, truncated: false, omitted: null }
  const redactedJson = capture === 'text' ? wholeJson(body, { essence, hider, longJson }) : null
  if (redactedJson !== null) return { ...base, ...redactedJson }
  const omitted = reasonToOmit(body, essence, capture)
  if (data === null || omitted !== null) return { ...base, omitted: omitted ?? 'It was streamed, and not kept' }
  if (!TEXTUAL.test(essence) || (body.coding ?? 'identity') !== 'identity') {
    return { ...base, hex: Buffer.from(data.slice(0, BINARY_BYTES)).toString('hex') }
  }
  const truncated = size > MAX_BODY_TEXT
  const text = hideBody(capturedText(data), essence, !truncated, hider)
  if (text === null) return { ...base, omitted: 'It is no JSON, and was not kept' }
  return { ...base, text: detachString(text), truncated }
}

interface JsonScope extends Pick<MessageScope, 'hider'> {
  readonly essence: string
  readonly longJson: LongJson | undefined
}

/** Redacts all of a long JSON body before cutting it. Returns `null` if the body is recorded in another way. */
function wholeJson(
  { data, size, coding = 'identity' }: SeenBody,
  { essence, hider, longJson }: JsonScope,
): Pick<CapturedBody, 'text' | 'truncated'> | null {
  const isLong = essence.endsWith('json') && size > MAX_BODY_TEXT && size <= MAX_PARSED_BYTES
  const isReadable = isLong && coding === 'identity'
  if (!isReadable || data === null || longJson === undefined || longJson.most <= MAX_BODY_TEXT) return null
  if (!longJson.mayParse()) return null
  const text = hider.json(typeof data === 'string' ? data : Buffer.from(data).toString())
  return text === null ? null : { text: cut(text, longJson.most), truncated: text.length > longJson.most }
}

/** A part of long JSON is not stored, because names and values cannot be distinguished in it. */
function reasonToOmit({ size }: SeenBody, essence: string, capture: BodyCapture): string | null {
  if (capture === 'off') return 'Bodies are not kept (captureBodies: off)'
  if (NEVER_CAPTURED.test(essence)) return 'Bodies of this type are not kept'
  const isLongJson = essence.endsWith('json') && size > MAX_BODY_TEXT
  return isLongJson && capture !== 'raw' ? 'It is too long to look for secrets in it, and was not kept' : null
}

function hideBody(text: string, essence: string, isWhole: boolean, hider: RequestRedactor): string | null {
  if (essence.endsWith('json') && isWhole) return hider.json(text)
  return essence === FORM ? hider.query(text) : hider.lines(text)
}

const FORM = 'application/x-www-form-urlencoded'
const NEVER_CAPTURED = /^(?:multipart\/|application\/octet-stream$)/
const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|x-ndjson|x-www-form-urlencoded|graphql)$)/

function capturedText(data: string | Uint8Array): string {
  if (typeof data === 'string') return data.length > MAX_BODY_TEXT ? cutToLength(data, MAX_BODY_TEXT) : data
  // One more byte than is stored, because the word at the cut is removed.
  const text = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, MAX_BODY_TEXT + 1)).toString()
  return data.byteLength > MAX_BODY_TEXT ? cutToLength(text, text.length - 1) : text
}
