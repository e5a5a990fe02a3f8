/** HTTP errors: what a handler, provider or middleware throws to answer with a problem (RFC 9457), and that problem. */
import { describeDiscarded } from '../values/describe-type.js'
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
interface DescribedErrors {
  // oxlint-disable-next-line no-explicit-any -- the members of the standard are not compared
  readonly '~standard': any
}
// In tuples, because a status that is not declared has no schema, and its error should be the compiler's only one.
type MembersIn<S> = [S] extends [never] ? {} : DescribedMembers<S>
type DescribedMembers<S> = S extends DescribedErrors ? NonNullable<S['~standard']['types']>['input'] : {}
type Ours = 'title' | 'status' | 'detail' | 'requestId'
/** With what the error itself says of the problem left out: it is no member that can be given. */
type Sendable<M> = { readonly [K in keyof M as K extends keyof HttpErrorParts | Ours ? never : K]: M[K] }
type ErrorOptions<Members> = {} extends Members
  ? [detail?: string, members?: Members]
  : [detail: string | undefined, members: Members]
type ErrorMessage<T> = { [K in keyof T]: T[K] } & {}

/** The text of an error of a contract, and the members that the schema of its status asks for. */
export type ErrorGiven<S> = ErrorOptions<ErrorMessage<Sendable<MembersIn<Exclude<S, undefined>>> & HttpErrorParts>>

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
  /** Who made it: Verbena itself, whose errors are frozen, or the application. */
  readonly source: 'framework' | 'handler' = 'handler'

  /**
   * @param status 400 to 599
   * @param detail text for the client
   * @param options type, headers, cause, and members of the problem
   * @throws RangeError when the status is not one of an error; TypeError for a header whose value is not a string
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
    this.headers = checkErrorHeaders(options.headers ?? NOTHING)
    this.extensions = options === NOTHING ? NOTHING : pickExtensions(options)
  }

  /** What is wrong with the request: those of `extensions.errors` that have the form of issues; none for most errors. */
  get issues(): readonly RequestIssue[] {
    const { errors } = this.extensions
    return Array.isArray(errors) ? errors.filter(isIssue) : []
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

/** Throws where the error is created. A header that Node rejects later would hide what failed. */
function checkErrorHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (headers === NOTHING) return NOTHING
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' || value === null) continue
    const state = `its value must be a string, not ${describeDiscarded(value)}`
    throw new TypeError(`Cannot set header "${name}" of an HTTP error: ${state}. Omit the header`)
  }
  return headers
}

/** Makes an error of the framework's own. It is frozen: `mapError` and middleware see it. */
export function frameworkError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = new HttpError(...given)
  Reflect.set(error, 'source', 'framework')
  Object.freeze(error.headers)
  Object.freeze(error.extensions)
  return Object.freeze(error)
}

/** Errors whose reason stands in the log already. */
const reported = new WeakSet<object>()

/** Makes an error of the framework's own that the log does not show for each request. */
export function reportedError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = frameworkError(...given)
  reported.add(error)
  return error
}

export function isReported(thrown: object): boolean {
  return reported.has(thrown)
}

function pickExtensions(options: HttpErrorOptions): Readonly<Record<string, unknown>> {
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

const PARTS = ['params', 'query', 'headers', 'cookies', 'body'] as const

/** One thing that is wrong with a request. */
export interface RequestIssue {
  /** Part of the request. */
  readonly in: (typeof PARTS)[number]
  /** Place in that part, as JSON Pointer (RFC 6901); `''` is the whole part. */
  readonly pointer: string
  /** What is wrong, in the words of the library or of the author of the schema. */
  readonly message: string
}

function isIssue(value: unknown): value is RequestIssue {
  const { in: part, pointer, message }: Readonly<Record<string, unknown>> = Object(value)
  return PARTS.some((each) => each === part) && typeof pointer === 'string' && typeof message === 'string'
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

/** The body of an error answer, sent as `application/problem+json` where no `errorFormat` says otherwise. */
export interface Problem extends ProblemMembers {
  /** The issues of a 422; of an `HttpError` of yours what you gave under this name. */
  readonly errors?: readonly RequestIssue[]
  /** How many further issues are left out; absent when none are. */
  readonly omitted?: number
  /** Further members of this kind of problem. */
  readonly [extension: string]: unknown
}

/** Media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

export function toProblem(
  error: HttpError,
  requestId: string,
  members: HttpError['extensions'] = error.extensions,
): Problem {
  const { status, detail, type = 'about:blank' } = error
  const title = statusTitle(status)
  // Written out, because to spread what is nearly always nothing costs more than all the rest.
  if (members === NOTHING && detail !== undefined) return { type, title, status, detail, requestId }
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, members, { requestId })
}

/** Of errors that the framework makes once: their problems as text, up to the id. To write such a text takes 6 % of a 404. */
const starts = new WeakMap<HttpError, string>()

/** Prepares an error of the framework's own that is thrown again and again. */
export function preparedError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = frameworkError(...given)
  starts.set(error, JSON.stringify(toProblem(error, '')).slice(0, -'""}'.length))
  return error
}

/** The problem of a prepared error as text; `undefined` for other errors. */
export function preparedText(error: HttpError, requestId: string): string | undefined {
  const start = starts.get(error)
  return start && `${start}${JSON.stringify(requestId)}}`
}
