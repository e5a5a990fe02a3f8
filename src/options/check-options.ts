/** What the values of options must be; unknown options and values that cannot be used are refused. */
import { checkKeys } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS } from '../logging/logger.js'
import type { RedactOptions } from '../observe/secrets.js'
import { isTextList, kindOf } from '../route/contract.js'
import { isObject, isRecord } from '../values/objects.js'
import { parseVersion } from '../versioning/version.js'
import { DEFAULTS } from './options.js'

interface Rule {
  readonly holds: (value: unknown) => boolean
  /** What to give, for the text of an error. */
  readonly wayOut: string
}

type Rules = Readonly<Record<string, Rule>>

const TEXT: Rule = { holds: (value) => typeof value === 'string', wayOut: 'Give a text' }
const TEXTS: Rule = { holds: isTextList, wayOut: 'Give a list of texts' }
const SWITCH: Rule = { holds: (value) => typeof value === 'boolean', wayOut: 'Give true or false' }
const RECORD: Rule = { holds: isRecord, wayOut: 'Give a record' }
/** Routes, middleware and guards are checked where they are read, with texts of their own. */
const ANYTHING: Rule = { holds: () => true, wayOut: '' }
const USES: Rule = { holds: isRecord, wayOut: 'Give a record of providers, such as { user: currentUser }' }
const AMOUNT: Rule = { holds: isAmount, wayOut: 'Give a whole number from 0 up' }
/** From 1 up: Node versions differ in what no connections at all mean. */
const COUNT: Rule = {
  holds: (value) => isAmount(value) && value > 0,
  wayOut: 'Give a whole number from 1 up, or leave it out for no limit',
}
/** A time in ms, up to what timers of Node take: one beyond would be over at once. */
const TIME: Rule = {
  holds: (value) => isAmount(value) && value < 2 ** 31,
  wayOut: 'Give a whole number of ms from 0 to 2147483647',
}
const PORT: Rule = {
  holds: (value) => isAmount(value) && value < 65_536,
  wayOut: 'Give a whole number from 0 to 65535; 0 picks a free port',
}

const OPTIONS: Rules = {
  routes: ANYTHING,
  name: TEXT,
  version: TEXT,
  services: RECORD,
  middleware: ANYTHING,
  mapError: { holds: isFunctions, wayOut: 'Give "(error) => HttpError | undefined", or a list of such functions' },
  versioning: RECORD,
  logger: { holds: isLogger, wayOut: `Give a logger with the methods ${LEVELS.join(', ')}, or false` },
  redact: RECORD,
  limits: RECORD,
  timeouts: RECORD,
  trustProxy: { holds: isTextList, wayOut: 'Give a list of addresses and networks, such as ["10.0.0.0/8"]' },
  validateResponses: SWITCH,
  openapi: { holds: (value) => value === false || isRecord(value), wayOut: 'Give a record, or false' },
  jsonSchema: {
    holds: (value) => isRecord(value) && isFunctions(Object.values(value)),
    wayOut: 'Give converters by vendor',
  },
  metrics: {
    holds: (value) => isPath(value) || (isRecord(value) && isPath(value['path'])),
    wayOut: "Give a path without parameters, such as '/metrics'",
  },
  devConsole: {
    holds: (value) => value === 'auto' || typeof value === 'boolean' || isRecord(value),
    wayOut: "Give 'auto', true, false or a record",
  },
  signals: SWITCH,
}

const VERSIONING: Rules = {
  from: {
    holds: isVersionFrom,
    wayOut: "Give the name of a header, { mediaType: 'version' }, or a function of the request",
  },
  default: {
    holds: (value) => typeof value === 'string' && parseVersion(value) !== undefined,
    wayOut: 'Give a version such as "1.4.0" or "2026-01-31"',
  },
}

const METRICS: Rules = {
  path: { holds: isPath, wayOut: "Give a path without parameters, such as '/metrics'" },
  uses: USES,
}

const OPENAPI: Rules = {
  path: { holds: isPath, wayOut: "Give a path without parameters, such as '/openapi.json'" },
  info: RECORD,
  uses: USES,
  servers: { holds: isServers, wayOut: "Give a list of servers, such as [{ url: 'https://api.example.com' }]" },
}

const REDACT: Rules = {
  headers: { holds: isTextList, wayOut: 'Give a list of names, such as ["x-session"]' },
  keys: { holds: isTextList, wayOut: 'Give a list of names, such as ["birthday"]' },
  values: {
    holds: (value) => Array.isArray(value) && value.every((each) => each instanceof RegExp),
    wayOut: 'Give a list of regular expressions',
  },
  replaceDefaults: SWITCH,
}

