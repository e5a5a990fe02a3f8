/** Ready rules for option objects. Each message states the valid value and an example. */
import { isWhole } from '../values/is-whole.js'
import { rule, type Rule } from './known-keys.js'

export function switchRule(key: string): Rule {
  return rule((value) => typeof value === 'boolean', `"${key}" must be true or false. Write "${key}: true"`)
}

export function stringRule(key: string, example: string = '…'): Rule {
  return rule((value) => typeof value === 'string', `"${key}" must be a string. Write "${key}: '${example}'"`)
}

export function stringListRule(key: string, example: string): Rule {
  return rule(isTextList, `"${key}" must be an array of strings. Write "${key}: ['${example}']"`)
}

export function functionRule(key: string, example: string): Rule {
  return rule((value) => typeof value === 'function', `"${key}" must be a function. Write "${key}: ${example}"`)
}

/** @param unit such as ` (bytes)` or ` of ms` */
export function integerRule(key: string, least: 0 | 1, example: string, unit: string = ''): Rule {
  const kind = least === 0 ? 'non-negative' : 'positive'
  return rule((value) => isWhole(value, least), `"${key}" must be a ${kind} integer${unit}. Write "${key}: ${example}"`)
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
