/** The refusal of options that do not exist, and of values that cannot be used. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS } from '../logging/logger.js'
import { kindOf } from '../route/contract-checks.js'
import type { RedactOptions } from '../telemetry/secrets.js'
import { parseVersion } from '../versioning/version.js'
import { DEFAULTS } from './options.js'

/** What a value must be. */
interface Rule {
  readonly holds: (value: unknown) => boolean
  /** What to give, for the text of an error. */
  readonly wayOut: string
}

const TEXT: Rule = { holds: (value) => typeof value === 'string', wayOut: 'Give a text' }
const SWITCH: Rule = { holds: (value) => typeof value === 'boolean', wayOut: 'Give true or false' }
const RECORD: Rule = { holds: isRecord, wayOut: 'Give a record' }
const ANYTHING: Rule = { holds: () => true, wayOut: '' }
const AMOUNT: Rule = {
  holds: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  wayOut: 'Give a whole number from 0 up',
}
/** Node versions differ in what no connections at all mean. */
const COUNT: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) > 0,
  wayOut: 'Give a whole number from 1 up, or leave it out for no limit',
}
/** Beyond what Node's timers take: one would be over at once. */
const TIME: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) < 2 ** 31,
  wayOut: 'Give a whole number of ms from 0 to 2147483647',
}
const PORT: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) < 65_536,
  wayOut: 'Give a whole number from 0 to 65535; 0 picks a free port',
}

const OPTIONS: ReadonlyMap<string, Rule> = new Map([
  // Routes and middleware are checked where they are read, with texts of their own.
  ['routes', ANYTHING],
  ['name', TEXT],
  ['version', TEXT],
  ['services', RECORD],
  ['middleware', ANYTHING],
  ['mapError', { holds: isFunctions, wayOut: 'Give "(error) => HttpError | undefined", or a list of such functions' }],
  ['versioning', RECORD],
  ['logger', { holds: isLogger, wayOut: `Give a logger with the methods ${LEVELS.join(', ')}, or false` }],
  ['redact', RECORD],
  ['limits', RECORD],
  ['timeouts', RECORD],
  ['trustProxy', { holds: isTexts, wayOut: 'Give a list of addresses and networks, such as ["10.0.0.0/8"]' }],
  ['validateResponses', SWITCH],
  ['openapi', { holds: (value) => value === false || isRecord(value), wayOut: 'Give a record, or false' }],
  [
    'jsonSchema',
    { holds: (value) => isRecord(value) && isFunctions(Object.values(value)), wayOut: 'Give converters by vendor' },
  ],
  ['metrics', { holds: isPath, wayOut: "Give a path without parameters, such as '/metrics'" }],
  ['devConsole', { holds: isConsole, wayOut: "Give 'auto', true, false or a record" }],
  ['signals', SWITCH],
])

const VERSIONING: ReadonlyMap<string, Rule> = new Map([
  [
    'from',
    {
      holds: isVersionFrom,
      wayOut: "Give the name of a header, { mediaType: 'version' }, or a function of the request",
    },
  ],
  ['default', { holds: isVersion, wayOut: 'Give a version such as "1.4.0" or "2026-01-31"' }],
])

const OPENAPI: ReadonlyMap<string, Rule> = new Map([
  ['path', { holds: isPath, wayOut: "Give a path without parameters, such as '/openapi.json'" }],
  ['info', RECORD],
  ['servers', { holds: isServers, wayOut: "Give a list of servers, such as [{ url: 'https://api.example.com' }]" }],
])

const REDACT: ReadonlyMap<string, Rule> = new Map([
  ['headers', { holds: isTexts, wayOut: 'Give a list of names, such as ["x-session"]' }],
  ['keys', { holds: isTexts, wayOut: 'Give a list of names, such as ["birthday"]' }],
  ['values', { holds: isExpressions, wayOut: 'Give a list of regular expressions' }],
  ['replaceDefaults', SWITCH],
])

