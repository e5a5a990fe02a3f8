/** Compares keywords that limit the values of one type: bounds such as `minimum`, and keywords such as `pattern` that are equal or not. */
import type { Alternative } from './alternatives.js'
import { finding, keywordPointer, keywordPlaces, type ChangeFinding, type Pair } from './finding.js'
import { canonical, type DocumentLocation } from './place.js'
import { isRecord } from '../../values/objects.js'

interface LimitKeyword {
  /** Name in the ids of rules. */
  readonly name: string
  readonly keyword: string
  /** 1 if a larger number is stricter, -1 if a smaller number is. */
  readonly sign: 1 | -1
  /** Returns the measured number of a value; `undefined` if the value has another type. */
  readonly measure: (value: unknown) => number | undefined
}

const ofNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const ofText = (value: unknown): number | undefined => (typeof value === 'string' ? [...value].length : undefined)
const ofList = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined)
const ofObject = (value: unknown): number | undefined => (isRecord(value) ? Object.keys(value).length : undefined)

const BOUNDS: readonly LimitKeyword[] = [
  { name: 'min', keyword: 'minimum', sign: 1, measure: ofNumber },
  { name: 'max', keyword: 'maximum', sign: -1, measure: ofNumber },
  { name: 'min-length', keyword: 'minLength', sign: 1, measure: ofText },
  { name: 'max-length', keyword: 'maxLength', sign: -1, measure: ofText },
  { name: 'min-items', keyword: 'minItems', sign: 1, measure: ofList },
  { name: 'max-items', keyword: 'maxItems', sign: -1, measure: ofList },
  { name: 'min-properties', keyword: 'minProperties', sign: 1, measure: ofObject },
  { name: 'max-properties', keyword: 'maxProperties', sign: -1, measure: ofObject },
]

/** A bound with its value. */
interface Limit {
  /** Value multiplied by the sign of its bound, so that larger is stricter. */
  readonly at: number
  readonly isExclusive: boolean
  readonly keyword: string
}

/** No limit. */
const NONE: Limit = { at: -Infinity, isExclusive: false, keyword: '' }

function strictestLimit(alternative: Alternative, { keyword, sign }: LimitKeyword): Limit {
  const limits = keywordPlaces(alternative, keyword).map((place) => ({
    at: sign * Number(place.value),
    isExclusive: false,
    keyword,
  }))
  const exclusive = keyword.replace('m', 'exclusiveM')
  for (const { value } of keywordPlaces(alternative, exclusive)) {
    const at = sign * Number(value)
    // For integers, a value above 0 is at least 1.
    const integerBound = { at: Math.floor(at) + 1, isExclusive: false, keyword: exclusive }
    limits.push(alternative.types.has('fraction') ? { at, isExclusive: true, keyword: exclusive } : integerBound)
  }
  return limits.reduce((narrowest, each) => (isNarrower(each, narrowest) ? each : narrowest), defaultMinimum(keyword))
}

/** A length or a number of items or properties is never below 0. */
function defaultMinimum(keyword: string): Limit {
  return /^min[LIP]/.test(keyword) ? { ...NONE, at: 0 } : NONE
}

function isNarrower(one: Limit, other: Limit): boolean {
  return one.at > other.at || (one.at === other.at && one.isExclusive && !other.isExclusive)
}

/** Reports bounds that are stricter for requests, or looser for responses. */
export function boundFindings({ before, after, side }: Pair): ChangeFinding[] {
  return BOUNDS.flatMap((bound) => {
    const [old, now] = [strictestLimit(before, bound), strictestLimit(after, bound)]
    const [wide, narrow] = side === 'request' ? [old, now] : [now, old]
    if (!isNarrower(narrow, wide)) return []
    const name = narrow.keyword.startsWith('exclusive') ? `exclusive-${bound.name}` : bound.name
    const how = describeChange(wide, side === 'request', bound)
    const pointer = keywordPointer(after, now.keyword || old.keyword)
    return [
      finding(
        `*-${name}-${how}`,
        pointer,
        `has a different "${narrow.keyword}": ${formatKeyword(now, bound)} instead of ${formatKeyword(old, bound)}`,
      ),
    ]
  })
}

function describeChange({ keyword }: Limit, isRequest: boolean, { sign }: LimitKeyword): string {
  if (keyword === '') return isRequest ? 'set' : 'unset'
  return isRequest === (sign === 1) ? 'increased' : 'decreased'
}

