/** Rules for options and arguments, and the form of all errors for wrong ones. */
import { describeDiscarded } from '../values/describe-type.js'
import { isWhole } from '../values/is-whole.js'
import { isRecord, type UnknownRecord } from '../values/objects.js'
import { suggestion } from './known-keys.js'
import { SetupError } from './setup-error.js'

/** Valid values of an option or an argument. */
export interface Rule {
  readonly isValid: (value: unknown) => boolean
  /** Describes the valid values, after "it must". */
  readonly must: string
  /** A valid value, as code. */
  readonly example: string
  /** Whether an error shows a wrong string, because the string cannot be a secret. */
  readonly showsText?: boolean
  readonly isRequired?: boolean
  /** Rules for the members of an object. */
  readonly members?: Rules
}

interface RequiredRule extends Rule {
  readonly isRequired: true
}

/** One rule for each option. An option without a rule is a compiler error, and so is a required option whose rule is not `mandatory`. */
export type Rules<Options = UnknownRecord> = {
  readonly [Key in keyof Options]-?: {} extends Pick<Options, Key> ? Rule : RequiredRule
}

export function rule(isValid: Rule['isValid'], must: string, example: string, members?: Rules): Rule {
  return { isValid, must, example, ...(members && { members }) }
}

export function mandatory(optional: Rule): RequiredRule {
  return { ...optional, isRequired: true }
}

/** Rule for strings that cannot be secrets, so that the error shows them. */
export function textRule(isValid: (text: string) => boolean, must: string, example: string): Rule {
  const isValidText = (value: unknown): boolean => typeof value === 'string' && isValid(value)
  return { isValid: isValidText, must, example, showsText: true }
}

