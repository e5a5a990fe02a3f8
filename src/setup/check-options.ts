/** Validation of the app and listen options: unknown options and invalid values are setup errors. */
import { checkForeignNames, FIXES_OF_APPS } from '../errors/foreign-names.js'
import { ANYTHING, checkOptionValues, type Rule, type Rules } from '../errors/known-keys.js'
import { isTextList } from '../errors/option-rules.js'
import { SetupError } from '../errors/setup-error.js'
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS, type LoggerOptions } from '../observe/logger.js'
import type { RedactOptions } from '../secrets/secrets.js'
import { checkCompression, checkCors, checkSecurityHeaders } from '../route/response-options.js'
import { checkErrorFormat } from '../route/error-format.js'
import { describeType } from '../values/describe-type.js'
import { isWhole } from '../values/is-whole.js'
import { hasMethods, isRecord } from '../values/objects.js'
import { parseVersion } from '../versioning/version.js'
import { DEFAULTS } from './options.js'

const STRING_RULE = optionRule((value) => typeof value === 'string', 'Use a string')
const STRING_LIST_RULE = optionRule(isTextList, 'Use an array of strings')
const BOOLEAN_RULE = optionRule((value) => typeof value === 'boolean', 'Use true or false')
const OBJECT_RULE = optionRule(isRecord, 'Use an object')
const USES_RULE = optionRule(isRecord, 'Use an object of providers, such as { user: currentUser }')
const AMOUNT_RULE = optionRule((value) => isWhole(value, 0), 'Use a non-negative integer')
/** At least 1, because Node versions interpret a maximum of 0 connections differently. */
const COUNT_RULE = optionRule((value) => isWhole(value, 1), 'Use a positive integer, or omit it for no limit')
/** In ms. Node fires a timer immediately if its delay is greater than 2 ** 31 - 1. */
const TIME_RULE = optionRule(
  (value) => isWhole(value, 0) && value < 2 ** 31,
  'Use an integer from 0 to 2147483647 (ms)',
)
const PATH_RULE = "Use a path without parameters, such as '/metrics'"

/** `ANYTHING` marks options that are checked elsewhere, with more specific messages. */
const OPTIONS: Rules = {
  ...{ routes: ANYTHING, name: STRING_RULE, version: STRING_RULE, services: OBJECT_RULE, middleware: ANYTHING },
  mapError: optionRule(isFunctions, 'Use "(error) => HttpError | undefined", or an array of such functions'),
  ...{
    errorFormat: ANYTHING,
    cors: ANYTHING,
    compression: ANYTHING,
    securityHeaders: ANYTHING,
    requestId: OBJECT_RULE,
    versioning: OBJECT_RULE,
  },
  logger: optionRule(
    isLogger,
    `Use { level: 'info' }, which sets the level of the built-in logger, a logger with the methods ${LEVELS.join(', ')}, or false`,
  ),
  ...{ accessLog: BOOLEAN_RULE, redact: OBJECT_RULE, limits: OBJECT_RULE, timeouts: OBJECT_RULE },
  trailingSlash: optionRule(
    (value) => ['strict', 'ignore', 'redirect'].some((word) => word === value),
    "Use 'strict', 'ignore' or 'redirect'",
  ),
  trustProxy: optionRule(isTextList, 'Use an array of addresses and networks, such as ["10.0.0.0/8"]'),
  ...{ validateResponses: BOOLEAN_RULE, strict: BOOLEAN_RULE },
  openapi: optionRule((value) => value === false || isRecord(value), 'Use an object, or false'),
  jsonSchema: optionRule(
    (value) => isRecord(value) && isFunctions(Object.values(value)),
    'Use an object of converters by vendor',
  ),
  metrics: optionRule((value) => isUrlPath(value) || (isRecord(value) && isUrlPath(value['path'])), PATH_RULE),
  devConsole: optionRule(
    (value) => value === 'auto' || typeof value === 'boolean' || isRecord(value),
    "Use 'auto', true, false or an object",
  ),
  ...{ signals: BOOLEAN_RULE, fastPath: BOOLEAN_RULE },
}

