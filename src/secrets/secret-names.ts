/**
 * Recognizes names of secrets by their words: `newPassword` and `X-Vault-Token` are secret, `pinned` and `tokenize` are not.
 *
 * @see docs/decisions/0015-names-of-secrets.md
 */
import { latePattern } from '../values/late-pattern.js'

/** Words that name a secret, in singular or plural. */
const SINGLE =
  withPlurals(`password passwd pwd passphrase passcode secret token jwt apikey authorization credential cookie
  session sid csrf xsrf card cvv cvc pin otp totp iban ssn`)

/** Pairs of words that together name a secret, with or without a separator: `private key`, `recovery_codes`. */
const JOINED = withPlurals(`apikey privatekey accesskey signingkey encryptionkey masterkey sharedkey password passphrase
  passcode authcode securitycode recoverycode backupcode verificationcode`)

/** Secret names that must match completely, because their words also appear in public names. */
const WHOLE: ReadonlySet<string> = new Set(
  'pass auth xauth bearer sig xamzsignature xgoogsignature webhooksignature svixsignature'.split(' '),
)
/** Names that contain a secret word, although their values are public. */
const PUBLIC: ReadonlySet<string> = new Set(
  'accesscontrolallowcredentials tokentype tokenendpoint authorizationendpoint'.split(' '),
)

/** Endings of words without a separator, such as `newpassword`. No other English words have these endings. */
const ENDS =
  /(?:password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|sessionid|cardnumber|creditcard|credential)s?$/

/** Matches a part of each secret word. Most names contain none, and this check costs a tenth of checking their words (Node 20). */
const TRACE =
  /pass|pwd|secret|token|jwt|key|auth|cred|cookie|sess|sid|[cx]srf|card|cv[vc]|pin|otp|iban|ssn|code|bearer|sig/i

/** A word. It starts at a capital letter; in a run of capitals, at the last one before a lowercase letter. Non-letters separate words. */
const WORD = latePattern(String.raw`\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\P{L}\p{Lu}]+`, 'gu')

function withPlurals(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).flatMap((word) => [word, `${word}s`]))
}

export function namesSecret(name: string): boolean {
  if (!TRACE.test(name)) return false
  const plain = bareName(name)
  if (PUBLIC.has(plain)) return false
  if (WHOLE.has(plain) || SINGLE.has(plain) || JOINED.has(plain)) return true
  let before = ''
  for (const [part] of name.matchAll(WORD())) {
    const word = part.toLowerCase()
    if (SINGLE.has(word) || JOINED.has(`${before}${word}`) || ENDS.test(word)) return true
    before = word
  }
  return false
}

/** Returns the name in lower case, without `-` and `_`. Checks for them first, because most names have neither and a check is cheaper. */
export function bareName(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes('-') || lower.includes('_') ? lower.replaceAll(/[-_]/g, '') : lower
}

const COMMON: ReadonlySet<string> = new Set(
  'true false null undefined none basic bearer redacted string number object array'.split(' '),
)

/** Whether a string is a common word such as `token` or `true`, which is not hidden because it reveals no secret. */
export function isCommonWord(text: string): boolean {
  const lower = text.toLowerCase()
  return COMMON.has(lower) || SINGLE.has(lower)
}