/** Schemes that a browser would run or load. */
const NOT_EDITORS: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'http', 'https'])
const CONSOLE: Rules = {
  allow: {
    holds: (value) => isTextList(value) && value.every(isNetwork),
    wayOut: 'Give a list of addresses and networks, such as ["172.17.0.1"]',
  },
  allowedHosts: TEXTS,
  // One can be tried each second.
  token: {
    holds: (value) => typeof value === 'string' && value.length >= 16,
    wayOut: 'Give 16 characters or more',
  },
  allowInProduction: SWITCH,
  captureBodies: {
    holds: (value) => ['text', 'off', 'raw'].some((word) => word === value),
    wayOut: "Give 'text', 'off' or 'raw'",
  },
  captureConsole: SWITCH,
  ignore: TEXTS,
  slow: AMOUNT,
  stall: AMOUNT,
  editor: {
    holds: isEditorLink,
    wayOut: `Give a link of your editor, such as 'vscode://file/{file}:{line}:{column}'; browsers open http and the like themselves`,
  },
}

const LISTEN_OPTIONS: Rules = {
  port: PORT,
  host: TEXT,
  path: TEXT,
  // A TLS server without a certificate would refuse every client.
  tls: {
    holds: (value) => isRecord(value) && ['cert', 'pfx', 'SNICallback'].some((name) => name in value),
    wayOut: 'Give "key" and "cert", or "pfx", or "SNICallback"',
  },
}

/** Every option of `createApp`. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)

type Group = 'limits' | 'timeouts' | 'versioning' | 'redact' | 'openapi' | 'devConsole' | 'metrics'

/** Checks the options of `createApp`. */
export function checkOptions(options: object): void {
  if (!isRecord(options)) throw invalid('options', 'they are no record. Write "createApp({ routes })"')
  check(options, OPTIONS, '')
  const groups: Partial<Record<Group, object>> = options
  const { limits = {}, timeouts = {}, versioning = {}, redact = {}, openapi, devConsole, metrics } = groups
  check(limits, { ...rulesFor(DEFAULTS.limits, AMOUNT), connections: COUNT }, 'limits.')
  check(timeouts, rulesFor(DEFAULTS.timeouts, TIME), 'timeouts.')
  check(versioning, VERSIONING, 'versioning.')
  check(redact, REDACT, 'redact.')
  checkReplaced(redact)
  if (isRecord(openapi)) check(openapi, OPENAPI, 'openapi.')
  if (isRecord(metrics)) check(metrics, METRICS, 'metrics.')
  if (isRecord(devConsole)) check(devConsole, CONSOLE, 'devConsole.')
}

/** Checks the options of `listen`. */
export function checkListenOptions(options: object): void {
  if (!isRecord(options)) throw invalid('options', 'they are no record. Write "listen({ port: 3000 })"')
  check(options, LISTEN_OPTIONS, '')
}

/** An option that is `undefined` is as good as absent. */
function check(given: object, rules: Rules, prefix: string): void {
  const refuse = (name: string, why: string): SetupError => invalid(`option "${prefix}${name}"`, why)
  checkKeys(given, Object.keys(rules), (name, help) => refuse(name, `it is unknown.${help}`))
  for (const [name, { holds, wayOut }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(given, name)
    if (value !== undefined && !holds(value)) throw refuse(name, `it is ${stateOf(value)}. ${wayOut}`)
  }
}

/** Alone it would have no effect. */
function checkReplaced({ headers, keys, values, replaceDefaults = false }: RedactOptions): void {
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const wayOut = 'Give the lists that stand in the place of the usual ones: headers, keys or values'
  throw invalid('option "redact.replaceDefaults"', `it is true, and there is no list. ${wayOut}`)
}

function rulesFor(defaults: object, rule: Rule): Rules {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, rule]))
}

function invalid(what: string, why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot use ${what}: ${why}`)
}

function stateOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
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

/** It becomes a link in the page of the console. */
function isEditorLink(value: unknown): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(typeof value === 'string' ? value : '') ?? []
  return scheme !== undefined && !NOT_EDITORS.has(scheme.toLowerCase())
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('{')
}

function isLogger(value: unknown): boolean {
  return value === false || (isObject(value) && LEVELS.every((level) => typeof value[level] === 'function'))
}
