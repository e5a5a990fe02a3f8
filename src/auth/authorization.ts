/** What `bearer`, `basic` and `apiKey` share: the `Authorization` header, the refusal of a token, checks of what they are given. */
import type { HttpError } from '../errors/http-error.js'
import { checkMembers, rule, type Rule } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { challenge, unauthorized } from '../injection/credentials.js'
import type { ServiceValues } from '../injection/service-store.js'
import { isObject } from '../values/objects.js'

/** What stands behind a scheme (RFC 9110 section 11.6.2), which may be nothing; `null` for another scheme or no header. */
export function credentialsOf(header: string | undefined, scheme: string): string | null {
  if (header === undefined) return null
  const end = header.indexOf(' ')
  const name = end < 0 ? header : header.slice(0, end)
  return name.toLowerCase() === scheme ? header.slice(name.length).replace(/^ +/, '') : null
}

/** Whether credentials are one word, as those of `Bearer` and `Basic` are (RFC 9110 section 11.2, `token68`). */
export function isToken68(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(text)
}

/** The error for a token that is refused (RFC 6750 section 3.1). */
export function invalidToken(why: string, realm?: string): HttpError {
  return unauthorized(why, challenge('Bearer', { realm, error: 'invalid_token', error_description: why }))
}

export function checkedVerify<Shown>(
  name: string,
  verify: unknown,
): (shown: Shown, services: ServiceValues) => unknown {
  // Proof: a function, of what `find` gives; `createApp` checks by type that the services it asks for are there.
  if (typeof verify === 'function') return verify as ReturnType<typeof checkedVerify<Shown>>
  throw invalid(name, `it is not given a function. Write "${name}(…, (credentials) => user)"`)
}

/** Checks options that are texts, which are quoted in a header. */
export function checkTexts(name: string, options: unknown, known: readonly string[]): void {
  if (!isObject(options)) throw invalid(name, `its options are no record. Write "{ ${known[0]}: '…' }"`)
  checkMembers(options, Object.fromEntries(known.map((key) => [key, textRule(key)])), (why) => invalid(name, why))
}

function textRule(key: string): Rule {
  const flaw = `"${key}" is not a text of visible ASCII characters. Use others`
  return rule((value) => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value), flaw)
}

export function invalid(name: string, why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider by ${name}: ${why}`)
}
