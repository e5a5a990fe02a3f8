/** Finds secrets in strings by the names before them: in JSON, in output of `util.inspect`, in XML elements and in lines. */
import { MAX_NAME_LENGTH, NAME_CHARACTERS, REDACTED, matchStart, type IsSecret } from '../../secrets/secret-forms.js'

/** Separator between a name and its value. The search starts at separators, because a string contains fewer of them than words. */
const BETWEEN_NAME_AND_VALUE = /(?::|=>?)\s{0,10}(?=\\{0,15}["'`]|-?\d|[[{])/g
/** Maximum number of backslashes and of spaces between a name and the separator. */
const [MAX_SLASHES, MAX_SPACES] = [15, 10]
const SLASH: ReadonlySet<string> = new Set('\\')
/** A string or a number. A string that was cut off has no closing quote. */
const VALUE = /"(?:[^"\\]|\\[^])*|'(?:[^'\\]|\\[^])*|`(?:[^`\\]|\\[^])*|-?\d[\w.-]*/y
/** Tokens that find the end of an array or object: strings, brackets, and other characters. */
const TOKEN = /"(?:[^"\\]|\\[^])*"?|'(?:[^'\\]|\\[^])*'?|`(?:[^`\\]|\\[^])*`?|[[\]{}]|[^"'`[\]{}]+/y
const ELEMENT = /<([\w.-]{1,64})(?=[\s>])[^<>]{0,300}>([^<]+)/g
const LINE = /^([ \t]*(?:- )?["']?([\w.-]{1,64})["']?[ \t]*:)[ \t]*\S.*$/gm

/** Replaces the values of secret names: quoted strings, numbers, arrays, objects, and the content of XML elements. */
export function hideNamed(text: string, isSecret: IsSecret): string {
  const members = text.includes(':') || text.includes('=') ? hideMembers(text, isSecret) : text
  if (!members.includes('</')) return members
  return members.replace(ELEMENT, (element, name: string, content: string) =>
    isSecret(lastName(name)) ? `${element.slice(0, -content.length)}${REDACTED}` : element,
  )
}

function hideMembers(text: string, isSecret: IsSecret): string {
  let output = ''
  let end = 0
  // `matchAll` would compile the expression again for each string, which costs a third of the total time.
  BETWEEN_NAME_AND_VALUE.lastIndex = 0
  for (let match = BETWEEN_NAME_AND_VALUE.exec(text); match !== null; match = BETWEEN_NAME_AND_VALUE.exec(text)) {
    if (!isSecret(lastName(nameBefore(text, match.index)))) continue
    const from = BETWEEN_NAME_AND_VALUE.lastIndex
    const [quote = ''] = /^\\*["'`]/.exec(text.slice(from, from + 16)) ?? []
    output += `${text.slice(end, from)}${quote}${REDACTED}`
    end = quote.startsWith('\\') ? endOfEscaped(text, from, quote) : endOfValue(text, from)
    BETWEEN_NAME_AND_VALUE.lastIndex = end
  }
  return end === 0 ? text : output + text.slice(end)
}

function endOfValue(text: string, from: number): number {
  if ('[{'.includes(text.charAt(from))) return endOfNest(text, from)
  VALUE.lastIndex = from
  VALUE.test(text)
  return VALUE.lastIndex
}

/** Returns the end of a string in JSON that is itself in a JSON string. It ends with as many backslashes as it starts with. */
function endOfEscaped(text: string, from: number, quote: string): number {
  let end = text.indexOf(quote, from + quote.length)
  while (end > 0 && text.charAt(end - 1) === '\\') end = text.indexOf(quote, end + quote.length)
  return end < 0 ? text.length : end
}

function endOfNest(text: string, from: number): number {
  let depth = 0
  TOKEN.lastIndex = from
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if ('[{'.includes(token[0])) depth++
    else if (']}'.includes(token[0])) depth--
    if (depth === 0) return TOKEN.lastIndex
  }
  return text.length
}

/** Reads backward by character. A regular expression that ends at a position would be tried at every position before it. */
function nameBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - MAX_SPACES), end)
  const spaces = end - before.length + before.trimEnd().length
  const quote = '"\'`'.includes(text.charAt(spaces - 1)) ? Math.max(0, spaces - 1) : spaces
  const slashes = matchStart(text, quote, MAX_SLASHES, SLASH)
  const begin = matchStart(text, slashes, MAX_NAME_LENGTH + 1, NAME_CHARACTERS)
  return slashes - begin > MAX_NAME_LENGTH ? '' : text.slice(begin, slashes)
}

/** Returns `password` for `user.password`. */
function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** Replaces the rest of each line that starts with a secret name and a colon. */
export function hideLines(text: string, isSecret: IsSecret): string {
  if (!text.includes(':')) return text
  return text.replace(LINE, (line, head: string, name: string) => (isSecret(name) ? `${head} ${REDACTED}` : line))
}
