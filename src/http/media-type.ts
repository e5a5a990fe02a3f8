/** Media types, read once by the strict grammar (RFC 9110 section 8.3.1), and what `Accept` admits (section 12.5.1). */
import { TOKEN } from './fields.js'

/** A media type, in lower case, and its parameters. */
export interface MediaType {
  /** Such as `text/html`. */
  readonly essence: string
  readonly type: string
  readonly subtype: string
  /** Values by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>
}

const ESSENCE = new RegExp(`(${TOKEN})/(${TOKEN})`, 'y')
const QUOTED = '"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*)"'
/** A parameter, a semicolon alone, or blanks at the end. */
const PARAMETER = new RegExp(`[ \\t]*(?:;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?|$)`, 'y')
const JSON_PARTS = { essence: 'application/json', type: 'application', subtype: 'json' }
const PLAIN_JSON: MediaType = { ...JSON_PARTS, parameters: new Map() }

/** Reads a media type; `undefined` when it does not follow the grammar or names a parameter twice. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text === 'application/json') return PLAIN_JSON
  ESSENCE.lastIndex = 0
  const [essence, type = '', subtype = ''] = ESSENCE.exec(text)?.map((part) => part.toLowerCase()) ?? []
  if (essence === undefined) return undefined
  const parameters = parseParameters(text, essence.length)
  return parameters && { essence, type, subtype, parameters }
}

function parseParameters(text: string, from: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (PARAMETER.lastIndex = from; PARAMETER.lastIndex < text.length;) {
    const found = PARAMETER.exec(text)
    if (found === null) return undefined
    const [, name, token, quoted = ''] = found
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1'))
  }
  return parameters
}

/** The pattern of a media type that is one of these; `*` stands for anything up to a slash. */
export function patternOfTypes(types: readonly string[]): string {
  const patterns = types.map((type) => type.replace(/[^\w/*]/g, '\\$&').replaceAll('*', '[^/]*'))
  return `(?:${patterns.join('|')})`
}

/** Prepares the check of a body's media type: one of some types such as `application/*+json`, in UTF-8. */
export function typeMatcher(types: readonly string[]): (media: MediaType) => boolean {
  const taken = new RegExp(`^${patternOfTypes(types)}$`, 'i')
  return ({ essence, parameters }) =>
    (parameters.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8' && taken.test(essence)
}

/** Tells whether `Accept` admits a type. The most specific range that fits decides (RFC 9110 section 12.5.1). */
export function admits(accept: string, type: string): boolean {
  return accept === '*/*' || accept === type || weightFor(accept, type) > 0
}

/** How much a client wants a type: the weight of the most specific range of `Accept` that fits it. */
export function weightFor(accept: string | undefined, type: string): number {
  if (accept === undefined) return 1
  const slash = type.indexOf('/')
  let best = 0
  let weight = 0
  for (const range of rangesOf(accept)) {
    const precision = precisionOf(range, type.slice(0, slash), type.slice(slash + 1))
    if (precision <= best) continue
    best = precision
    weight = weightOf(range)
  }
  return weight
}

/** Reads a parameter such as `version` in `application/json;version=1.4`, of the range of `Accept` with the greatest weight. */
export function acceptParameter(accept: string | undefined, name: string): string | undefined {
  let best = 0
  let value: string | undefined
  for (const range of rangesOf(accept ?? '')) {
    if (!range.parameters.has(name) || weightOf(range) <= best) continue
    best = weightOf(range)
    value = range.parameters.get(name)
  }
  return value
}

function precisionOf(range: MediaType, type: string, subtype: string): number {
  if (range.type === '*') return range.subtype === '*' ? 1 : 0
  if (range.type !== type) return 0
  if (range.subtype === '*') return 2
  if (range.subtype !== subtype) return 0
  // A range with parameters of its own says less about a type that is sent without.
  return range.parameters.size === Number(range.parameters.has('q')) ? 4 : 3
}

function weightOf(range: MediaType): number {
  const text = range.parameters.get('q')
  if (text === undefined) return 1
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
}

function rangesOf(accept: string): MediaType[] {
  return splitList(accept).flatMap((element) => parseMediaType(element) ?? [])
}

/** Splits a list at its commas, but not in quoted strings; one that is not closed takes in all that follows. */
function splitList(text: string): string[] {
  if (!text.includes('"')) return text.split(',').map((element) => element.trim())
  return Array.from(text.matchAll(/(?:"(?:[^"\\]|\\[^]?)*(?:"|$)|[^",])+/g), ([element]) => element.trim())
}
