/** Replies: status, body and headers before they are bytes. */
import { toAsyncIterable } from '../http/chunks.js'
import { applyChanges, toHeaderChanges, fieldsFrom, NO_FIELDS, type HeaderMap } from '../http/fields.js'
import { encodeReference } from '../http/link.js'
import { isChunks, isEmptyStatus, NO_PAYLOAD, UNSERIALIZED, type Payload } from '../http/payload.js'
import { discardPromise } from '../values/promises.js'

/** An answer that says its own status and headers. */
export interface Reply<S extends number = number, B = unknown> {
  /** Status of the answer. */
  readonly status: S
  /** Its body before it is serialised; of a finished answer the projected one, of a stream its chunks as an async iterable. */
  readonly body: B
  /** Its header fields by lower-case name; several `Set-Cookie` values stand in one entry, split by line feeds. */
  readonly headers: ReadonlyMap<string, string>
  /** What was thrown, when the request failed. */
  readonly error?: unknown
  /**
   * The same reply with other headers.
   *
   * @param headers values by name, which replace those there; `null` takes one away; `Vary`, `Link` and `Set-Cookie` join
   * @returns a new reply
   * @throws TypeError when a name or value cannot stand in a header
   */
  with(headers: Readonly<Record<string, string | null>>): this
}

/** A reply, and what is written for it once that is known. */
export class FullReply<S extends number = number, B = unknown> implements Reply<S, B> {
  readonly status: S
  readonly body: B
  readonly headers: HeaderMap
  error: unknown = undefined
  /** What is written; `PENDING` as long as the reply is only its author's word. */
  payload: Payload = UNSERIALIZED
  /** Whether it was checked against its contract and serialized, or made of an error. */
  isSerialized: boolean = false

  constructor(status: S, body: B, headers: HeaderMap) {
    this.status = status
    this.body = body
    this.headers = headers
  }

  with(headers: Readonly<Record<string, string | null>>): this {
    // Proof: what a type has beside a reply are marks of header fields, which are types only.
    return this.withFields(applyChanges(this.headers, toHeaderChanges(headers))) as this
  }

  /** The same reply with other headers, which are checked. */
  withFields(headers: HeaderMap): FullReply<S, B> {
    const reply = new FullReply(this.status, this.body, headers)
    reply.error = this.error
    reply.payload = this.payload
    reply.isSerialized = this.isSerialized
    return reply
  }
}

/** Makes a reply that is serialized. Middleware that wraps the body of a stream gets every chunk, as it would be sent. */
export function serializedReply(
  status: number,
  body: unknown,
  payload: Payload,
  headers: HeaderMap = NO_FIELDS,
): FullReply {
  const reply = new FullReply(status, isChunks(payload.data) ? toAsyncIterable(payload.data) : body, headers)
  reply.payload = payload
  reply.isSerialized = true
  return reply
}

/** The header fields of a reply: types only, by which the compiler holds it to a contract that describes some. */
export type HeaderMarks<Fields> = { readonly [K in keyof Fields as `header ${Lowercase<K & string>}`]: Fields[K] }

/** A reply for each of several statuses. */
export type ReplyOf<S extends number, B, Fields = {}> = S extends number ? MarkedReply<S, B, Fields> : never
type MarkedReply<S extends number, B, Fields> = {} extends Fields ? Reply<S, B> : Reply<S, B> & HeaderMarks<Fields>

/** Makes replies. */
export interface MakeReply {
  /**
   * Answers with a status alone.
   *
   * @param status 200 to 599
   * @returns a reply without a body
   * @throws RangeError for an invalid status
   */
  <const S extends number>(status: S): ReplyOf<S, null>
  /**
   * Answers with a status and a body.
   *
   * @param status 200 to 599
   * @param body the value to send
   * @param headers values by name
   * @returns a reply
   * @throws RangeError for an invalid status; TypeError for a body where the status has none, or a bad header
   */
  <const S extends number, B, const Fields extends Readonly<Record<string, string>> = {}>(
    status: S,
    body: B,
    headers?: Fields,
  ): ReplyOf<S, B, Fields>
}

/**
 * Answers with a status, and a body and headers where there are any.
 *
 * @example
 * ```ts
 * import { reply } from 'verbena'
 *
 * const created = reply(201, { id: '7' }, { location: '/users/7' })
 * created.status // => 201
 * created.with({ 'x-total': '1' }).headers.get('x-total') // => '1'
 * reply(404).body // => null
 * ```
 */
// Proof: without a body there is none in the reply either, as the first signature says.
export const reply: MakeReply = makeReply as MakeReply

function makeReply(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): FullReply {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`Cannot reply with status ${status}: a final status is a whole number from 200 to 599`)
  }
  if (isEmptyStatus(status) && body !== null && body !== undefined) {
    discardPromise(body)
    throw new TypeError(`Cannot reply with status ${status} and a body: this status has none`)
  }
  const fields = headers === undefined ? NO_FIELDS : fieldsFrom(headers)
  const fullReply = new FullReply(status, body === undefined ? null : body, fields)
  if (body === undefined) fullReply.payload = NO_PAYLOAD
  return fullReply
}

/** The statuses that send a client elsewhere (RFC 9110 section 15.4). */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/**
 * Sends the client elsewhere (RFC 9110 section 15.4).
 *
 * @param location path or URL; characters that may not stand in one are percent-encoded, once
 * @param status 302 unless given; 303 makes the next request a GET, 307 and 308 keep the method
 * @returns a reply without a body
 *
 * @example
 * ```ts
 * import { redirect } from 'verbena'
 *
 * redirect('/users/7', 303).headers.get('location') // => '/users/7'
 * ```
 */
export function redirect<const S extends RedirectStatus = 302>(location: string, status?: S): ReplyOf<S, null> {
  // Proof: `S` is 302 where no status is given.
  return makeReply(status ?? 302).with({ location: encodeReference(location) }) as unknown as ReplyOf<S, null>
}
