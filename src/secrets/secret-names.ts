/** Names of secrets: one of the words is secret. `newPassword` and `X-Vault-Token` are such names, `pinned` and `tokenize` are not. */

/** Words that name a secret, alone or in the plural. */
const SINGLE =
  withPlurals(`password passwd pwd passphrase passcode secret token jwt apikey authorization credential cookie
  session sid csrf xsrf card cvv cvc pin otp totp iban ssn`)

/** Words that name a secret together, however they are joined: `private key`, `recovery_codes`. */
const JOINED = withPlurals(`apikey privatekey accesskey signingkey encryptionkey masterkey sharedkey password passphrase
  passcode authcode securitycode recoverycode backupcode verificationcode`)

/** Names that are secret as a whole, while their words may stand in names that are not. */
const WHOLE: ReadonlySet<string> = new Set('pass auth xauth bearer sig xamzsignature xgoogsignature'.split(' '))
/** Names with such a word whose values are public. */
const PUBLIC: ReadonlySet<string> = new Set(
  'accesscontrolallowcredentials tokentype tokenendpoint authorizationendpoint'.split(' '),
)

/** Ends of words that are written without a border: `newpassword`. No other word of English ends so. */
const ENDS =
  /(?:password|passwd|passphrase|passcode|secret|token|apikey|accesskey|privatekey|sessionid|cardnumber|creditcard|credential)s?$/

/** A part of each of them. Most names have none, and asking that first costs a tenth of looking at their words (Node 20). */
const TRACE =
  /pass|pwd|secret|token|jwt|key|auth|cred|cookie|sess|sid|[cx]srf|card|cv[vc]|pin|otp|iban|ssn|code|bearer|sig/i

/** A capital begins a word, within a run of capitals only the last one before a small letter; all but letters separate words. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\P{L}\p{Lu}]+/gu

function withPlurals(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).flatMap((word) => [word, `${word}s`]))
}

export function namesSecret(name: string): boolean {
  if (!TRACE.test(name)) return false
  const plain = bareName(name)
  if (PUBLIC.has(plain)) return false
  if (WHOLE.has(plain) || SINGLE.has(plain) || JOINED.has(plain)) return true
  let before = ''
  for (const [part] of name.matchAll(WORD)) {
    const word = part.toLowerCase()
    if (SINGLE.has(word) || JOINED.has(`${before}${word}`) || ENDS.test(word)) return true
    before = word
  }
  return false
}

/** A name in lower case, without `-` and `_`. Most have none, and to look for them costs less than to replace them. */
export function bareName(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes('-') || lower.includes('_') ? lower.replaceAll(/[-_]/g, '') : lower
}

const COMMON: ReadonlySet<string> = new Set(
  'true false null undefined none basic bearer redacted string number object array'.split(' '),
)

/** Tells whether a text is a word that names secrets, or one that many records have: as a value it tells nothing. */
export function isCommonWord(text: string): boolean {
  const lower = text.toLowerCase()
  return COMMON.has(lower) || SINGLE.has(lower)
}
