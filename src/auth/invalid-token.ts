/** What is wrong with a token, for the client. */
import { HttpError } from '../errors/http-error.js'
import { challenge } from '../injection/challenge.js'

/** The error for a token that is refused (RFC 6750 section 3.1). Returns an HTTP error 401 with `WWW-Authenticate`. */
export function invalidToken(why: string, realm?: string): HttpError {
  const text = challenge('Bearer', { realm, error: 'invalid_token', error_description: why })
  return new HttpError(401, why, { headers: { 'www-authenticate': text } })
}
