/** HTTP errors: what a handler, provider or middleware throws to answer with a problem (RFC 9457), and that problem. */
import { statusTitle } from './status.js'

/** What an HTTP error may carry besides its status and text; any other key becomes a member of the problem. */
export interface HttpErrorOptions {
  /** URI that names the kind of problem (RFC 9457 section 3.1.1); `about:blank` unless given. */
  readonly type?: string | undefined
  /** Headers of the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The error behind this one, for the log; never sent. */
  readonly cause?: unknown
  /** Extension members of the problem (RFC 9457 section 3.2); values are sent as JSON. */
  readonly [extension: string]: unknown
}

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

  /** What is wrong with the request: those of `extensions.errors` that have the form of issues; none for most errors. */
  get issues(): readonly RequestIssue[] {
    const { errors } = this.extensions
    return Array.isArray(errors) ? errors.filter(isIssue) : []
  }
}

/** Makes an error of the framework's own. It is frozen: `mapError` and middleware see it. */
export function frameworkError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = new HttpError(...given)
  Reflect.set(error, 'source', 'framework')
  Object.freeze(error.headers)
  Object.freeze(error.extensions)
  return Object.freeze(error)
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

/** The body of an error answer, sent as `application/problem+json` where no `errorFormat` says otherwise. */
export interface Problem {
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
  /** The issues of a 422; of an `HttpError` of yours what you gave under this name. */
  readonly errors?: readonly RequestIssue[]
  /** How many further issues are left out; absent when none are. */
  readonly omitted?: number
  /** Further members of this kind of problem. */
  readonly [extension: string]: unknown
}

/** Media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

export function problemOf(error: HttpError, requestId: string): Problem {
  const { status, detail, type = 'about:blank', extensions } = error
  const title = statusTitle(status)
  // Written out, because spreading what is nearly always nothing costs more than all the rest.
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, extensions, { requestId })
}

/** Of errors that the framework makes once: their problems as text, up to the id. To write such a text takes 6 % of a 404. */
const starts = new WeakMap<HttpError, string>()

/** Prepares an error of the framework's own that is thrown again and again. */
export function preparedError(...given: ConstructorParameters<typeof HttpError>): HttpError {
  const error = frameworkError(...given)
  starts.set(error, JSON.stringify(problemOf(error, '')).slice(0, -'""}'.length))
  return error
}

/** The problem of a prepared error as text; `undefined` for other errors. */
export function preparedText(error: HttpError, requestId: string): string | undefined {
  const start = starts.get(error)
  return start && `${start}${JSON.stringify(requestId)}}`
}
