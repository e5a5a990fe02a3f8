/** Payloads: content of responses that can be written to a socket, with its media type. */
import { isAsyncIterable, openChunks, peekFirst, type Chunks, type OpenChunks } from './chunks.js'
import type { ConditionalHeaders } from './conditions.js'
import type { HeaderMap } from './fields.js'
import { escapeKey } from '../values/json-pointer.js'
import { isObject } from '../values/objects.js'

export interface Payload {
  /** Default for the `Content-Type` header; `undefined` without content. */
  readonly type: string | undefined
  /** Content: a string, bytes or chunks of a stream; `null` without content. */
  readonly data: string | Uint8Array | Chunks | null
  /** Content before compression, for the console; `null` for a stream. */
  readonly plain?: string | Uint8Array | null
  /** Returns the requested range, if the content supports ranges (RFC 9110 section 14). `fields` are the headers of the full response. */
  readonly part?: (conditions: ConditionalHeaders, fields: HeaderMap) => Promise<PayloadPart>
}

/** Response with the requested range, which may be the full content. */
export interface PayloadPart {
  readonly status: number
  readonly headers: HeaderMap
  readonly payload: Payload
}

/** A body that is opened when the request is known, such as a file that exists in several encodings. */
export abstract class DeferredBody implements AsyncIterable<Uint8Array> {
  /** @param isPrivate whether the response may depend on credentials, so that shared caches must not store it */
  abstract open(conditions: ConditionalHeaders, isPrivate: boolean): Promise<Pick<PayloadPart, 'headers' | 'payload'>>

  abstract [Symbol.asyncIterator](): AsyncIterator<Uint8Array>
}

export const NO_PAYLOAD: Payload = { type: undefined, data: null }
/** Content of unknown size, which is not sent because the request is HEAD (RFC 9110 section 9.3.2). */
export const UNSENT: Payload = { type: undefined, data: null }
/** Placeholder for a payload that is not serialized yet. */
export const UNSERIALIZED: Payload = { type: undefined, data: null }
/** Placeholder for the payload of a `DeferredBody`. */
export const DEFERRED: Payload = { type: undefined, data: null }

/** Statuses of responses without content (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
export const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304])

const TEXT_TYPE = 'text/plain; charset=utf-8'
const BYTES_TYPE = 'application/octet-stream'
export const EVENTS_TYPE = 'text/event-stream'
/** Media types of JSON Lines. Responses have the first one. */
export const LINES_TYPES: readonly string[] = [
  ...['application/jsonl', 'application/x-ndjson', 'application/ndjson'],
  ...['application/jsonlines', 'application/x-jsonlines'],
]

/** @param mayContainDate `false` if the schema of the value excludes dates */
export function jsonPayload(value: unknown, type: string = 'application/json', mayContainDate = true): Payload {
  const data = toJson(value, mayContainDate)
  if (data === undefined) throw new TypeError(`Cannot serialize the response: JSON cannot represent ${typeof value}`)
  return { type, data }
}

/** Serializes a value. Throws for an invalid Date, which JSON would represent as `null`. */
export function toJson(value: unknown, mayContainDate: boolean): string | undefined {
  const data: string | undefined = JSON.stringify(value)
  // The search takes a quarter of the time of serialization, so it is limited to responses with `null`.
  const path = mayContainDate && data?.includes('null') === true ? findInvalidDate(value) : null
  if (path === null) return data
  const what = path.length === 0 ? 'it' : `"${path.map((key) => `/${escapeKey(key)}`).join('')}"`
  throw new TypeError(`Cannot serialize the response: ${what} is an invalid Date. Return a valid Date, or null`)
}

/** Returns the keys of the first invalid Date in the properties that JSON serializes; `null` if there is none. */
function findInvalidDate(value: unknown): string[] | null {
  if (!isObject(value)) return null
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? [] : null
  if (typeof value['toJSON'] === 'function' || ArrayBuffer.isView(value)) return null
  for (const key in value) {
    const member = value[key]
    const path = typeof member === 'object' ? findInvalidDate(member) : null
    if (path !== null && Object.hasOwn(value, key)) return [key, ...path]
  }
  return null
}

/**
 * Creates the payload of a value. Returns a promise for a stream, which waits for its first chunk.
 *
 * @param type `Content-Type` set by the route. The payload of an event stream does not wait for its first event
 */
export function toPayload(value: unknown, type: string | undefined): Payload | Promise<Payload> {
  if (value === undefined) return NO_PAYLOAD
  if (typeof value === 'string') return { type: TEXT_TYPE, data: value }
  if (value instanceof Uint8Array) return { type: BYTES_TYPE, data: value }
  if (!isAsyncIterable(value)) return jsonPayload(value)
  const chunks = openChunks(value)
  return type?.startsWith(EVENTS_TYPE) === true ? { type, data: chunks } : typedByFirstChunk(chunks)
}

/** Selects `text/plain` if the first chunk is a string, otherwise `application/octet-stream`. */
async function typedByFirstChunk(chunks: OpenChunks): Promise<Payload> {
  const { first, all } = await peekFirst(chunks)
  return { type: typeof first.value === 'string' ? TEXT_TYPE : BYTES_TYPE, data: all }
}

/** Stops the stream of a payload that will not be sent. */
export function discard({ data }: Payload): void {
  if (isChunks(data)) data.cancel()
}

export function isChunks(data: Payload['data']): data is Chunks {
  return typeof data === 'object' && data !== null && !(data instanceof Uint8Array)
}

/** Size in bytes; for a stream its `Content-Length`, or `Infinity` without that header. */
export function bodySize({ data }: Payload, headers: HeaderMap): number {
  if (typeof data === 'string') return Buffer.byteLength(data)
  if (data instanceof Uint8Array) return data.byteLength
  return Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
}
