/** Replies: status, headers and body of a response, before the body is serialized. */
import { toAsyncIterable } from '../http/chunks.js'
import { applyChanges, toHeaderChanges, toHeaderMap, NO_FIELDS, type HeaderMap } from '../http/fields.js'
import { encodeReference } from '../http/link.js'
import { isChunks, EMPTY_STATUSES, NO_PAYLOAD, UNSERIALIZED, type Payload } from '../http/payload.js'
import { discardPromise } from '../values/promises.js'

/** A response with its own status and headers, as returned by `reply()` and by `next()` in middleware. */
export interface Reply<S extends number = number, B = unknown> {
  /** HTTP status. */
  readonly status: S
  /** Body before it is serialized. In middleware: the projected body, or the chunks of a stream as an async iterable. */
  readonly body: B
  /** Header values by lower-case name. Several `Set-Cookie` values share one entry, separated by line feeds. */
  readonly headers: ReadonlyMap<string, string>
  /** The error thrown, if the request failed. */
  readonly error?: unknown
  /**
   * Returns a copy of the reply with changed headers.
   *
   * @param headers values by name, which replace existing ones; `null` removes a header; `Vary`, `Link` and `Set-Cookie` are appended
   * @returns a new reply
   * @throws TypeError if a name or value is not valid in a header
   */
  with(headers: Readonly<Record<string, string | null>>): this
}

export class FullReply<S extends number = number, B = unknown> implements Reply<S, B> {
  readonly status: S
  readonly body: B
  readonly headers: HeaderMap
  error: unknown = undefined
  /** Bytes or stream to send; `UNSERIALIZED` until the body is checked and serialized. */
  payload: Payload = UNSERIALIZED
  /** Whether the body was checked against the contract and serialized, or the reply was built from an error. */
  isSerialized: boolean = false
  /**
   * Whether `Cache-Control` is the default of event streams. Its `no-transform` is for proxies (RFC 9110 section 7.7), so Verbena may compress
   * the stream.
   */
  hasEventCaching: boolean = false

  constructor(status: S, body: B, headers: HeaderMap) {
    this.status = status
    this.body = body
    this.headers = headers
  }

  with(headers: Readonly<Record<string, string | null>>): this {
    const changes = toHeaderChanges(headers)
    const reply = this.withFields(applyChanges(this.headers, changes))
    if (reply.hasEventCaching) reply.hasEventCaching = changes.every(({ name }) => name !== 'cache-control')
    // Proof: types add only `HeaderMarks` to a reply, and these do not exist at run time.
    return reply as this
  }

  /** Returns a copy of the reply with other headers, which must already be checked. */
  withFields(headers: HeaderMap): FullReply<S, B> {
    const reply = new FullReply(this.status, this.body, headers)
    reply.error = this.error
    reply.payload = this.payload
    reply.isSerialized = this.isSerialized
    reply.hasEventCaching = this.hasEventCaching
    return reply
  }
}

/** Creates a serialized reply. The body of a stream becomes its chunks, so middleware can wrap them as they are sent. */
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

/** Types of the headers of a reply. They do not exist at run time; the compiler compares them with the headers of the contract. */
export type HeaderMarks<Fields> = { readonly [K in keyof Fields as `header ${Lowercase<K & string>}`]: Fields[K] }

/** Distributes over a union of statuses: `ReplyOf<200 | 404, B>` is `Reply<200, B> | Reply<404, B>`. */
export type ReplyOf<S extends number, B, Fields = {}> = S extends number ? MarkedReply<S, B, Fields> : never
type MarkedReply<S extends number, B, Fields> = {} extends Fields ? Reply<S, B> : Reply<S, B> & HeaderMarks<Fields>

/** Type of `reply`. */
export interface MakeReply {
  /**
   * Creates a reply without a body.
   *
   * @param status 200 to 599
   * @returns a reply whose body is `null`
   * @throws RangeError for an invalid status
   */
  <const S extends number>(status: S): ReplyOf<S, null>
  /**
   * Creates a reply with a body.
   *
   * @param status 200 to 599
   * @param body the value to send
   * @param headers values by name
   * @returns a reply
   * @throws RangeError for an invalid status; TypeError for an invalid header, or for a body with a status that has no body, such as 204
   */
  <const S extends number, B, const Fields extends Readonly<Record<string, string>> = {}>(
    status: S,
    body: B,
    headers?: Fields,
  ): ReplyOf<S, B, Fields>
}

/**
 * Creates a reply with a status, and optionally a body and headers. Return it from a handler.
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
// Proof: without a body, the body of the reply is `null`, as in the first signature.
export const reply: MakeReply = makeReply as MakeReply

function makeReply(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): FullReply {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`Cannot reply with status ${status}: the status must be an integer from 200 to 599`)
  }
  if (EMPTY_STATUSES.has(status) && body !== null && body !== undefined) {
    discardPromise(body)
    throw new TypeError(`Cannot reply with status ${status} and a body: a ${status} response has no body`)
  }
  const fields = headers === undefined ? NO_FIELDS : toHeaderMap(headers)
  const fullReply = new FullReply(status, body === undefined ? null : body, fields)
  if (body === undefined) fullReply.payload = NO_PAYLOAD
  return fullReply
}

/** Statuses that redirect a client (RFC 9110 section 15.4). */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/**
 * Creates a redirect (RFC 9110 section 15.4).
 *
 * @param location path or URL; invalid characters are percent-encoded, existing escapes stay as they are
 * @param status default 302; 303 changes the method of the next request to GET, 307 and 308 preserve it
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
  // Proof: `S` is 302 if `status` is omitted.
  return makeReply(status ?? 302).with({ location: encodeReference(location) }) as unknown as ReplyOf<S, null>
}