/** URL schemes that a browser would execute or load itself. */
const NOT_EDITORS: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'http', 'https'])
const EDITOR = "Use a link of your editor, such as 'vscode://file/{file}:{line}:{column}'"
const CONSOLE: Rules = {
  allow: optionRule(
    (value) => isTextList(value) && value.every(isNetwork),
    'Use an array of addresses and networks, such as ["172.17.0.1"]',
  ),
  allowedHosts: STRING_LIST_RULE,
  // An attacker can try one token per second.
  token: optionRule((value) => typeof value === 'string' && value.length >= 16, 'Use at least 16 characters'),
  allowInProduction: BOOLEAN_RULE,
  captureBodies: optionRule(
    (value) => ['text', 'off', 'raw'].some((word) => word === value),
    "Use 'text', 'off' or 'raw'",
  ),
  bodyLimit: AMOUNT_RULE,
  ...{
    captureConsole: BOOLEAN_RULE,
    header: BOOLEAN_RULE,
    ignore: STRING_LIST_RULE,
    slow: AMOUNT_RULE,
    stall: AMOUNT_RULE,
  },
  keep: optionRule(
    (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
    "Use the path of a file, such as '.dev/console.json'",
  ),
  editor: optionRule(isEditorLink, `${EDITOR}; schemes that browsers open themselves, such as http, are not valid`),
}

/** Options whose values are objects with further options. */
const GROUPS: Readonly<Record<string, Rules>> = {
  limits: { ...getRules(DEFAULTS.limits, AMOUNT_RULE), connections: COUNT_RULE },
  timeouts: getRules(DEFAULTS.timeouts, TIME_RULE),
  requestId: { header: BOOLEAN_RULE },
  versioning: {
    from: optionRule(isVersionFrom, "Use a header name, { mediaType: 'version' }, or a function of the request"),
    default: optionRule(
      (value) => typeof value === 'string' && parseVersion(value) !== undefined,
      'Use a version such as "1.4.0" or "2026-01-31"',
    ),
  },
  redact: {
    headers: optionRule(isTextList, 'Use an array of names, such as ["x-session"]'),
    keys: optionRule(isTextList, 'Use an array of names, such as ["birthday"]'),
    values: optionRule(
      (value) => Array.isArray(value) && value.every((each) => each instanceof RegExp),
      'Use an array of regular expressions',
    ),
    replaceDefaults: BOOLEAN_RULE,
  },
  openapi: {
    path: optionRule(isUrlPath, "Use a path without parameters, such as '/openapi.json'"),
    ...{ info: OBJECT_RULE, uses: USES_RULE, public: BOOLEAN_RULE },
    tags: optionRule(isTags, "Use an array of tags, such as [{ name: 'users', description: 'User accounts' }]"),
    servers: optionRule(isServers, "Use an array of servers, such as [{ url: 'https://api.example.com' }]"),
  },
  metrics: { path: optionRule(isUrlPath, PATH_RULE), uses: USES_RULE },
  devConsole: CONSOLE,
}

const LOGGER_OPTIONS: Rules = {
  level: optionRule((value) => LEVELS.some((level) => level === value), `Use ${LEVELS.join(', ')}`),
}

const LISTEN_OPTIONS: Rules = {
  port: optionRule(
    (value) => isWhole(value, 0) && value < 65_536,
    'Use an integer from 0 to 65535; 0 picks a free port',
  ),
  ...{ host: STRING_RULE, path: STRING_RULE },
  // Without a certificate, every TLS handshake would fail.
  tls: optionRule(
    (value) => isRecord(value) && ['cert', 'pfx', 'SNICallback'].some((name) => name in value),
    'Set "key" and "cert", or "pfx", or "SNICallback"',
  ),
}

function optionRule(holds: (value: unknown) => boolean, fix: string): Rule {
  return (value) => (holds(value) ? null : `it is ${typeof value === 'number' ? value : describeType(value)}. ${fix}`)
}

export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)

