/** HTTP errors: what a handler, provider or middleware throws to answer with a problem (RFC 9457), and that problem. */
import { statusTitle } from './status.js'

/** What an HTTP error may carry besides its status, its text and the members of its problem. */
export interface HttpErrorParts {
  /** URI that names the kind of problem (RFC 9457 section 3.1.1); `about:blank` unless given. */
  readonly type?: string | undefined
  /** Headers of the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The error behind this one, for the log; never sent. */
  readonly cause?: unknown
}

/** What an HTTP error may carry besides its status and text; any other key becomes a member of the problem. */
export interface HttpErrorOptions extends HttpErrorParts {
  /** Extension members of the problem (RFC 9457 section 3.2); values are sent as JSON. */
  readonly [extension: string]: unknown
}

/** A contract, as far as errors are typed by it. */
export interface DeclaresErrors<Errors> {
  /** Schemas of the members of problems by status; a type only. */
  readonly '~errors'?: Errors
}

/** A schema, as `AnySchema` has it, which this folder cannot import. */
interface Described {
  // oxlint-disable-next-line no-explicit-any -- the members of the standard are not compared
  readonly '~standard': any
}
type MembersIn<S> = S extends Described ? NonNullable<S['~standard']['types']>['input'] : {}
type Ours = 'title' | 'status' | 'detail' | 'requestId'
/** With what the error itself says of the problem left out: it is no member that can be given. */
type Sendable<M> = { readonly [K in keyof M as K extends keyof HttpErrorParts | Ours ? never : K]: M[K] }
type Given<Members> = {} extends Members
  ? [detail?: string, members?: Members]
  : [detail: string | undefined, members: Members]
type Shown<T> = { [K in keyof T]: T[K] } & {}

/** The text of an error of a contract, and the members that the schema of its status asks for. */
export type ErrorGiven<S> = Given<Shown<Sendable<MembersIn<Exclude<S, undefined>>> & HttpErrorParts>>

const NOTHING: Readonly<Record<string, never>> = Object.freeze({})
const RESERVED: ReadonlySet<string> = new Set(['type', 'title', 'status', 'detail', 'requestId', 'headers', 'cause'])

/**
 * An error that speaks to the client: its status and text are sent as problem details (RFC 9457).
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
  /** Status of the answer, 400 to 599. */
  readonly status: number
  /** URI of the kind of problem, when one was given. */
  readonly type: string | undefined
  /** Text for the client, when one was given; the log shows it as `message`. */
  readonly detail: string | undefined
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Further members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>

  /**
   * @param status 400 to 599
   * @param detail text for the client
   * @param options type, headers, cause, and members of the problem
   * @throws RangeError when the status is not one of an error
   */
  constructor(status: number, detail?: string, options: HttpErrorOptions = NOTHING) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`Cannot make an HTTP error: status ${status} is not between 400 and 599`)
    }
    super(detail ?? statusTitle(status), 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'HttpError'
    this.status = status
    this.type = options.type
    this.detail = detail
    this.headers = options.headers ?? NOTHING
    this.extensions = options === NOTHING ? NOTHING : extensionsOf(options)
  }

  /**
   * Makes an error that a contract declares: the compiler checks its status, and its members against the schema in `errors`. At run
   * time it is the same as `new HttpError(…)`.
   *
   * @param contract that names the status in `errors`, or whose class does
   * @param status one of them
   * @param given a text for the client; then the members of the problem, with `type`, `headers` and `cause` where you want them
   * @returns the error, to be thrown
   * @throws RangeError when the status is not one of an error
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

function extensionsOf(options: HttpErrorOptions): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([key]) => !RESERVED.has(key)))
}

/** Tells whether something that was thrown is an HTTP error. A foreign object may throw at any touch, even here. */
export function isHttpError(thrown: unknown): thrown is HttpError {
  try {
    return thrown instanceof HttpError
  } catch {
    return false
  }
}

/** The members that every problem has. */
export interface ProblemMembers {
  /** URI of the kind of problem; `about:blank` when the status says all. */
  readonly type: string
  /** Title of the status. */
  readonly title: string
  /** Status of the answer. */
  readonly status: number
  /** What happened, in words for the client. */
  readonly detail?: string
  /** Id of the request, also in the log and in `X-Request-Id`. */
  readonly requestId: string
}

/** The body of an error answer, sent as `application/problem+json`. */
export interface Problem extends ProblemMembers {
  /** Further members of this kind of problem. */
  readonly [extension: string]: unknown
}

export function problemOf(
  error: HttpError,
  requestId: string,
  members: HttpError['extensions'] = error.extensions,
): Problem {
  const { status, detail, type = 'about:blank' } = error
  const title = statusTitle(status)
  // Written out, because spreading what is nearly always nothing costs more than all the rest.
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, members, { requestId })
}

/** Of errors that the framework makes once: their problems as text, up to the id. To write such a text takes 6 % of a 404. */
const starts = new WeakMap<HttpError, string>()

/** Prepares an error that is thrown again and again. It is frozen, because middleware sees it. */
export function preparedError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = new HttpError(...given)
  starts.set(error, JSON.stringify(problemOf(error, '')).slice(0, -'""}'.length))
  return Object.freeze(error)
}

/** The problem of a prepared error as text; `undefined` for other errors. */
export function preparedText(error: HttpError, requestId: string): string | undefined {
  const start = starts.get(error)
  return start && `${start}${JSON.stringify(requestId)}}`
}
