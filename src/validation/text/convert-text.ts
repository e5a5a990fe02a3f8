/** Converts strings to the types that a schema allows. */
import { ANY, type TextType } from './text-type.js'

/** Value of one key: a string, or several strings in the order in which they were sent. */
export type TextValue = string | readonly string[]

/** Sent strings by key; an array if a key was repeated. */
export type RawText = Readonly<Record<string, TextValue | undefined>>

const TRUTHS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }))
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Converts the value of one key. A string that does not exactly match the type is not changed, and the validator rejects it. */
export function convertText(value: TextValue, type: TextType): unknown {
  if (type === ANY) return value
  if (typeof value === 'string') return type.text ? value : convertOne(value, type)
  const { items, positions } = type
  if (items === undefined) return value
  if (positions.length === 0) return value.map((item) => convertText(item, items))
  return value.map((item, at) => convertText(item, positions[at] ?? items))
}

/** Returns the only item of an array with one item, or the unchanged value. */
export function unwrapType(value: TextValue): TextValue {
  return typeof value !== 'string' && value.length === 1 ? value.join() : value
}

/** Whether a key may have several values. */
export function takesSeveral(type: TextType): boolean {
  return type === ANY || type.items !== undefined
}

/** Parses a string as a boolean or number, if the expected type is unknown. */
export function parseScalar(text: string): boolean | number | undefined {
  return TRUTHS.get(text) ?? (INTEGER.test(text) ? parseInteger(text) : parseDecimal(text))
}

function convertOne(text: string, type: TextType): unknown {
  const { literals, items, integer, truth } = type
  if (literals.size > 0 && literals.has(text)) return text
  const scalar = scalarWithin(text, type)
  if (scalar !== undefined) return scalar
  return items !== undefined && !integer && !truth ? [convertText(text, type.positions[0] ?? items)] : text
}

/** Parses a string as the boolean or number that a type allows. */
export function scalarWithin(text: string, type: TextType): boolean | number | undefined {
  const truth = type.truth ? TRUTHS.get(text) : undefined
  if (truth !== undefined) return truth
  if (type.number) return parseDecimal(text)
  return type.integer ? (parseInteger(text) ?? parseFraction(text)) : undefined
}

/**
 * With the fraction, the message of the validator is about an integer. With the string, it is about a number.
 *
 * @see docs/decisions/0047-fractions-for-integers.md
 */
function parseFraction(text: string): number | undefined {
  const number = parseDecimal(text)
  return number === undefined || Number.isInteger(number) ? undefined : number
}

// Adding 0 changes -0 to 0.
function parseInteger(text: string): number | undefined {
  const number = INTEGER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

function parseDecimal(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
