/** Payloads: the value of an answer as what can be written, with its media type. */
import { isAsyncIterable, openChunks, peek, type Chunks } from './chunks.js'
import type { ConditionalHeaders } from './conditions.js'
import type { HeaderMap } from './fields.js'

export interface Payload {
  /** Value of `Content-Type`, unless the answer names another; `undefined` when there is no content. */
  readonly type: string | undefined
  /** What is written: a text, bytes, chunks as they come, or nothing. */
  readonly data: string | Uint8Array | Chunks | null
  /** What was there before it was compressed, for whoever shows it; `null` for a stream. */
  readonly plain?: string | Uint8Array | null
  /** Gives the part that a request asks for, where its data know how (RFC 9110 section 14); `fields` are those of the whole. */
  readonly part?: (asked: ConditionalHeaders, fields: HeaderMap) => Promise<PayloadPart>
}

/** The part of an answer that a request asks for, which may be the whole. */
export interface PayloadPart {
  readonly status: number
  readonly headers: HeaderMap
  readonly payload: Payload
}

/** A body that is opened when its request is known, such as a file that is there in several encodings. */
export abstract class DeferredBody implements AsyncIterable<Uint8Array> {
  /** @param isPrivate whether the response may depend on credentials, so that shared caches must not store it */
  abstract open(asked: ConditionalHeaders, isPrivate: boolean): Promise<Pick<PayloadPart, 'headers' | 'payload'>>

  abstract [Symbol.asyncIterator](): AsyncIterator<Uint8Array>
}

export const NO_PAYLOAD: Payload = { type: undefined, data: null }
/** Stands for a payload that is not known yet. */
export const UNSERIALIZED: Payload = { type: undefined, data: null }
/** Stands for the payload of a `LateBody`. */
export const DEFERRED: Payload = { type: undefined, data: null }

/** Tells whether answers of a status never have content (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
export function isEmptyStatus(status: number): boolean {
  return status === 204 || status === 304 || status === 205
}

const TEXT_TYPE = 'text/plain; charset=utf-8'
const BYTES_TYPE = 'application/octet-stream'
const EVENTS_TYPE = 'text/event-stream'

export function jsonPayload(value: unknown, type: string = 'application/json'): Payload {
  const data: string | undefined = JSON.stringify(value)
  if (data === undefined) throw new TypeError(`Cannot serialise the answer: JSON has no form for ${typeof value}`)
  return { type, data }
}

/**
 * Creates the payload of a value. Returns a promise for a stream, which waits for its first chunk.
 *
 * @param type `Content-Type` of the author. An event stream starts before its first event
 */
export function toPayload(value: unknown, type: string | undefined): Payload | Promise<Payload> {
  if (value === undefined) return NO_PAYLOAD
  if (typeof value === 'string') return { type: TEXT_TYPE, data: value }
  if (value instanceof Uint8Array) return { type: BYTES_TYPE, data: value }
  if (!isAsyncIterable(value)) return jsonPayload(value)
  const chunks = openChunks(value)
  return type?.startsWith(EVENTS_TYPE) === true ? { type, data: chunks } : typedByFirstChunk(chunks)
}

/** A stream of strings is text, one of bytes is bytes: the first chunk says which, before the head is sent. */
async function typedByFirstChunk(chunks: Chunks): Promise<Payload> {
  const { first, all } = await peek(chunks)
  return { type: typeof first.value === 'string' ? TEXT_TYPE : BYTES_TYPE, data: all }
}

/** Ends what an answer would have streamed, when it cannot be sent. */
export function discard({ data }: Payload): void {
  if (isChunks(data)) data.cancel()
}

export function isChunks(data: Payload['data']): data is Chunks {
  return typeof data === 'object' && data !== null && !(data instanceof Uint8Array)
}