function formatKeyword({ at, keyword }: Limit, { sign }: LimitKeyword): string {
  return keyword === '' ? 'none' : String(at * sign)
}

/** Whether an alternative accepts a value according to its types, values and bounds. Other keywords are ignored. */
export function acceptsValue(alternative: Alternative, json: string): boolean {
  return alternative.values === null ? isWithinBounds(alternative, json) : alternative.values.includes(json)
}

/** Keywords that are compared as a whole, with their names in the ids of rules. */
const WHOLE_NUMBERS: readonly (readonly [keyword: string, name: string])[] = [
  ['pattern', 'pattern'],
  ['format', 'type'],
  ['multipleOf', 'multiple-of'],
  ['uniqueItems', 'unique-items'],
  ['unevaluatedItems', 'unevaluated-items'],
  ['patternProperties', 'pattern-property'],
  ['propertyNames', 'property-names'],
  ['dependentRequired', 'dependent-required'],
  ['dependentSchemas', 'dependent-schema'],
  ['unevaluatedProperties', 'unevaluated-properties'],
  ['not', 'not'],
  ['if', 'if'],
  ['then', 'then'],
  ['else', 'else'],
  ['contentEncoding', 'content-encoding'],
  ['contentMediaType', 'content-media-type'],
]

/** Reports keywords that a request must now match, or that a response no longer matches. */
export function wholeFindings(pair: Pair): ChangeFinding[] {
  const { before, after, side } = pair
  const source = side === 'request' ? before : after
  return WHOLE_NUMBERS.flatMap(([keyword, name]) => {
    const [old, now] = [keywordPlaces(before, keyword), keywordPlaces(after, keyword)]
    const [free, bound] = side === 'request' ? [old, now] : [now, old]
    const isKept = (place: DocumentLocation): boolean =>
      limitsNothing(keyword, place, source) || free.some((known) => impliesLimit(keyword, known, place))
    if (bound.every(isKept)) return []
    const only = side === 'request' ? 'added' : 'removed'
    const how = free.length > 0 || name === 'type' ? 'changed' : only
    return [finding(`*-${name}-${how}`, keywordPointer(after, keyword), `has a different "${keyword}"`)]
  })
}

/** Patterns that match every string. `^.*$` is not among them, because it does not match a string with a line break before its end. */
const MATCHES_ALL = /^\^?(?:\(?\.\*\)?)?$|^(?:\.\*)?\$$|^\^?\[(?:\\s\\S|\\S\\s)\]\*\$?$/

/** Whether every value of an alternative matches a keyword. */
function limitsNothing(keyword: string, { value }: DocumentLocation, { types }: Alternative): boolean {
  if (keyword === 'pattern') return MATCHES_ALL.test(String(value))
  if (keyword === 'multipleOf') return !types.has('fraction') && isMultiple(1, Number(value))
  return keyword === 'uniqueItems' && value === false
}

/** Whether a value that matches `known` also matches `bound`. */
function impliesLimit(keyword: string, known: DocumentLocation, bound: DocumentLocation): boolean {
  if (keyword === 'multipleOf') return isMultiple(Number(known.value), Number(bound.value))
  return canonical(known) === canonical(bound)
}

/** Whether a number is a multiple of another. Allows for rounding, because 0.3 / 0.1 is not exactly 3. */
function isMultiple(of: number, divisor: number): boolean {
  const quotient = of / divisor
  return Math.round(quotient) > 0 && Math.abs(quotient - Math.round(quotient)) < 1e-9 * quotient
}

/** Whether any value can be within both bounds, such as `minLength` and `maxLength`. */
export function hasRoom(alternative: Alternative, unit: 'imum' | 'Items' | 'Length' | 'Properties'): boolean {
  const limits = BOUNDS.filter(({ keyword }) => keyword.endsWith(unit)).map((bound) =>
    strictestLimit(alternative, bound),
  )
  const excess = limits.reduce((sum, { at }) => sum + at, 0)
  return excess < 0 || (excess === 0 && limits.every(({ isExclusive }) => !isExclusive))
}

/** Whether a value is within the bounds of an alternative. */
export function isWithinBounds(alternative: Alternative, json: string): boolean {
  const value: unknown = JSON.parse(json)
  return BOUNDS.every((bound) => {
    const measured = bound.measure(value)
    return (
      measured === undefined || !isNarrower(strictestLimit(alternative, bound), { ...NONE, at: bound.sign * measured })
    )
  })
}
