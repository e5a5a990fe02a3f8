/** Problem details (RFC 9457), the body of an error response. */
import { NO_HEADERS, type HttpError } from './http-error.js'
import type { ValidationMembers } from './request-issue.js'
import { statusTitle } from './status.js'

/** Members of every problem. */
export interface ProblemMembers {
  /** URI of the problem type; `about:blank` if the status is sufficient. */
  readonly type: string
  /** Title of the status. */
  readonly title: string
  /** Status of the response. */
  readonly status: number
  /** Message for the client. */
  readonly detail?: string
  /** Id of the request, also in the log and in `X-Request-Id`. */
  readonly requestId: string
}

/** Body of an error response. It is sent as `application/problem+json`, unless an `errorFormat` replaces it. */
export interface Problem extends ProblemMembers, ValidationMembers {
  /** Extension members of this problem type. */
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
  // A fast path, because spreading the members, which are nearly always empty, costs more than the rest of this function.
  if (members === NO_HEADERS && detail !== undefined) return { type, title, status, detail, requestId }
  const problem = detail === undefined ? { type, title, status } : { type, title, status, detail }
  return Object.assign(problem, members, { requestId })
}
