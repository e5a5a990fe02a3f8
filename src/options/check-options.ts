/** The refusal of options that do not exist, and of values that cannot be used. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { kindOf } from '../route/contract-checks.js'
import type { RedactOptions } from '../observe/secrets.js'
import { isRecord } from '../values/objects.js'
import {
  AMOUNT,
  CONSOLE,
  COUNT,
  LISTEN_OPTIONS,
  METRICS,
  OPENAPI,
  OPTIONS,
  REDACT,
  TIME,
  VERSIONING,
  type Rule,
} from './option-rules.js'
import { DEFAULTS } from './options.js'

/** Every option of `createApp`. */
export const OPTION_NAMES: readonly string[] = [...OPTIONS.keys()]

/** Checks the options of `createApp`. */
export function checkOptions(options: object): void {
  if (!isRecord(options)) throw invalid('options', 'they are no record. Write "createApp({ routes })"')
  check(options, OPTIONS, 'option ')
  const {
    limits = {},
    timeouts = {},
    versioning = {},
    redact = {},
    openapi = {},
    devConsole = {},
    metrics,
  }: Partial<Record<Group, object>> = options
  check(limits, new Map([...rulesFor(DEFAULTS.limits, AMOUNT), ['connections', COUNT]]), 'option limits.')
  check(timeouts, rulesFor(DEFAULTS.timeouts, TIME), 'option timeouts.')
  check(versioning, VERSIONING, 'option versioning.')
  check(redact, REDACT, 'option redact.')
  checkReplaced(redact)
  check(openapi, OPENAPI, 'option openapi.')
  if (isRecord(metrics)) check(metrics, METRICS, 'option metrics.')
  if (isRecord(devConsole)) check(devConsole, CONSOLE, 'option devConsole.')
}

/** Alone it would do nothing, and somebody would believe that it does. */
function checkReplaced(redact: RedactOptions): void {
  const { headers, keys, values, replaceDefaults = false } = redact
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const wayOut = 'Give the lists that stand in the place of the usual ones: headers, keys or values'
  throw invalid('option redact.replaceDefaults', `it is true, and there is no list. ${wayOut}`)
}

type Group = 'limits' | 'timeouts' | 'versioning' | 'redact' | 'openapi' | 'devConsole' | 'metrics'

/** Checks the options of `listen`. */
export function checkListenOptions(options: object): void {
  if (!isRecord(options)) throw invalid('options', 'they are no record. Write "listen({ port: 3000 })"')
  check(options, LISTEN_OPTIONS, 'option ')
}

/** An option that is `undefined` is as good as absent. */
function check(given: object, rules: ReadonlyMap<string, Rule>, what: string): void {
  const known = [...rules.keys()]
  for (const [name, value] of Object.entries(given)) {
    const rule = rules.get(name)
    if (rule === undefined)
      throw invalid(`${what}${name}`, `it is unknown.${suggestion(name, known)} Known are ${known.join(', ')}`)
    if (value !== undefined && !rule.holds(value))
      throw invalid(`${what}${name}`, `it is ${stateOf(value)}. ${rule.wayOut}`)
  }
}

function invalid(what: string, why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use ${what.replace(/ (.+)$/, ' "$1"')}: ${why}`)
}

function stateOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function rulesFor(defaults: object, rule: Rule): ReadonlyMap<string, Rule> {
  return new Map(Object.keys(defaults).map((name) => [name, rule]))
}