const TEXTS: Rule = { holds: isTexts, wayOut: 'Give a list of texts' }
const CONSOLE: ReadonlyMap<string, Rule> = new Map([
  ['allow', { holds: isNetworks, wayOut: 'Give a list of addresses and networks, such as ["172.17.0.1"]' }],
  ['allowedHosts', TEXTS],
  // Whoever can reach it may try one each second.
  [
    'token',
    { holds: (value) => TEXT.holds(value) && String(value).length >= 16, wayOut: 'Give 16 characters or more' },
  ],
  ['allowInProduction', SWITCH],
  [
    'captureBodies',
    { holds: (value) => ['text', 'off', 'raw'].some((word) => word === value), wayOut: "Give 'text', 'off' or 'raw'" },
  ],
  ['captureConsole', SWITCH],
  ['ignore', TEXTS],
  ['slow', AMOUNT],
  ['stall', AMOUNT],
  ['editor', TEXT],
])

const LISTEN_OPTIONS: ReadonlyMap<string, Rule> = new Map([
  ['port', PORT],
  ['host', TEXT],
  ['path', TEXT],
  ['tls', { holds: isCertified, wayOut: 'Give "key" and "cert", or "pfx", or "SNICallback"' }],
])

/** Every option of `createApp`. */
export const OPTION_NAMES: readonly string[] = [...OPTIONS.keys()]

/**
 * Checks the options of `createApp`.
 *
 * @param options as given
 * @throws SetupError `OPTION_INVALID`
 */
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
  }: Partial<Record<Group, object>> = options
  check(limits, new Map([...rulesFor(DEFAULTS.limits, AMOUNT), ['connections', COUNT]]), 'option limits.')
  check(timeouts, rulesFor(DEFAULTS.timeouts, TIME), 'option timeouts.')
  check(versioning, VERSIONING, 'option versioning.')
  check(redact, REDACT, 'option redact.')
  checkReplaced(redact)
  check(openapi, OPENAPI, 'option openapi.')
  if (isRecord(devConsole)) check(devConsole, CONSOLE, 'option devConsole.')
}

/** Alone it would do nothing, and somebody would believe that it does. */
function checkReplaced(redact: RedactOptions): void {
  const { headers, keys, values, replaceDefaults = false } = redact
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const wayOut = 'Give the lists that stand in the place of the usual ones: headers, keys or values'
  throw invalid('option redact.replaceDefaults', `it is true, and there is no list. ${wayOut}`)
}

type Group = 'limits' | 'timeouts' | 'versioning' | 'redact' | 'openapi' | 'devConsole'

/**
 * Checks the options of `listen`.
 *
 * @param options as given
 * @throws SetupError `OPTION_INVALID`
 */
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

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A TLS server without a certificate would refuse every client. */
function isCertified(value: unknown): boolean {
  return isRecord(value) && ['cert', 'pfx', 'SNICallback'].some((name) => name in value)
}

function isFunctions(value: unknown): boolean {
  return [value].flat().every((each) => typeof each === 'function')
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isNetworks(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && isNetwork(each))
}

function isVersion(value: unknown): boolean {
  return typeof value === 'string' && parseVersion(value) !== undefined
}

function isVersionFrom(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (!isRecord(value)) return typeof value === 'string' && isToken(value)
  const { mediaType }: { mediaType?: unknown } = value
  return Object.keys(value).length === 1 && typeof mediaType === 'string' && isToken(mediaType)
}

function isExpressions(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => each instanceof RegExp)
}

function isServers(value: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(value) ? value : [undefined]
  return list.every((server) => isRecord(server) && 'url' in server && typeof server.url === 'string')
}

function isConsole(value: unknown): boolean {
  return value === 'auto' || typeof value === 'boolean' || isRecord(value)
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('{')
}

function isLogger(value: unknown): boolean {
  if (value === false) return true
  if (typeof value !== 'object' || value === null) return false
  return LEVELS.every((level) => typeof Reflect.get(value, level) === 'function')
}
