/** Secrets in a text: known by their form alone, or by the name before them. Each is found in time that is linear in the text. */
import { Buffer } from 'node:buffer'
import { valueOr } from '../values/quietly.js'

/** What stands in the place of a secret; it does not tell how long that is. */
export const REDACTED = 'redacted'

const FORMS: readonly RegExp[] = [
  /\bbearer +[^\s"',;]+/gi,
  /(?<![\w-])eyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?/g,
  /-----BEGIN [^-]*-----[^]*?(?:-----END [^-]*-----|$)/g,
]
const BASIC = /\bbasic +([\w+/-]{4,}={0,2})/gi
/** Something of each of them: most texts have none, and asking that first costs a ninth of four replacements (Node 20). */
const TRACE = /bearer |basic |eyJ|-----BEGIN |:\/\//i

/** Hides bearer tokens, basic credentials, JSON Web Tokens, PEM blocks and the user of a URL. */
export function hideForms(text: string): string {
  if (!TRACE.test(text)) return text
  const withoutForms = FORMS.reduce((all, form) => all.replace(form, REDACTED), text).replace(BASIC, hideBasic)
  return withoutForms.includes('://') && withoutForms.includes('@') ? hideUsers(withoutForms) : withoutForms
}

/** A text such as "Basic authentication" has the same form, and holds no user and password. */
function hideBasic(found: string, encoded: string): string {
  return Buffer.from(encoded, 'base64').includes(':') ? REDACTED : found
}

/** What may stand before the `@` of a URL as RFC 3986 has it: up to the end of the authority. */
const USER = /[^\s/?#]*@/y
/** A user and the begin of a password; `/`, `?` and `#` in the password, which should be encoded there, often are not. */
const USER_AND_COLON = /[^\s/?#:@[\]"<>`]*:/y
/** As long as a URL goes that is written into a text. */
const WHOLE = /[^\s"<>`]*/y
const PORT = /\d{0,5}(?=[/?#])/y
const WEB = /(?:https?|wss?)$/i

/** Hides all up to the last `@`, but for a port of the web: `http://localhost:3000/@vite` is shown, `postgres://ann:123/45@host` is not. */
function hideUsers(text: string): string {
  let output = ''
  let done = 0
  let lastMatch = { end: 0, at: -1 }
  for (let from = text.indexOf('://'); from >= 0; from = text.indexOf('://', Math.max(from + 3, done))) {
    const begin = from + 3
    // Several may stand in one word; its end is looked for once.
    if (begin >= lastMatch.end) lastMatch = wholeAt(text, begin)
    const end = endOfUser(text, begin, lastMatch.at)
    if (end < 0) continue
    output += `${text.slice(done, begin)}${REDACTED}`
    done = end
  }
  return output + text.slice(done)
}

function wholeAt(text: string, begin: number): { end: number; at: number } {
  const end = matchEnd(WHOLE, text, begin)
  const at = text.slice(begin, end).lastIndexOf('@')
  return { end, at: at < 0 ? -1 : begin + at }
}

/** Position of the `@`; -1 where there is no user. */
function endOfUser(text: string, begin: number, lastAt: number): number {
  const colon = matchEnd(USER_AND_COLON, text, begin)
  const userEnd = matchEnd(USER, text, begin) - 1
  const isPort = matchEnd(PORT, text, colon) >= 0 && WEB.test(text.slice(Math.max(0, begin - 8), begin - 3))
  return colon < 0 || isPort || lastAt < colon ? userEnd : Math.max(userEnd, lastAt)
}

/** -1 where it does not match. */
function matchEnd(form: RegExp, text: string, from: number): number {
  form.lastIndex = from
  return form.test(text) ? form.lastIndex : -1
}

/** Tells whether the value of a name is a secret. */
export type IsSecret = (name: string) => boolean
/** Nobody gives a member a longer name. */
export const MAX_NAME_LENGTH = 64
/** The characters of a name, and of a key in a query. */
export const OF_NAME: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-')
const OF_KEY: ReadonlySet<string> = new Set([...OF_NAME, '[', ']', '%'])
/** Values in quotes are looked at elsewhere, with all that JSON and inspections write. */
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`', '\\'])
/** As far as a value without quotes goes. */
const BARE = /[^\s&;,"'<>#]*/y

/** Hides the values of `key=value` without quotes, wherever they stand: in the query of a link, or in a line of text. */
export function hidePairs(text: string, isSecret: IsSecret): string {
  let output = ''
  let end = 0
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', Math.max(at + 1, end))) {
    const name = text.slice(matchStart(text, at, MAX_NAME_LENGTH, OF_KEY), at)
    if (name === '' || QUOTES.has(text.charAt(at + 1)) || !isSecret(name)) continue
    output += `${text.slice(end, at + 1)}${REDACTED}`
    BARE.lastIndex = at + 1
    BARE.test(text)
    end = BARE.lastIndex
  }
  return end === 0 ? text : output + text.slice(end)
}

/** Where a run of some characters before an end begins. Backwards: an expression would be tried at all places before the end. */
export function matchStart(text: string, end: number, most: number, characters: ReadonlySet<string>): number {
  let at = end
  while (at > 0 && end - at < most && characters.has(text.charAt(at - 1))) at--
  return at
}

/** Decodes a text as forms and queries are encoded. */
export function decodeUrlEncoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  return valueOr(() => decodeURIComponent(text.replaceAll('+', ' ')), text)
}
