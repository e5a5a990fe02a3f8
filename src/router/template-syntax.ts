/** Syntax errors of path templates, with a fix for each. */
import { latePattern } from '../values/late-pattern.js'

/** Control characters and unpaired surrogates. */
export const UNPRINTABLE: RegExp = /[^ -~\u{a0}-\u{d7ff}\u{e000}-\u{10ffff}]/gu
const BRACED = /^\{[^{}]*\}$/
const ASCII_NAME = /^[A-Za-z_$][\w$]*$/
const NAME = latePattern(String.raw`[\p{ID_Start}_$][\p{ID_Continue}$]*`, 'u')
/** Wildcards of other frameworks, such as `:x*`, `{*x}`, `{x+}`, `{x:path}` and `[...x]`, but not repeated classes such as `[0-9]*`. */
const OTHER_WILDCARD = /(?<!\]|\\[a-z])\*|\.{3}|\.\+|^[:{]\w+\+|:path\}$/

// The first matching rule is reported, so each rule may rely on the ones before it.
const TEMPLATE_RULES: readonly (readonly [broken: Pick<RegExp, 'test'>, says: (segment: string) => string])[] = [
  [/^$/, () => 'it has an empty segment. Write one "/" before each segment and none at the end'],
  [/^\.\.?$/, (segment) => `clients remove the segment "${segment}" from URLs. Remove it`],
  [/^:/, (segment) => `":" does not start a parameter. Write "${parameterFor(segment)}" instead of "${segment}"`],
  [/^\{__proto__(?:\.{3})?\}$/, () => 'a parameter cannot have the name "__proto__". Use another name'],
  [
    { test: isNameless },
    (segment) =>
      `"${textInBraces(segment)}" is not an identifier. Write "${parameterFor(segment)}", ${restriction(segment)}`,
  ],
  [/\*/, (segment) => `"*" is not a wildcard. Write "{${parameterName(segment, 'rest')}...}" as the last segment`],
  [
    /^(?!\{[^{}]*\}$).*[{}]/,
    (segment) =>
      `"${segment}" has a brace next to other text. ` +
      `Write "{${parameterName(segment, 'name')}}" for the whole segment, and parse its value in the endpoint`,
  ],
  [
    /[()[\]|^\\]/,
    (segment) => {
      const fix = OTHER_WILDCARD.test(segment) ? parameterFor(segment) : '{name}'
      return `"${segment}" looks like a regular expression. Write "${fix}" for the segment, ${restriction(segment)}`
    },
  ],
  [/%/, (segment) => `"${segment}" is percent-encoded. Write the character itself instead of "%" and digits`],
  [/\?/, () => '"?" starts a query. Declare it in "query" of the contract; for an optional segment, write two routes'],
  [/#/, () => '"#" starts a fragment, which clients do not send. Remove it'],
]

/** Returns the first syntax error of a path template with its fix, for an error message; `undefined` for a valid template. */
export function findSyntaxError(text: string): string | undefined {
  if (text.search(UNPRINTABLE) >= 0) return 'it has a control character or half a surrogate pair. Remove it'
  if (!text.startsWith('/')) return 'it does not start with "/". Add the "/"'
  if (text === '/') return undefined
  const segments = text.slice(1).split('/')
  const [first] = segments.flatMap((segment) =>
    TEMPLATE_RULES.flatMap(([broken, says]) => (broken.test(segment) ? says(segment) : [])),
  )
  return first ?? wildcardError(segments) ?? duplicateError(segments)
}

/** Whether a segment is text in braces that is neither an identifier nor an identifier with three dots. */
function isNameless(segment: string): boolean {
  if (!BRACED.test(segment)) return false
  const text = textInBraces(segment)
  return !ASCII_NAME.test(text) && NAME().exec(text)?.[0] !== text
}

function wildcardError(segments: readonly string[]): string | undefined {
  const early = segments.slice(0, -1).find((segment) => segment.endsWith('...}'))
  if (early === undefined) return undefined
  return `"${early}" matches the rest of the path but is not the last segment. Write "{${textInBraces(early)}}", or end the path after it`
}

function duplicateError(segments: readonly string[]): string | undefined {
  const names = segments.filter((segment) => BRACED.test(segment)).map(textInBraces)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined
    ? undefined
    : `the parameter name "${twice}" is used twice. Use a different name for each parameter`
}

/** Returns the text between the braces, without the dots of a wildcard. */
function textInBraces(segment: string): string {
  return segment.slice(1, segment.endsWith('...}') ? -4 : -1)
}

/** Returns the parameter or wildcard to write instead of a segment. */
function parameterFor(segment: string): string {
  return `{${parameterName(segment, 'name')}${OTHER_WILDCARD.test(segment) ? '...' : ''}}`
}

function restriction(segment: string): string {
  return OTHER_WILDCARD.test(segment) ? 'as the last segment' : 'and restrict its value with a schema for "params"'
}

function parameterName(segment: string, otherwise: string): string {
  return NAME().exec(segment)?.[0] ?? otherwise
}
