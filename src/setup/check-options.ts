/** What the values of options must be; unknown options and values that cannot be used are refused. */
import { ANYTHING, checkOptionValues, type Rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS } from '../observe/logger.js'
import type { RedactOptions } from '../secrets/secrets.js'
import { checkCompression, checkCors, checkSecurityHeaders } from '../route/answer-options.js'
import { isTextList } from '../route/contract.js'
import { checkErrorFormat } from '../route/error-format.js'
import { describeType } from '../values/describe-type.js'
import { isWhole } from '../values/numbers.js'
import { hasMethods, isRecord } from '../values/objects.js'
import { parseVersion } from '../versioning/version.js'
import { DEFAULTS } from './options.js'

const TEXT = option((value) => typeof value === 'string', 'Give a text')
const TEXTS = option(isTextList, 'Give a list of texts')
const SWITCH = option((value) => typeof value === 'boolean', 'Give true or false')
const RECORD = option(isRecord, 'Give a record')
const USES = option(isRecord, 'Give a record of providers, such as { user: currentUser }')
const AMOUNT = option((value) => isWhole(value, 0), 'Give a whole number from 0 up')
/** From 1 up: Node versions differ in what no connections at all mean. */
const COUNT = option((value) => isWhole(value, 1), 'Give a whole number from 1 up, or leave it out for no limit')
/** In ms, up to what timers of Node take: one beyond would be over at once. */
const TIME = option((value) => isWhole(value, 0) && value < 2 ** 31, 'Give a whole number of ms from 0 to 2147483647')
const PATH = "Give a path without parameters, such as '/metrics'"

/** Routes, middleware and guards are checked where they are read, with texts of their own. */
const OPTIONS: Rules = {
  ...{ routes: ANYTHING, name: TEXT, version: TEXT, services: RECORD, middleware: ANYTHING },
  mapError: option(isFunctions, 'Give "(error) => HttpError | undefined", or a list of such functions'),
  ...{ errorFormat: ANYTHING, cors: ANYTHING, compression: ANYTHING, securityHeaders: ANYTHING, versioning: RECORD },
  logger: option(isLogger, `Give a logger with the methods ${LEVELS.join(', ')}, or false`),
  ...{ redact: RECORD, limits: RECORD, timeouts: RECORD },
  trailingSlash: option(
    (value) => ['strict', 'ignore', 'redirect'].some((word) => word === value),
    "Give 'strict', 'ignore' or 'redirect'",
  ),
  trustProxy: option(isTextList, 'Give a list of addresses and networks, such as ["10.0.0.0/8"]'),
  ...{ validateResponses: SWITCH, strict: SWITCH },
  openapi: option((value) => value === false || isRecord(value), 'Give a record, or false'),
  jsonSchema: option((value) => isRecord(value) && isFunctions(Object.values(value)), 'Give converters by vendor'),
  metrics: option((value) => isUrlPath(value) || (isRecord(value) && isUrlPath(value['path'])), PATH),
  devConsole: option(
    (value) => value === 'auto' || typeof value === 'boolean' || isRecord(value),
    "Give 'auto', true, false or a record",
  ),
  ...{ signals: SWITCH, fastPath: SWITCH },
}

/** Schemes that a browser would run or load. */
const NOT_EDITORS: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'http', 'https'])
const EDITOR = "Give a link of your editor, such as 'vscode://file/{file}:{line}:{column}'"
const CONSOLE: Rules = {
  allow: option(
    (value) => isTextList(value) && value.every(isNetwork),
    'Give a list of addresses and networks, such as ["172.17.0.1"]',
  ),
  allowedHosts: TEXTS,
  // One can be tried each second.
  token: option((value) => typeof value === 'string' && value.length >= 16, 'Give 16 characters or more'),
  allowInProduction: SWITCH,
  captureBodies: option(
    (value) => ['text', 'off', 'raw'].some((word) => word === value),
    "Give 'text', 'off' or 'raw'",
  ),
  ...{ captureConsole: SWITCH, ignore: TEXTS, slow: AMOUNT, stall: AMOUNT },
  editor: option(isEditorLink, `${EDITOR}; browsers open http and the like themselves`),
}

