/** Problem details, the body of every error answer (RFC 9457). */
import type { HttpError } from './http-error.js'
import { statusTitle } from './status.js'

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

/** The problem that an HTTP error shows to the client. */
export function problemOf(error: HttpError, requestId: string): Problem {
  const { status, detail, type = 'about:blank', extensions } = error
  const title = statusTitle(status)
  // Written out, because spreading what is nearly always nothing costs more than all the rest.
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, extensions, { requestId })
}
