/** Hides the values that databases quote in messages about unique keys, foreign keys and constraints, in linear time. */
import { REDACTED, type IsSecret } from './secret-forms.js'

/** A message with a value, as patterns of the strings around the value. */
interface Quoting {
  readonly begin: RegExp
  readonly end: RegExp
  /** Returns the names of the columns of a value; `null` if the message does not contain them. */
  readonly findNames: (text: string, from: number, to: number) => string | null
}

/** Maximum length of names of columns. */
const MAX_NAMES_LENGTH = 1_000
/** Matches a part of each message, because most strings contain none. */
const TRACE = /\)=\(|(?:row contains|key value is) \(|duplicate entry '/i

const QUOTINGS: readonly Quoting[] = [
  // PostgreSQL: `Key (token)=(x) already exists`.
  { begin: /\)=\(/g, end: /\) (?:already exists|is (?:still|not)|conflicts)|\)\.?$/g, findNames: findNamesBefore },
  // MySQL: `Duplicate entry 'x' for key 'users.token'`.
  { begin: /duplicate entry '/gi, end: /' for key '/g, findNames: findNamesAfter },
  // A row of PostgreSQL, and a key of SQL Server.
  { begin: /(?:failing row contains|duplicate key value is) \(/gi, end: /\)\.(?:[\s"'\\]|$)/g, findNames: () => null },
]

/** Replaces the values of keys with a secret name, and values without names. */
export function hideDatabaseValues(text: string, isSecret: IsSecret): string {
  if (!TRACE.test(text)) return text
  const isSecretList = (names: string | null): boolean =>
    names === null || names.split(/\W+/).some((name) => isSecret(name))
  return QUOTINGS.reduce((all, quoting) => hideQuoted(all, quoting, isSecretList), text)
}

function hideQuoted(
  text: string,
  { begin, end, findNames }: Quoting,
  isSecretList: (names: string | null) => boolean,
): string {
  let output = ''
  let done = 0
  begin.lastIndex = 0
  while (begin.test(text)) {
    const from = begin.lastIndex
    end.lastIndex = from
    const to = end.exec(text)?.index ?? text.length
    if (isSecretList(findNames(text, from, to))) {
      output += `${text.slice(done, from)}${REDACTED}`
      done = to
    }
    begin.lastIndex = to
  }
  return output + text.slice(done)
}

function findNamesBefore(text: string, from: number): string {
  const before = text.slice(Math.max(0, from - MAX_NAMES_LENGTH), from)
  const start = before.toLowerCase().lastIndexOf('key (')
  return start < 0 ? '' : before.slice(start + 'key ('.length)
}

/** Returns `null` for a message that was cut off. */
function findNamesAfter(text: string, _from: number, to: number): string | null {
  const [, , name = null] = text.slice(to, to + MAX_NAMES_LENGTH).split("'")
  return name
}
