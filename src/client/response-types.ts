/** Types of the responses of the client. */
import type { Problem } from '../errors/problem.js'
import type { KnownErrorStatus } from '../errors/status.js'

/** Response with a status below 400. */
export interface Success<Status = number, Body = unknown> {
  /** `true`, because the status is below 400. */
  readonly ok: true
  /** Status of the response. */
  readonly status: Status
  /** The parsed body: a JSON value, a string, bytes, or an iterable of events; `null` for a response without a body. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}

/** Successful response with headers that the contract declares. */
export interface HeadedSuccess<Status, Body, Fields> extends Success<Status, Body> {
  /** Headers of the response. `get` knows the names of the declared headers. */
  readonly headers: KnownHeaders<Fields> & Headers
}

/** Error of `returns` with headers that the contract declares. */
export interface HeadedFailure<Status, Body, Fields> extends Failure<Status, Body> {
  /** Headers of the response. `get` knows the names of the declared headers. */
  readonly headers: KnownHeaders<Fields> & Headers
}

/** Headers that the contract declares. */
export interface KnownHeaders<Fields> {
  /**
   * Returns the value of a header.
   *
   * @param name name of the header, spelled as in the schema
   * @returns the value as a string; `null` if an optional header is missing
   */
  get<Name extends keyof Fields>(name: Name): FieldText<Fields[Name]>
}
type FieldText<Value> = Value extends undefined ? null : Value

/** Response with a status of 400 or above. Its body is a problem (RFC 9457), has the app's `errorFormat`, or is declared in `returns`. */
export interface Failure<Status = KnownErrorStatus, Body = Problem> {
  /** `false`, because the status is 400 or above. */
  readonly ok: false
  /** Status of the response. */
  readonly status: Status
  /** Description of the error; for a status in `returns`, the declared body. */
  readonly body: Body
  /** Its header fields. */
  readonly headers: Headers
}