export function checkOptions(options: object): void {
  if (!isRecord(options)) throw optionError('options', 'the options must be an object. Write "createApp({ routes })"')
  checkForeignNames(options, FIXES_OF_APPS, (key, fix) => optionError(`option "${key}"`, `it is unknown. ${fix}`))
  checkOption(options, OPTIONS, '')
  for (const [group, rules] of Object.entries(GROUPS)) {
    const groupOptions = options[group]
    if (isRecord(groupOptions)) checkOption(groupOptions, rules, `${group}.`)
  }
  const { logger } = options
  if (isLoggerOptions(logger)) checkOption(logger, LOGGER_OPTIONS, 'logger.')
  checkReplacement(options['redact'] ?? {})
  for (const [name, checkValue] of Object.entries(CHECKED_WHOLE)) {
    const optionValue: unknown = Reflect.get(options, name)
    if (optionValue !== undefined) checkValue(optionValue, (why) => optionError(`option "${name}"`, why))
  }
}

/** Options that are checked as a whole, because their parts depend on each other. */
const CHECKED_WHOLE = {
  errorFormat: checkErrorFormat,
  cors: checkCors,
  compression: checkCompression,
  securityHeaders: checkSecurityHeaders,
}

export function checkListenOptions(options: object): void {
  if (!isRecord(options)) throw optionError('options', 'they must be an object. Write "listen({ port: 3000 })"')
  checkOption(options, LISTEN_OPTIONS, '')
}

export function checkAttachOptions(options: object): void {
  if (!isRecord(options))
    throw optionError('options', 'they must be an object. Write "attach(server, { besides: true })"')
  checkOption(options, { besides: BOOLEAN_RULE }, '')
}

function checkOption(options: object, rules: Rules, prefix: string): void {
  checkOptionValues(options, rules, (name) => `option "${prefix}${name}"`)
}

/** Throws if `replaceDefaults` is set without a list, because it would have no effect. */
function checkReplacement({ headers, keys, values, replaceDefaults = false }: RedactOptions): void {
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const fix = 'Set headers, keys or values'
  throw optionError(
    'option "redact.replaceDefaults"',
    `it is true, but the lists that replace the defaults are missing. ${fix}`,
  )
}

function getRules(defaults: object, rule: Rule): Rules {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, rule]))
}

function optionError(what: string, why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use ${what}: ${why}`)
}

function isFunctions(value: unknown): boolean {
  return [value].flat().every((each) => typeof each === 'function')
}

function isVersionFrom(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (!isRecord(value)) return typeof value === 'string' && isToken(value)
  const { mediaType } = value
  return Object.keys(value).length === 1 && typeof mediaType === 'string' && isToken(mediaType)
}

function isServers(value: unknown): boolean {
  return Array.isArray(value) && value.every((server) => isRecord(server) && typeof server['url'] === 'string')
}

function isTags(value: unknown): boolean {
  return Array.isArray(value) && value.every((tag) => isRecord(tag) && typeof tag['name'] === 'string')
}

/** Checks the scheme, because the console's page turns the value into a link. */
function isEditorLink(value: unknown): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(typeof value === 'string' ? value : '') ?? []
  return scheme !== undefined && !NOT_EDITORS.has(scheme.toLowerCase())
}

function isUrlPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('{')
}

function isLogger(value: unknown): boolean {
  return value === false || hasMethods(value, LEVELS) || isLoggerOptions(value)
}

/** Whether the value has options of the built-in logger. A logger such as pino has `level`, too, but also methods. */
export function isLoggerOptions(value: unknown): value is LoggerOptions {
  return isRecord(value) && 'level' in value && !LEVELS.some((level) => hasMethods(value, [level]))
}
