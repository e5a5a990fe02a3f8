/** Rules for the options that `jwt` and `jwtSigner` share. */
import { choiceRule, rule, textRule, type Rule } from '../../../errors/options.js'
import { ALGORITHMS } from './keys.js'

export const ALGORITHM_RULE: Rule = choiceRule(ALGORITHMS, "'ES256'")

/** Rule for a non-empty string. */
export const FILLED: Rule = textRule(isFilled, 'be a non-empty string', "'https://login.example'")

/** Rule for one or more non-empty strings. */
export const NAMES: Rule = rule(
  (value) => {
    const names: readonly unknown[] = [value].flat()
    return names.length > 0 && names.every(isFilled)
  },
  'be a non-empty string, or an array of such strings',
  "'https://api.example'",
)

/** Rule for a number in a range. */
export function numberRule([least, most]: readonly [number, number], unit: string, example: string): Rule {
  return rule(
    (value) => typeof value === 'number' && value >= least && value <= most,
    `be a number of ${unit} from ${least} to ${most}`,
    example,
  )
}

export const TYPE_RULE: Rule = { ...FILLED, example: "'at+jwt'" }

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
