/** The field `Idempotency-Key`, and the problems that it can have (draft-ietf-httpapi-idempotency-key-header). */
import { frameworkError, type HttpError } from '../../errors/http-error.js'

/** Where the draft says what a client has to do. */
const HELP = 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header#section-2.7'

/** Characters of a key. */
const MAX_KEY_LENGTH = 255

/** A String of RFC 9651 (section 3.3.3); the parameters that an Item may have say nothing here. */
const QUOTED =
  /^"((?:[ !#-[\]-~]|\\["\\])*)"(?: *; *[a-z*][a-z0-9_.*-]*(?:=(?:"(?:[ !#-[\]-~]|\\["\\])*"|[!#-+\--:<-~]+))?)*$/
/** What most clients send: visible characters without quotes, commas and semicolons. */
const BARE = /^[!#-+\--:<-~]+$/

/** The key that a request has; `null` where it has none. */
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

/** An error of the draft: its type, and a link to what it means. */
export function keyError(
  status: 400 | 409 | 422,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const link = `<${HELP}>; rel="describedby"; type="text/html"`
  return frameworkError(status, detail, { type: HELP, headers: { link, ...headers } })
}