export function choiceRule(choices: readonly string[], example: string = `'${choices[0]}'`): Rule {
  const quoted = choices.map((choice) => `'${choice}'`)
  const must = `be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return textRule((text) => choices.includes(text), must, example)
}

/** Rule for values that are checked elsewhere. */
export function anyRule(example: string): Rule {
  return rule(() => true, 'be set', example)
}

export function functionRule(example: string): Rule {
  return rule((value) => typeof value === 'function', 'be a function', example)
}

export function stringRule(example: string): Rule {
  return rule((value) => typeof value === 'string', 'be a string', example)
}

export function stringListRule(example: string): Rule {
  return rule(isTextList, 'be an array of strings', example)
}

/** @param unit such as ` of ms` */
export function integerRule(least: 0 | 1, example: string, unit: string = ''): Rule {
  return rule(
    (value) => isWhole(value, least),
    `be a ${least === 0 ? 'non-negative' : 'positive'} integer${unit}`,
    example,
  )
}

/** Rule for integers in a range. */
export function rangeRule([least, most]: readonly [number, number], example: string, unit: string = ''): Rule {
  return rule(
    (value) => isWhole(value, least) && value <= most,
    `be an integer${unit} from ${least} to ${most}`,
    example,
  )
}

/** Rule for objects, whose members have rules if there are options for them. */
export function objectRule(example: string, members?: Rules): Rule {
  return rule(isRecord, 'be an object', example, members)
}

/** Extends a rule with `false`, which disables the option. */
export function orFalse(ofValue: Rule): Rule {
  const isValid = (value: unknown): boolean => value === false || ofValue.isValid(value)
  return { ...ofValue, isValid, must: `${ofValue.must}, or false` }
}

export const SWITCH: Rule = rule((value) => typeof value === 'boolean', 'be true or false', 'true')
export const ONLY_TRUE: Rule = rule((value) => value === true, 'be true', 'true')

export function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/**
 * Throws `OPTION_INVALID` for options that are not an object, for unknown options, and for values that violate their rule.
 *
 * @param owner function that has the options, such as `cursor()`
 */
export function checkOptions(options: unknown, rules: Rules, owner: string): void {
  if (!isRecord(options)) {
    throw wrongUse(`the options of ${owner}`, `they must be an object, not ${describeValue(options)}. ${fixFor(rules)}`)
  }
  const wrong = findWrongOption(options, rules)
  if (wrong !== null) throw optionError(owner, wrong.key, wrong.why)
}

/** Throws `OPTION_INVALID` for the value of an option that violates its rule, also if the value is `undefined`. */
export function checkOption(value: unknown, ofValue: Rule, key: string, owner: string): void {
  const why = findMistake(value, ofValue, `${key}: `)
  if (why !== null) throw optionError(owner, key, why)
}

/** Throws `OPTION_INVALID` for an argument that violates its rule, whose example is the call with a valid argument. */
export function checkArgument(value: unknown, ofValue: Rule, name: string, owner: string): void {
  const why = findMistake(value, ofValue, '')
  if (why !== null) throw argumentError(owner, name, why)
}

interface WrongOption {
  /** Path of the option, such as `limits.body`. */
  readonly key: string
  readonly why: string
}

export function findWrongOption(options: UnknownRecord, rules: Rules): WrongOption | null {
  const names = Object.keys(rules)
  const unknown = Object.keys(options).find((key) => !names.includes(key))
  if (unknown !== undefined) {
    return { key: unknown, why: `it is unknown.${suggestion(unknown, names)} Valid options are ${names.join(', ')}` }
  }
  for (const [key, ofValue] of Object.entries(rules)) {
    const value = options[key]
    const why = value === undefined ? findGap(ofValue, key) : findMistake(value, ofValue, `${key}: `)
    if (why !== null) return { key, why }
    const inner = ofValue.members !== undefined && isRecord(value) ? findWrongOption(value, ofValue.members) : null
    if (inner !== null) return { key: `${key}.${inner.key}`, why: inner.why }
  }
  return null
}

export function optionError(owner: string, key: string, why: string, cause?: unknown): SetupError {
  return wrongUse(`the option "${key}" of ${owner}`, why, cause)
}

export function argumentError(owner: string, name: string, why: string): SetupError {
  return wrongUse(`the argument "${name}" of ${owner}`, why)
}

/** Returns the setup error for an error that a function among the options has thrown, which becomes its `cause`. */
export function functionError(owner: string, key: string, thrown: unknown): SetupError {
  // Thrown for example by `redisSessions`.
  if (thrown instanceof SetupError) return thrown
  // An `AggregateError` has no message, for example if a connection failed on several addresses.
  const state =
    thrown instanceof Error ? `failed with "${thrown.message || thrown.name}"` : 'threw a value that is not an Error'
  return optionError(owner, key, `the function ${state}. See its "cause" for details`, thrown)
}

function wrongUse(what: string, why: string, cause?: unknown): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use ${what}: ${why}`, cause === undefined ? {} : { cause })
}

/** Returns why a value is wrong, and how to set a valid one; `null` for a valid value. */
function findMistake(value: unknown, { isValid, must, example, showsText }: Rule, start: string): string | null {
  if (isValid(value)) return null
  const shown =
    typeof value === 'string' && showsText === true ? JSON.stringify(value.slice(0, 100)) : describeValue(value)
  return `it must ${must}, not ${shown}. Write "${start}${example}"`
}

function findGap({ isRequired, example }: Rule, key: string): string | null {
  return isRequired === true ? `it is missing. Write "${key}: ${example}"` : null
}

/** Shows the required options, or else the first one. */
function fixFor(rules: Rules): string {
  const entries = Object.entries(rules)
  const necessary = entries.filter(([, { isRequired }]) => isRequired)
  const shown = (necessary.length > 0 ? necessary : entries.slice(0, 1)).map(
    ([key, { example }]) => `${key}: ${example}`,
  )
  return `Write "{ ${shown.join(', ')} }"`
}

/** Describes a wrong value without the content of strings, which may be secrets. */
function describeValue(value: unknown): string {
  if (typeof value === 'string') return `a string of length ${value.length}`
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (!Array.isArray(value)) return describeDiscarded(value)
  const types = [...new Set(value.map((entry) => (isRecord(entry) ? 'object' : typeof entry)))]
  if (types.length === 0) return 'an empty array'
  if (types.includes('undefined')) return 'an array with undefined'
  return `an array of ${types.length === 1 ? `${types[0]}s` : 'mixed types'}`
}
