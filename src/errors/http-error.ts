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

/** The body of an error answer, sent as `application/problem+json`. */
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
  /** Further members of this kind of problem. */
  readonly [extension: string]: unknown
}

export function problemOf(error: HttpError, requestId: string): Problem {
  const { status, detail, type = 'about:blank', extensions } = error
  const title = statusTitle(status)
  // Written out, because spreading what is nearly always nothing costs more than all the rest.
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, extensions, { requestId })
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
