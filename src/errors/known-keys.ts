/** Members of what an author writes: unknown ones are refused by the compiler where it sees them, else by a setup error. */
import { SetupError } from './setup-error.js'

/** Makes each key that `Allowed` does not have an error. */
export type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}

// A value of type `any` fits every type but `never`; for all others the error says what is wrong.
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`

/** Refuses the first unknown key; `help` suggests a known one and, after `lead`, lists them all. */
export function checkKeys(
  given: object,
  known: readonly string[],
  refuse: (key: string, help: string) => Error,
  lead = 'Known are',
): void {
  const key = Object.keys(given).find((name) => !known.includes(name))
  if (key !== undefined) throw refuse(key, `${suggestion(key, known)} ${lead} ${known.join(', ')}`)
}

/** Returns ` Did you mean "query"?` with a leading space, or an empty text when no known name is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: levenshtein(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined || best.distance > 2 ? '' : ` Did you mean "${best.candidate}"?`
}

/** Levenshtein distance, row by row. */
function levenshtein(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, char] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]]
      next.push(Math.min(above + 1, left + 1, diagonal + (char === other ? 0 : 1)))
    }
    row = next
  }
  const { [to.length]: distance = 0 } = row
  return distance
}

/** Tells what is wrong with a value; `null` for a good one. */
export type Rule = (value: unknown) => string | null
export type Rules = Readonly<Record<string, Rule>>

/** A rule whose text says nothing of the value. */
export function rule(holds: (value: unknown) => boolean, flaw: string): Rule {
  return (value) => (holds(value) ? null : flaw)
}

/** For members that are checked elsewhere. */
export const ANYTHING: Rule = () => null

/** Refuses unknown members, called options where no `lead` begins the list of keys, and those that break their rule. */
export function checkMembers(given: object, rules: Rules, refuse: (why: string) => Error, lead?: string): void {
  const noun = lead === undefined ? 'option' : 'key'
  checkKeys(given, Object.keys(rules), (key, help) => refuse(`unknown ${noun} "${key}".${help}`), lead)
  checkValues(given, rules, refuse)
}

/** Refuses unknown options, and those that break their rule. */
export function checkOptionValues(given: object, rules: Rules, whatOf: (name: string) => string): void {
  const refuse = (why: string, name: string): SetupError =>
    new SetupError('OPTION_INVALID', `Cannot use ${whatOf(name)}: ${why}`)
  checkKeys(given, Object.keys(rules), (name, help) => refuse(`it is unknown.${help}`, name))
  checkValues(given, rules, refuse)
}

/** Refuses the first member that breaks its rule; `undefined` counts as absent. */
function checkValues(given: object, rules: Rules, refuse: (flaw: string, key: string) => Error): void {
  for (const [key, flawOf] of Object.entries(rules)) {
    const value: unknown = Reflect.get(given, key)
    const flaw = value === undefined ? null : flawOf(value)
    if (flaw !== null) throw refuse(flaw, key)
  }
}
