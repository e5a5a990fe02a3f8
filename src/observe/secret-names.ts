/**
 * Names of secrets. A name is one when one of its words is, however its words are joined: `newPassword`, `X-Vault-Token` and
 * `secret_access_key` are, `pinned`, `tokenize` and `cardinality` are not.
 */

/** Words that name a secret, alone or in the plural. */
const WORDS: readonly string[] = [
  ...['password', 'passwd', 'pwd', 'passphrase', 'passcode', 'secret', 'token', 'jwt', 'apikey', 'authorization'],
  ...[
    'credential',
    'cookie',
    'session',
    'sid',
    'csrf',
    'xsrf',
    'card',
    'cvv',
    'cvc',
    'pin',
    'otp',
    'totp',
    'iban',
    'ssn',
  ],
]

/** Words that name a secret together: `private key`, `recovery_codes`. */
const PAIRS: readonly string[] = [
  ...['api key', 'private key', 'access key', 'signing key', 'encryption key', 'master key', 'shared key', 'pass word'],
  ...['pass phrase', 'pass code', 'auth code', 'security code', 'recovery code', 'backup code', 'verification code'],
]

/** Names that are secret as a whole, while their words may stand in names that are not. */
const WHOLE: readonly string[] = ['pass', 'auth', 'xauth', 'bearer', 'sig', 'xamzsignature', 'xgoogsignature']

/** Names with such a word whose values are public. */
const PUBLIC: readonly string[] = [
  ...['accesscontrolallowcredentials', 'tokentype', 'tokenendpoint', 'authorizationendpoint'],
]

/** Ends of words that are written without a border: `newpassword`. No other word of English ends so. */
const ENDS =
  /(?:password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|sessionid|cardnumber|creditcard|credential)s?$/

/** A part of each of them. Most names have none, and asking that first costs a tenth of looking at their words (Node 20). */
const TRACE =
  /pass|pwd|secret|token|jwt|key|auth|cred|cookie|sess|sid|[cx]srf|card|cv[vc]|pin|otp|iban|ssn|code|bearer|sig/i

/** A capital begins a word, within a run of capitals only the last one before a small letter; all but letters separate words. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\P{L}\p{Lu}]+/gu

const SINGLE: ReadonlySet<string> = new Set(WORDS.flatMap((word) => [word, `${word}s`]))
const JOINED: ReadonlySet<string> = new Set(
  PAIRS.flatMap((pair) => {
    const joined = pair.replace(' ', '')
    return [joined, `${joined}s`]
  }),
)
const ALONE: ReadonlySet<string> = new Set(WHOLE)
const SHOWN: ReadonlySet<string> = new Set(PUBLIC)

/** Tells whether a name is one of a secret, in time that is linear in it. */
export function namesSecret(name: string): boolean {
  if (!TRACE.test(name)) return false
  const whole = bareName(name)
  if (SHOWN.has(whole)) return false
  if (ALONE.has(whole) || SINGLE.has(whole) || JOINED.has(whole)) return true
  let before = ''
  for (const [part] of name.matchAll(WORD)) {
    const word = part.toLowerCase()
    if (SINGLE.has(word) || JOINED.has(`${before}${word}`) || ENDS.test(word)) return true
    before = word
  }
  return false
}

/**
 * A name without what joins its words. Most have nothing to be taken out, and to look for it costs less than to replace
 * it. Returns lower case, without `-` and `_`.
 */
export function bareName(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes('-') || lower.includes('_') ? lower.replaceAll(/[-_]/g, '') : lower
}

/**
 * Tells whether a text is a word that names secrets, or one that many records have: as a value it tells nothing.
 * Returns true for `password`, `true` and the like.
 */
export function isCommonWord(text: string): boolean {
  const lower = text.toLowerCase()
  return COMMON.has(lower) || SINGLE.has(lower)
}

const COMMON: ReadonlySet<string> = new Set([
  ...[
    'true',
    'false',
    'null',
    'undefined',
    'none',
    'basic',
    'bearer',
    'redacted',
    'string',
    'number',
    'object',
    'array',
  ],
])
