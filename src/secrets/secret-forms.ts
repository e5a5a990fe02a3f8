/** Finds secrets in strings by their pattern or by the name before them, in time linear in the length of the string. */
import { Buffer } from 'node:buffer'
import { valueOr } from '../values/value-or.js'

/** Replaces every secret. It is always the same, so that it does not reveal the length of the secret. */
export const REDACTED = 'redacted'

const FORMS: readonly RegExp[] = [
  /\bbearer +[^\s"',;]+/gi,
  /(?<![\w-])eyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?/g,
  /-----BEGIN [^-]*-----[^]*?(?:-----END [^-]*-----|$)/g,
]
const BASIC = /\bbasic +([\w+/-]{4,}={0,2})/gi
/** Matches a part of each pattern. Most strings contain none, and this check costs a ninth of four replacements (Node 20). */
const TRACE = /bearer |basic |eyJ|-----BEGIN |:\/\//i

/** Hides bearer tokens, basic credentials, JSON Web Tokens, PEM blocks and the user info of URLs. */
export function hideForms(text: string): string {
  if (!TRACE.test(text)) return text
  const withoutForms = FORMS.reduce((all, form) => all.replace(form, REDACTED), text).replace(BASIC, hideBasic)
  return withoutForms.includes('://') && withoutForms.includes('@') ? hideUsers(withoutForms) : withoutForms
}

/** Keeps strings such as "Basic authentication", which do not decode to a user and a password. */
function hideBasic(found: string, encoded: string): string {
  return Buffer.from(encoded, 'base64').includes(':') ? REDACTED : found
}

/** User info of a URL and its `@` (RFC 3986 section 3.2.1). It cannot contain `/`, `?` or `#`. */
const USER = /[^\s/?#]*@/y
/** User and colon. The password after them often contains `/`, `?` or `#`, although they should be encoded. */
const USER_AND_COLON = /[^\s/?#:@[\]"<>`]*:/y
/** A URL in a string, up to the first character that cannot be part of it. */
const WHOLE_FORM = /[^\s"<>`]*/y
const PORT = /\d{0,5}(?=[/?#])/y
const WEB_SCHEME = /(?:https?|wss?)$/i

/** Hides everything before the last `@`, unless a web URL has a port. Keeps `http://localhost:3000/@vite`, hides `redis://ann:1/2@host`. */
function hideUsers(text: string): string {
  let output = ''
  let done = 0
  let lastMatch = { end: 0, at: -1 }
  for (let from = text.indexOf('://'); from >= 0; from = text.indexOf('://', Math.max(from + 3, done))) {
    const begin = from + 3
    // A word can contain several URLs. Its end is found only once.
    if (begin >= lastMatch.end) lastMatch = matchWhole(text, begin)
    const end = endOfUser(text, begin, lastMatch.at)
    if (end < 0) continue
    output += `${text.slice(done, begin)}${REDACTED}`
    done = end
  }
  return output + text.slice(done)
}

function matchWhole(text: string, begin: number): { end: number; at: number } {
  const end = matchEnd(WHOLE_FORM, text, begin)
  const at = text.slice(begin, end).lastIndexOf('@')
  return { end, at: at < 0 ? -1 : begin + at }
}

/** Returns the position of the `@`; -1 if the URL has no user info. */
function endOfUser(text: string, begin: number, lastAt: number): number {
  const colon = matchEnd(USER_AND_COLON, text, begin)
  const userEnd = matchEnd(USER, text, begin) - 1
  const isPort = matchEnd(PORT, text, colon) >= 0 && WEB_SCHEME.test(text.slice(Math.max(0, begin - 8), begin - 3))
  return colon < 0 || isPort || lastAt < colon ? userEnd : Math.max(userEnd, lastAt)
}

/** Returns -1 if the pattern does not match. */
function matchEnd(form: RegExp, text: string, from: number): number {
  form.lastIndex = from
  return form.test(text) ? form.lastIndex : -1
}

/** Whether a value with this name is a secret. */
export type IsSecret = (name: string) => boolean
/** Maximum length of a name. Real property names are shorter. */
export const MAX_NAME_LENGTH = 64
/** Characters of a name. */
export const NAME_CHARACTERS: ReadonlySet<string> = new Set(
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-',
)
const KEY_CHARACTERS: ReadonlySet<string> = new Set([...NAME_CHARACTERS, '[', ']', '%'])
/** Start of a quoted value. The console's `hideNamed` handles those, including their escapes. */
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`', '\\'])
/** A value without quotes. */
const BARE_VALUE = /[^\s&;,"'<>#]*/y

/** Hides the values of secret keys in `key=value` without quotes, such as in the query of a URL or in a log message. */
export function hidePairs(text: string, isSecret: IsSecret): string {
  let output = ''
  let end = 0
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', Math.max(at + 1, end))) {
    const name = text.slice(matchStart(text, at, MAX_NAME_LENGTH, KEY_CHARACTERS), at)
    if (name === '' || QUOTES.has(text.charAt(at + 1)) || !isSecret(name)) continue
    output += `${text.slice(end, at + 1)}${REDACTED}`
    BARE_VALUE.lastIndex = at + 1
    BARE_VALUE.test(text)
    end = BARE_VALUE.lastIndex
  }
  return end === 0 ? text : output + text.slice(end)
}

/** Returns the start of a run of characters before `end`. Searches backward, because a regular expression would try every position. */
export function matchStart(text: string, end: number, most: number, characters: ReadonlySet<string>): number {
  let at = end
  while (at > 0 && end - at < most && characters.has(text.charAt(at - 1))) at--
  return at
}

/** Decodes a URL-encoded string, in which `+` is a space. Returns a malformed string unchanged. */
export function decodeUrlEncoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  return valueOr(() => decodeURIComponent(text.replaceAll('+', ' ')), text)
}
