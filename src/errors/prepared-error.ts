/** Errors from Verbena that are thrown for many requests, and serialized once. */
import { frameworkError, type HttpError } from './http-error.js'
import { toProblem } from './problem.js'

/** Serialized problems of prepared errors, up to the request id. Serializing them for each request takes 6 % of a 404. */
const starts = new WeakMap<HttpError, string>()

/** Creates an error from Verbena that is thrown for many requests. Its problem is serialized only once. */
export function preparedError(...args: ConstructorParameters<typeof HttpError>): HttpError {
  const error = frameworkError(...args)
  starts.set(error, JSON.stringify(toProblem(error, '')).slice(0, -'""}'.length))
  return error
}

/** Returns the serialized problem of a prepared error; `undefined` for other errors. */
export function preparedText(error: HttpError, requestId: string): string | undefined {
  const start = starts.get(error)
  return start && `${start}${JSON.stringify(requestId)}}`
}
