/** Parsing and errors of the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header). */
import { frameworkError, type HttpError } from '../../errors/http-error.js'

/** Section of the draft that explains the errors to clients. */
const HELP = 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header#section-2.7'

/** Maximum number of characters of a key. */
const MAX_KEY_LENGTH = 255

/** A String of RFC 9651 (section 3.3.3). Parameters of the Item are ignored. */
const QUOTED =
  /^"((?:[ !#-[\]-~]|\\["\\])*)"(?: *; *[a-z*][a-z0-9_.*-]*(?:=(?:"(?:[ !#-[\]-~]|\\["\\])*"|[!#-+\--:<-~]+))?)*$/
/** Key without quotes, as most clients send it: visible characters except quotes, commas and semicolons. */
const BARE = /^[!#-+\--:<-~]+$/

/** Parses the key of a request; `null` if the header is missing. Throws a 400 for a malformed key. */
export function parseIdempotencyKey(field: string | undefined): string | null {
  if (field === undefined) return null
  const quoted = QUOTED.exec(field)?.[1]
  const key = quoted?.replace(/\\(.)/g, '$1') ?? (BARE.test(field) ? field : '')
  if (key !== '' && key.length <= MAX_KEY_LENGTH) return key
  throw keyError(
    400,
    `Send one Idempotency-Key of 1 to ${MAX_KEY_LENGTH} characters, such as "8e03978e-40d5-43e8-bc93-6894a57f9324"`,
  )
}

/** Returns an error with the problem type and the help link of the draft. */
export function keyError(
  status: 400 | 409 | 422,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const link = `<${HELP}>; rel="describedby"; type="text/html"`
  return frameworkError(status, detail, { type: HELP, headers: { link, ...headers } })
}
