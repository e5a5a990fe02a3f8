/** Checks of keys and values of option objects. Unknown keys are compiler errors if the compiler sees them, and setup errors otherwise. */
import { SetupError } from './setup-error.js'

/** Makes each key that is not in `Allowed` a compiler error. */
export type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}

// The compiler shows the type as the error message. `never` is for values of type `any`, which would be assignable to a message.
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`

/** Throws for the first unknown key. `help` suggests a similar key, then lists all known keys after `lead`. */
export function checkKeys(
  object: object,
  known: readonly string[],
  toError: (key: string, help: string) => Error,
  lead = 'Valid options are',
): void {
  const key = Object.keys(object).find((name) => !known.includes(name))
  if (key !== undefined) throw toError(key, `${suggestion(key, known)} ${lead} ${known.join(', ')}`)
}

/** Returns ` Did you mean "query"?` with a leading space, or an empty string if no known name is similar. */
export function suggestion(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: levenshtein(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined || best.distance > 2 ? '' : ` Did you mean "${best.candidate}"?`
}

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

/** Returns an error message for a value; `null` for a valid one. */
export type Rule = (value: unknown) => string | null
export type Rules = Readonly<Record<string, Rule>>

/** Creates a rule with a constant message. */
export function rule(holds: (value: unknown) => boolean, message: string): Rule {
  return (value) => (holds(value) ? null : message)
}

/** Rule for values that are checked elsewhere. */
export const ANYTHING: Rule = () => null

/** Throws for unknown keys and for values that violate their rule. The message calls keys "options" unless `lead` is set. */
export function checkMembers(object: object, rules: Rules, toError: (why: string) => Error, lead?: string): void {
  const noun = lead === undefined ? 'option' : 'key'
  checkKeys(object, Object.keys(rules), (key, help) => toError(`unknown ${noun} "${key}".${help}`), lead)
  checkValues(object, rules, toError)
}

/** Throws a setup error for unknown options and for values that violate their rule. */
export function checkOptionValues(object: object, rules: Rules, whatOf: (name: string) => string): void {
  const toError = (why: string, name: string): SetupError =>
    new SetupError('OPTION_INVALID', `Cannot use ${whatOf(name)}: ${why}`)
  checkKeys(object, Object.keys(rules), (name, help) => toError(`it is unknown.${help}`, name))
  checkValues(object, rules, toError)
}

/** Throws for the first value that violates its rule. Ignores `undefined`. */
function checkValues(object: object, rules: Rules, toError: (flaw: string, key: string) => Error): void {
  for (const [key, check] of Object.entries(rules)) {
    const value: unknown = Reflect.get(object, key)
    const message = value === undefined ? null : check(value)
    if (message !== null) throw toError(message, key)
  }
}
