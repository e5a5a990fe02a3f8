/** What can be wrong with a path template, and what to write instead. */

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
const BRACED = /^\{[^{}]*\}$/
/** In braces, but neither a name nor a name and three dots. */
const NAMELESS = /^\{(?![\p{ID_Start}_$][\p{ID_Continue}$]*(?:\.{3})?\}$)[^{}]*\}$/u
const IN_SCHEMA = 'say in a schema for "params" what its value may be'

// The first broken rule speaks, so a rule may rely on those above it.
const RULES: readonly (readonly [broken: RegExp, says: (segment: string) => string])[] = [
  [/^$/, () => 'it has an empty segment. Write one "/" before each segment and none at the end'],
  [/^\.\.?$/, (segment) => `no request has the segment "${segment}". Write the path without it`],
  [/^:/, (segment) => `":" begins no parameter. Write "{${nameIn(segment, 'name')}}" instead of "${segment}"`],
  [/^\{__proto__(?:\.{3})?\}$/, () => 'no parameter can have the name "__proto__". Choose another name'],
  [
    NAMELESS,
    (segment) =>
      `"${findBraceError(segment)}" is not an identifier. Write "{${nameIn(segment, 'name')}}", and ${IN_SCHEMA}`,
  ],
  [/\*/, (segment) => `"*" is no wildcard. Write "{${nameIn(segment, 'rest')}...}" as the last segment`],
  [
    /^(?!\{[^{}]*\}$).*[{}]/,
    (segment) =>
      `"${segment}" has a brace beside other text. ` +
      `Write "{${nameIn(segment, 'name')}}" for the whole segment and take its value apart in the endpoint`,
  ],
  [
    /[()[\]|^\\]/,
    (segment) => `"${segment}" looks like a regular expression. Write "{name}" for the segment and ${IN_SCHEMA}`,
  ],
  [/%/, (segment) => `"${segment}" is percent-encoded. Write the character itself instead of "%" and digits`],
  [
    /\?/,
    () => '"?" begins a query. Describe it in "query" of the contract; for an optional segment declare two routes',
  ],
  [/#/, () => '"#" begins a fragment, which no client sends. Write the path without it'],
]

/** Looks for the first flaw of a path template: the state and the way out, as the second half of an error's text. */
export function findFlaw(text: string): string | undefined {
  if (UNPRINTABLE.test(text)) return 'it has a control character or half a surrogate pair. Write it without'
  if (!text.startsWith('/')) return 'it does not start with "/". Write the "/"'
  if (text === '/') return undefined
  const segments = text.slice(1).split('/')
  const [first] = segments.flatMap((segment) =>
    RULES.flatMap(([broken, says]) => (broken.test(segment) ? says(segment) : [])),
  )
  return first ?? wildcardFlaw(segments) ?? duplicateFlaw(segments)
}

function wildcardFlaw(segments: readonly string[]): string | undefined {
  const early = segments.slice(0, -1).find((segment) => segment.endsWith('...}'))
  if (early === undefined) return undefined
  return `"${early}" takes the rest of the path but is not the last segment. Write "{${findBraceError(early)}}" or end the path there`
}

function duplicateFlaw(segments: readonly string[]): string | undefined {
  const names = segments.filter((segment) => BRACED.test(segment)).map(findBraceError)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `the name "${twice}" stands in it twice. Give each parameter its own name`
}

// The name between the braces, without the dots of a wildcard.
function findBraceError(segment: string): string {
  return segment.slice(1, segment.endsWith('...}') ? -4 : -1)
}

function nameIn(segment: string, otherwise: string): string {
  return /[\p{ID_Start}_$][\p{ID_Continue}$]*/u.exec(segment)?.[0] ?? otherwise
}