/** The options that are records with options of their own. */
const GROUPS: Readonly<Record<string, Rules>> = {
  limits: { ...rulesFor(DEFAULTS.limits, AMOUNT), connections: COUNT },
  timeouts: rulesFor(DEFAULTS.timeouts, TIME),
  versioning: {
    from: option(isVersionFrom, "Give the name of a header, { mediaType: 'version' }, or a function of the request"),
    default: option(
      (value) => typeof value === 'string' && parseVersion(value) !== undefined,
      'Give a version such as "1.4.0" or "2026-01-31"',
    ),
  },
  redact: {
    headers: option(isTextList, 'Give a list of names, such as ["x-session"]'),
    keys: option(isTextList, 'Give a list of names, such as ["birthday"]'),
    values: option(
      (value) => Array.isArray(value) && value.every((each) => each instanceof RegExp),
      'Give a list of regular expressions',
    ),
    replaceDefaults: SWITCH,
  },
  openapi: {
    path: option(isUrlPath, "Give a path without parameters, such as '/openapi.json'"),
    ...{ info: RECORD, uses: USES, public: SWITCH },
    tags: option(isTags, "Give a list of tags, such as [{ name: 'users', description: 'Who has an account' }]"),
    servers: option(isServers, "Give a list of servers, such as [{ url: 'https://api.example.com' }]"),
  },
  metrics: { path: option(isUrlPath, PATH), uses: USES },
  devConsole: CONSOLE,
}

const LISTEN_OPTIONS: Rules = {
  port: option(
    (value) => isWhole(value, 0) && value < 65_536,
    'Give a whole number from 0 to 65535; 0 picks a free port',
  ),
  ...{ host: TEXT, path: TEXT },
  // A TLS server without a certificate would refuse every client.
  tls: option(
    (value) => isRecord(value) && ['cert', 'pfx', 'SNICallback'].some((name) => name in value),
    'Give "key" and "cert", or "pfx", or "SNICallback"',
  ),
}

function option(holds: (value: unknown) => boolean, fix: string): Rule {
  return (value) => (holds(value) ? null : `it is ${typeof value === 'number' ? value : describeType(value)}. ${fix}`)
}

export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)

export function checkOptions(options: object): void {
  if (!isRecord(options)) throw optionError('options', 'they are no record. Write "createApp({ routes })"')
  checkOption(options, OPTIONS, '')
  for (const [group, rules] of Object.entries(GROUPS)) {
    const groupOptions = options[group]
    if (isRecord(groupOptions)) checkOption(groupOptions, rules, `${group}.`)
  }
  checkReplacement(options['redact'] ?? {})
  for (const [name, checkValue] of Object.entries(CHECKED_WHOLE)) {
    const optionValue: unknown = Reflect.get(options, name)
    if (optionValue !== undefined) checkValue(optionValue, (why) => optionError(`option "${name}"`, why))
  }
}

/** Options whose parts depend on each other. */
const CHECKED_WHOLE = {
  errorFormat: checkErrorFormat,
  cors: checkCors,
  compression: checkCompression,
  securityHeaders: checkSecurityHeaders,
}

export function checkListenOptions(options: object): void {
  if (!isRecord(options)) throw optionError('options', 'they are no record. Write "listen({ port: 3000 })"')
  checkOption(options, LISTEN_OPTIONS, '')
}

function checkOption(given: object, rules: Rules, prefix: string): void {
  checkOptionValues(given, rules, (name) => `option "${prefix}${name}"`)
}

/** Alone it would have no effect. */
function checkReplacement({ headers, keys, values, replaceDefaults = false }: RedactOptions): void {
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const fix = 'Give the lists that stand in the place of the usual ones: headers, keys or values'
  throw optionError('option "redact.replaceDefaults"', `it is true, and there is no list. ${fix}`)
}

function rulesFor(defaults: object, rule: Rule): Rules {
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

/** It becomes a link in the page of the console. */
function isEditorLink(value: unknown): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(typeof value === 'string' ? value : '') ?? []
  return scheme !== undefined && !NOT_EDITORS.has(scheme.toLowerCase())
}

function isUrlPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('{')
}

function isLogger(value: unknown): boolean {
  return value === false || hasMethods(value, LEVELS)
}
