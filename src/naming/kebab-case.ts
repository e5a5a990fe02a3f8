/** Kebab-case names, at run time and as types, and default paths of routes. */
import { SetupError } from '../errors/setup-error.js'

/** Returns the default path of a route: `/user-profiles` for `UserProfiles`. */
export function classPath(name: string): string {
  const words = kebabCase(name)
  if (words !== '') return `/${words}`
  const fix = 'Rename the route or declare "static readonly path"'
  throw new SetupError('ROUTE_NAME', `Cannot derive a path from "${name}": it has no letter or digit. ${fix}`)
}

/** Returns `user-profiles` for `UserProfiles`, `api-status` for `APIStatus`, and `''` for a name without words. */
export function kebabCase(name: string): string {
  return splitWords(name).join('-').toLowerCase()
}

/** Splits a class name into words: `APIStatus` into `API` and `Status`. Digits stay with the letters before; `_` and `$` separate. */
export function splitWords(name: string): string[] {
  // Handles one UTF-16 unit at a time, as template literal types do, because `KebabCase` has to find the same words.
  const marked = name.replace(/[^]/g, (unit, at: number) => (startsWord(name, at) ? `_${unit}` : unit))
  return marked.split(/[_$]+/).filter((word) => word !== '')
}

function startsWord(name: string, at: number): boolean {
  const after = name.charAt(at + 1)
  return isCapital(name.charAt(at)) && (!isCapital(name.charAt(at - 1)) || after !== after.toUpperCase())
}

function isCapital(unit: string): boolean {
  return unit !== unit.toLowerCase()
}

/** Result type of `kebabCase`; `string` for a name that is not a literal type. */
export type KebabCase<Name extends string> = string extends Name
  ? string
  : Lowercase<Hyphenate<TrimStart<Name>, '', ''>>

type Separator = '_' | '$'
type TrimStart<Name extends string> = Name extends `${Separator}${infer Rest}` ? TrimStart<Rest> : Name

// Tail recursion, so that names of up to about 1,000 letters work. A type for each condition would need 25 % more instantiations.
type Hyphenate<
  Name extends string,
  Before extends string,
  Done extends string,
> = Name extends `${infer Unit}${infer Rest}`
  ? Unit extends Separator
    ? AfterSeparator<TrimStart<Rest>, Done>
    : Unit extends Lowercase<Unit>
      ? Hyphenate<Rest, Unit, `${Done}${Unit}`>
      : Hyphenate<Rest, Unit, `${Done}${GapBeforeCapital<Before, Rest>}${Unit}`>
  : Done

type AfterSeparator<Rest extends string, Done extends string> = Rest extends '' ? Done : Hyphenate<Rest, '', `${Done}-`>

type GapBeforeCapital<Before extends string, Rest extends string> =
  Before extends Lowercase<Before> ? GapAfterOther<Before> : GapInRun<Rest>
type GapAfterOther<Before extends string> = Before extends '' ? '' : '-'
type GapInRun<Rest extends string> = Rest extends `${infer Unit}${string}` ? GapBeforeSmall<Unit> : ''
type GapBeforeSmall<Unit extends string> = Unit extends Uppercase<Unit> ? '' : '-'
