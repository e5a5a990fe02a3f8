/** Secrets in a text that follow a name and `=`: in the query of a link, or in a line of text. */
import { REDACTED } from './secret-forms.js'

/** Tells whether the value of a name is a secret. */
export type IsSecret = (name: string) => boolean

/** Nobody gives a member a longer name. */
export const LONGEST_NAME = 64
/** Values in quotes are looked at elsewhere, with all that JSON and inspections write. */
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`', '\\'])
/** As far as a value without quotes goes. */
const BARE = /[^\s&;,"'<>#]*/y

/**
 * Replaces the values of `key=value` without quotes, wherever they stand: in the query of a link, or in a line of text.
 */
export function hidePairs(text: string, isSecret: IsSecret): string {
  let shown = ''
  let end = 0
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', Math.max(at + 1, end))) {
    const name = text.slice(startOf(text, { end: at, most: LONGEST_NAME, holds: isOfKey }), at)
    if (name === '' || QUOTES.has(text.charAt(at + 1)) || !isSecret(name)) continue
    shown += `${text.slice(end, at + 1)}${REDACTED}`
    BARE.lastIndex = at + 1
    BARE.test(text)
    end = BARE.lastIndex
  }
  return end === 0 ? text : shown + text.slice(end)
}

/** Of a name, or `[`, `]` and `%`. */
function isOfKey(code: number): boolean {
  return isOfName(code) || code === 91 || code === 93 || code === 37
}

interface Run {
  readonly end: number
  /** Characters that are looked at. */
  readonly most: number
  readonly holds: (code: number) => boolean
}

/** Where the characters begin that stand together before an end: backwards, because an expression would be tried at all places before it. */
export function startOf(text: string, { end, most, holds }: Run): number {
  let at = end
  while (at > 0 && end - at < most && holds(text.charCodeAt(at - 1))) at--
  return at
}

/** A letter, a digit, `_`, `.` or `-`. */
export function isOfName(code: number): boolean {
  return (code > 96 && code < 123) || (code > 47 && code < 58) || isOtherOfName(code)
}

function isOtherOfName(code: number): boolean {
  return (code > 64 && code < 91) || code === 95 || code === 46 || code === 45
}
