/** Text into the values that a type allows: strictly, and never changing what it does not understand. */
import { ANY, type TextType } from './text-type.js'

/** What a client sends under one key: text, or several texts in the order sent. */
export type TextValue = string | readonly string[]

const TRUTHS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }))
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Converts what was sent under one key. Text that is not exactly a value of the type stays text, for the validator to refuse. */
export function convertText(value: TextValue, type: TextType): unknown {
  if (type === ANY) return value
  if (typeof value === 'string') return convertOne(value, type)
  const { items } = type
  return items === undefined ? value : value.map((item) => convertText(item, items))
}

/** What was sent, where a list of one is the same as one text. */
export function unwrapped(value: TextValue): TextValue {
  return typeof value !== 'string' && value.length === 1 ? value.join() : value
}

/** Tells whether several values under one key are allowed. */
export function takesSeveral(type: TextType): boolean {
  return type === ANY || type.items !== undefined
}

/** The number or boolean that a text is, when nothing is known of what is wanted. */
export function scalarOf(text: string): boolean | number | undefined {
  return TRUTHS.get(text) ?? (INTEGER.test(text) ? integerOf(text) : numberOf(text))
}

function convertOne(text: string, type: TextType): unknown {
  if (type.text) return text
  const scalar = scalarWithin(text, type)
  if (scalar !== undefined) return scalar
  const { items, integer, truth } = type
  return items !== undefined && !integer && !truth ? [convertText(text, items)] : text
}

function scalarWithin(text: string, type: TextType): boolean | number | undefined {
  const truth = type.truth ? TRUTHS.get(text) : undefined
  if (truth !== undefined) return truth
  if (type.number) return numberOf(text)
  return type.integer ? integerOf(text) : undefined
}

// Adding 0 makes 0 of -0.
function integerOf(text: string): number | undefined {
  const number = INTEGER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

function numberOf(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
