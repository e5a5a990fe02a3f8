/** HTTP errors, thrown by handlers, providers and middleware. */
import { describeDiscarded } from '../values/describe-type.js'
import { HTTP_ERROR, markCopy } from './copies.js'
import { isRequestIssue, type RequestIssue } from './request-issue.js'
import { statusTitle } from './status.js'

/** Options of an HTTP error, except extension members. */
export interface HttpErrorParts {
  /** URI of the problem type (RFC 9457 section 3.1.1); default `about:blank`. */
  readonly type?: string | undefined
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Cause of the error, for the log; never sent to the client. */
  readonly cause?: unknown
}

/** Options of an HTTP error. Any other key becomes an extension member of the problem. */
export interface HttpErrorOptions extends HttpErrorParts {
  /** Extension members of the problem (RFC 9457 section 3.2); values are sent as JSON. */
  readonly [extension: string]: unknown
}

/**
 * Why Verbena rejected the credentials or the signature of a request: `missing` without any, `malformed` if they have the wrong form,
 * `expired` if their time is over, `rejected` for every other reason.
 */
export type UnauthorizedReason = 'missing' | 'malformed' | 'expired' | 'rejected'

/** Contract with typed errors. */
export interface DeclaresErrors<Errors> {
  /** Schemas of extension members by status; exists only as a type. */
  readonly '~errors'?: Errors
}

/** Like `AnySchema`, which this folder cannot import. */
interface DescribedErrors {
  // oxlint-disable-next-line no-explicit-any -- matches any Standard Schema
  readonly '~standard': any
}
// In tuples, so that an undeclared status causes no further compiler errors.
type ErrorMembers<S> = [S] extends [never] ? {} : DescribedMembers<S>
type DescribedMembers<S> = S extends DescribedErrors ? NonNullable<S['~standard']['types']>['input'] : {}
type ReservedMember = 'title' | 'status' | 'detail' | 'requestId'
/** Omits members that the error sets itself, because callers cannot pass them. */
type Sendable<M> = { readonly [K in keyof M as K extends keyof HttpErrorParts | ReservedMember ? never : K]: M[K] }
type ErrorOptions<Members> = {} extends Members
  ? [detail?: string, members?: Members]
  : [detail: string | undefined, members: Members]
type ErrorMessage<T> = { [K in keyof T]: T[K] } & {}

/** Arguments of `HttpError.of` after the status: `detail`, then the extension members that the schema of the status requires. */
export type ErrorGiven<S> = ErrorOptions<ErrorMessage<Sendable<ErrorMembers<Exclude<S, undefined>>> & HttpErrorParts>>

/** Headers and extension members of an error without options. */
export const NO_HEADERS: Readonly<Record<string, never>> = Object.freeze({})

/**
 * An error for the client. Verbena sends its status and `detail` as problem details (RFC 9457).
 *
 * @example
 * ```ts
 * import { HttpError } from 'verbena'
 *
 * const error = new HttpError(404, 'No user 7', { userId: '7' })
 * error.status // => 404
 * error.message // => 'No user 7'
 * error.extensions // => { userId: '7' }
 * ```
 */
export class HttpError extends Error {
  /** Status of the response, from 400 to 599. */
  readonly status: number
  /** URI of the problem type; `undefined` if it was not set. */
  readonly type: string | undefined
  /** Message for the client; `undefined` if it was not set. It is also the error's `message`, which appears in the log. */
  readonly detail: string | undefined
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** Extension members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>
  /** `'framework'` for an error that Verbena created, which is frozen; `'handler'` for an error of your code. */
  readonly source: 'framework' | 'handler' = 'handler'
  /** Reason of a 401 from Verbena, for `mapError` and `errorFormat`; never sent to the client. `undefined` for all other errors. */
  readonly reason: UnauthorizedReason | undefined = undefined

  /**
   * @param status integer from 400 to 599
   * @param detail message for the client
   * @param options `type`, `headers`, `cause` and extension members
   * @throws RangeError for any other status; TypeError for a header whose value is not a string
   */
  constructor(status: number, detail?: string, options: HttpErrorOptions = NO_HEADERS) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`Cannot create an HTTP error: the status must be an integer from 400 to 599, not ${status}`)
    }
    super(detail ?? statusTitle(status), 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'HttpError'
    this.status = status
    // Members that the error sets itself are no extensions.
    const { type, headers, cause: _c, title: _t, status: _s, detail: _d, requestId: _r, ...extensions } = options
    this.type = type
    this.detail = detail
    this.headers = headers === undefined ? NO_HEADERS : checkErrorHeaders(headers)
    this.extensions = options === NO_HEADERS ? NO_HEADERS : extensions
  }

  /** Issues of the request: the valid issues in `extensions.errors`; often empty. */
  get issues(): readonly RequestIssue[] {
    const { errors } = this.extensions
    return Array.isArray(errors) ? errors.filter(isRequestIssue) : []
  }

  /**
   * Creates an error that a contract declares. The compiler checks the status, and the extension members against the schema in `errors`.
   * At run time, it is the same as `new HttpError(…)`.
   *
   * @param contract contract that declares the status in `errors`, directly or in its class
   * @param status a declared status
   * @param given message for the client, then extension members and optionally `type`, `headers` and `cause`
   * @returns the error; throw it to send it
   * @throws RangeError if the status is not an integer from 400 to 599
   *
   * @example
   * ```ts
   * import { HttpError, Route } from 'verbena'
   *
   * class Seats extends Route {
   *   static readonly get = this.contract({ errors: [404] })
   *   async get() {
   *     throw HttpError.of(Seats.get, 404, 'No such seat')
   *   }
   * }
   * HttpError.of(Seats.get, 404, 'No such seat').message // => 'No such seat'
   * ```
   */
  static of<Errors extends object, const Status extends keyof Errors & number>(
    contract: DeclaresErrors<Errors>,
    status: Status,
    ...given: ErrorGiven<Errors[Status]>
  ): HttpError
  static of(_contract: object, status: number, detail?: string, members?: HttpErrorOptions): HttpError {
    return new HttpError(status, detail, members)
  }
}

markCopy(HttpError.prototype, HTTP_ERROR)

/** Throws where the error is created. A header that Node rejects later would hide what failed. */
function checkErrorHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' || value === null) continue
    const state = `its value must be a string, not ${describeDiscarded(value)}`
    throw new TypeError(`Cannot set header "${name}" of an HTTP error: ${state}. Omit the header`)
  }
  return headers
}

/** Creates an error from Verbena. It is frozen, so that `mapError` and middleware cannot change it. */
export function frameworkError(
  status: number,
  detail?: string,
  options?: HttpErrorOptions,
  reason?: UnauthorizedReason,
): HttpError {
  const error = new HttpError(status, detail, options)
  Reflect.set(error, 'source', 'framework')
  Reflect.set(error, 'reason', reason)
  Object.freeze(error.headers)
  Object.freeze(error.extensions)
  return Object.freeze(error)
}

/** Creates a 401 from Verbena with a challenge (RFC 9110 section 11.6.1). */
export function unauthorizedError(detail: string, challenges: string, reason: UnauthorizedReason): HttpError {
  return frameworkError(401, detail, { headers: { 'www-authenticate': challenges } }, reason)
}

/** Errors whose cause is already in the log. */
const reported = new WeakSet<object>()

/** Creates an error from Verbena that is not logged for each request. */
export function reportedError(...args: ConstructorParameters<typeof HttpError>): HttpError {
  const error = frameworkError(...args)
  reported.add(error)
  return error
}

export function isReported(thrown: object): boolean {
  return reported.has(thrown)
}
