/** Parses media types with the strict grammar (RFC 9110 section 8.3.1), and evaluates `Accept` (section 12.5.1). */
import { QUOTED_STRING, TOKEN, unescapePairs } from './fields.js'

/** A lower-case media type with its parameters. */
export interface MediaType {
  /** Type and subtype, such as `text/html`. */
  readonly essence: string
  readonly type: string
  readonly subtype: string
  /** Parameter values by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>
}

const ESSENCE = new RegExp(`(${TOKEN})/(${TOKEN})`, 'y')
/** A parameter, a semicolon without a parameter, or blanks at the end. */
const PARAMETER = new RegExp(`[ \\t]*(?:;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED_STRING}))?|$)`, 'y')
const JSON_PARTS = { essence: 'application/json', type: 'application', subtype: 'json' }
const PLAIN_JSON: MediaType = { ...JSON_PARTS, parameters: new Map() }

/** Parses a media type. Returns `undefined` if it is malformed or repeats a parameter. */
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
    const match = PARAMETER.exec(text)
    if (match === null) return undefined
    const [, name, token, quoted = ''] = match
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? unescapePairs(quoted))
  }
  return parameters
}

/** Type of a body without `Content-Type`, which a recipient may assume (RFC 9110 section 8.3). */
export const MISSING_TYPE = 'application/octet-stream'

/** Returns a check of a body's media type. It must match one of `types`, such as `application/*+json`, and its charset must be UTF-8. */
export function typeMatcher(types: readonly string[]): (media: MediaType) => boolean {
  const takesEssence = essenceMatcher(types)
  return ({ essence, parameters }) => isUtf8Charset(parameters.get('charset')) && takesEssence(essence)
}

/** Whether a charset is UTF-8, also by the alias `utf8` (WHATWG Encoding section 4.2), or missing. */
export function isUtf8Charset(charset: string = 'utf-8'): boolean {
  return /^utf-?8$/i.test(charset)
}

/**
 * Returns a check of lower-case media types without parameters. `*` in `types` matches any string without a slash. Takes linear time,
 * unlike a regular expression with several `*`.
 */
export function essenceMatcher(types: readonly string[]): (essence: string) => boolean {
  const lower = types.map((type) => type.toLowerCase())
  const exact = new Set(lower.filter((type) => !type.includes('*')))
  const patterns = lower.filter((type) => type.includes('*')).map((type) => type.split('/').map(wildcardMatcher))
  return (essence) => {
    if (exact.has(essence)) return true
    const parts = essence.split('/')
    return patterns.some((tests) => tests.length === parts.length && parts.every((part, at) => tests[at]?.(part)))
  }
}

/** Searches for each part between two `*` after the end of the previous match. */
function wildcardMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...middle] = pattern.split('*')
  const last = middle.pop()
  if (last === undefined) return (text) => text === pattern
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    for (const part of middle) {
      const index = text.indexOf(part, at)
      if (index < 0) return false
      at = index + part.length
    }
    return at <= text.length - last.length
  }
}

/** Returns the media type of a header without its parameters, in lower case. */
export function mediaEssence(field: string): string {
  const end = field.indexOf(';')
  return (end < 0 ? field : field.slice(0, end)).trimEnd().toLowerCase()
}

/** Whether `Accept` allows a type. The most specific matching range decides (RFC 9110 section 12.5.1). */
export function acceptsMediaType(accept: string, type: string): boolean {
  return accept === '*/*' || accept === type || acceptWeight(accept, type) > 0
}

/**
 * Returns the weight of the most specific range of `Accept` that matches a type; 0 if no range matches. Returns 1 if the header is missing,
 * empty or entirely malformed, because a server may ignore it then.
 */
export function acceptWeight(accept: string | undefined, type: string): number {
  const ranges = parseRanges(accept ?? '')
  if (ranges.length === 0) return 1
  const slash = type.indexOf('/')
  let best = 0
  let weight = 0
  for (const range of ranges) {
    const precision = rangePrecision(range, type.slice(0, slash), type.slice(slash + 1))
    if (precision <= best) continue
    best = precision
    weight = range.weight
  }
  return weight
}

/** Returns a parameter such as `version` in `application/json;version=1.4`, from the range of `Accept` with the greatest weight. */
export function acceptParameter(accept: string | undefined, name: string): string | undefined {
  let best = 0
  let value: string | undefined
  for (const { parameters, weight } of parseRanges(accept ?? '')) {
    const parameterValue = parameters.get(name)
    if (parameterValue === undefined || weight <= best) continue
    best = weight
    value = parameterValue
  }
  return value
}

/** A range of `Accept`, in lower case. */
interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly weight: number
  /** Parameters other than the weight. */
  readonly parameters: ReadonlyMap<string, string>
}

function rangePrecision(range: MediaRange, type: string, subtype: string): number {
  if (range.type === '*') return Number(range.subtype === '*')
  if (range.type !== type) return 0
  if (range.subtype === '*') return 2
  if (range.subtype !== subtype) return 0
  // A range with parameters is a weaker match for a type without parameters.
  if (range.parameters.size > 0) return 3
  return 4
}

const RANGE = new RegExp(`^(?:(${TOKEN})/(${TOKEN})|\\*)(?=[ \\t;]|$)`)

/** An element of a list. A quoted string can contain commas. Without an end, it includes the rest of the list. */
const ELEMENT = /(?:"(?:[^"\\]|\\[^]?)*(?:"|$)|[^",])+/g

/** Parses the ranges of `Accept`. Java before 19 sends `*` for any type. Other ranges without a subtype are skipped. */
function parseRanges(accept: string): MediaRange[] {
  let elements = accept.split(',')
  if (accept.includes('"')) elements = Array.from(accept.matchAll(ELEMENT), ([element]) => element)
  return elements.flatMap((element) => parseMediaRange(element.trim()) ?? [])
}

/**
 * A weight, more lenient than RFC 9110 section 12.4.2, because clients send `.2`, `1.5` and `0.80000001192092896`. Weights above 1, and
 * missing or malformed weights, count as 1. Only a weight of zero rejects a type.
 */
const WEIGHT = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/

function parseMediaRange(element: string): MediaRange | undefined {
  const match = RANGE.exec(element)
  if (match === null) return undefined
  const [whole, type = '*', subtype = '*'] = match
  const parameters = parseRangeParameters(element.slice(whole.length))
  const weightText = parameters.get('q')
  parameters.delete('q')
  let weight = 1
  if (weightText !== undefined && WEIGHT.test(weightText)) weight = Math.min(Number(weightText), 1)
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), weight, parameters }
}

const PARAMETER_PART = /(?:"(?:[^"\\]|\\[^]?)*(?:"|$)|[^";])+/g

/** Skips malformed parameters, and every parameter with a repeated name. */
function parseRangeParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  const repeated = new Set<string>()
  for (const [part] of text.matchAll(PARAMETER_PART)) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    let value = part.slice(equals + 1).trim()
    if (value.startsWith('"')) value = unescapePairs(value.slice(1, value.endsWith('"') ? -1 : undefined))
    if (name === '' || value === '') continue
    if (parameters.has(name)) repeated.add(name)
    parameters.set(name, value)
  }
  for (const name of repeated) parameters.delete(name)
  return parameters
}
