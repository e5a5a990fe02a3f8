/** Telling HTTP errors from whatever else was thrown. */
import { HttpError } from './http-error.js'

/**
 * Tells whether something that was thrown is an HTTP error. A foreign object may throw at any touch, even here. Returns
 * true for an `HttpError`.
 */
export function isHttpError(thrown: unknown): thrown is HttpError {
  try {
    return thrown instanceof HttpError
  } catch {
    return false
  }
}
