/** Rules for the options that `jwt` and `jwtSigner` share. */
import { rule, type Rule } from '../../../errors/known-keys.js'
import { ALGORITHMS } from './keys.js'

export const ALGORITHMS_HINT: string = `Supported algorithms are ${ALGORITHMS.join(', ')}`

export const typeRule: Rule = nonEmptyRule('type', 'at+jwt')

export function nonEmptyRule(option: string, example: string): Rule {
  return rule(isFilled, `"${option}" must be a non-empty string. Write "${option}: '${example}'", or remove it`)
}

export function namesRule(option: string): Rule {
  return rule((value) => {
    const names: readonly unknown[] = [value].flat()
    return names.length > 0 && names.every(isFilled)
  }, `"${option}" must be a non-empty string or an array of such strings. Add at least one, or remove the option`)
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
