/** Validation of the app and listen options: unknown options and invalid values are setup errors. */
import { checkForeignNames, FIXES_OF_APPS } from '../errors/foreign-names.js'
import {
  checkOptions,
  choiceRule,
  findWrongOption,
  functionRule,
  integerRule,
  isTextList,
  mandatory,
  objectRule,
  optionError,
  orFalse,
  rangeRule,
  rule,
  type Rule,
  type Rules,
  stringListRule,
  stringRule,
  SWITCH,
  textRule,
} from '../errors/options.js'
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS, type LoggerOptions } from '../observe/logger.js'
import type { RedactOptions } from '../secrets/secrets.js'
import type { AttachOptions, ListenOptions } from '../http/server.js'
import type { OtherHandler } from '../http/other-handler.js'
import type { Limits } from '../request/app-state.js'
import { ERROR_FORMAT } from '../route/error-format.js'
import { ROUTES } from '../route/group.js'
import { checkOrigins, COMPRESSION, CORS, SECURITY_HEADERS } from '../route/response-options.js'
import { hasMethods, isRecord } from '../values/objects.js'
import { parseVersion } from '../versioning/version.js'
import {
  DEFAULTS,
  type DevConsoleOptions,
  type MetricsOptions,
  type OpenApiOptions,
  type RequestIdOptions,
  type UntypedAppOptions,
  type Versioning,
} from './options.js'

const REQUEST_ID: Rules<RequestIdOptions> = { header: SWITCH }
const LIMITS: Rules<Partial<Limits>> = {
  ...rulesFor(DEFAULTS.limits, (example) => integerRule(0, example)),
  /** At least 1, because Node versions interpret a maximum of 0 connections differently. */
  connections: integerRule(1, '10_000'),
}
/** Node fires a timer immediately if its delay is greater than 2 ** 31 - 1. */
const TIMEOUTS = rulesFor(DEFAULTS.timeouts, (example) => rangeRule([0, 2 ** 31 - 1], example, ' of ms'))
const PATH_RULE = textRule(isUrlPath, 'be a path without parameters', "'/metrics'")
const NAMES_RULE = rule(isTextList, 'be an array of names', "['x-session']")
const USES_RULE = objectRule('{ user: currentUser }')
/** URL schemes that a browser would execute or load itself. */
const URL_SCHEMES = ['http', 'https', 'javascript', 'data', 'vbscript', 'blob', 'file']

const VERSIONING: Rules<Partial<Versioning>> = {
  from: rule(
    isVersionFrom,
    "be a header name, { mediaType: 'version' }, or a function of the request",
    "'accept-version'",
  ),
  default: textRule((text) => parseVersion(text) !== undefined, 'be a version such as 1.4.0 or 2026-01-31', "'1.4.0'"),
  require: SWITCH,
  description: stringRule("'Send the version in the query parameter v.'"),
}

const REDACT: Rules<RedactOptions> = {
  headers: NAMES_RULE,
  keys: { ...NAMES_RULE, example: "['birthday']" },
  values: rule(
    (value) => Array.isArray(value) && value.every((each) => each instanceof RegExp),
    'be an array of regular expressions',
    '[/shop_[a-z0-9]{32}/]',
  ),
  replaceDefaults: SWITCH,
}

const OPENAPI: Rules<OpenApiOptions> = {
  path: { ...PATH_RULE, example: "'/openapi.json'" },
  version: choiceRule(['3.1', '3.2']),
  page: { ...PATH_RULE, example: "'/docs'" },
  info: objectRule("{ description: '…' }"),
  servers: rule(
    (value) => Array.isArray(value) && value.every((server) => isRecord(server) && typeof server['url'] === 'string'),
    'be an array of servers',
    "[{ url: 'https://api.example.com' }]",
  ),
  tags: rule(
    (value) => Array.isArray(value) && value.every((tag) => isRecord(tag) && typeof tag['name'] === 'string'),
    'be an array of tags',
    "[{ name: 'users', description: 'User accounts' }]",
  ),
  uses: USES_RULE,
  public: SWITCH,
}

const METRICS: Rules<MetricsOptions> = { path: mandatory(PATH_RULE), uses: USES_RULE }

const CONSOLE: Rules<DevConsoleOptions> = {
  // An attacker can try one token per second.
  token: rule(
    (value) => typeof value === 'string' && value.length >= 16,
    'have at least 16 characters',
    'config.token',
  ),
  allow: rule(
    (value) => isTextList(value) && value.every(isNetwork),
    'be an array of addresses and networks',
    "['172.17.0.1']",
  ),
  allowedHosts: stringListRule("['dev.example']"),
  allowInProduction: SWITCH,
  captureBodies: choiceRule(['text', 'off', 'raw']),
  bodyLimit: integerRule(0, '65_536', ' of bytes'),
  captureConsole: SWITCH,
  header: SWITCH,
  ignore: stringListRule("['/livez']"),
  slow: integerRule(0, '200', ' of ms'),
  stall: integerRule(0, '100', ' of ms'),
  keep: textRule((text) => text !== '' && !text.includes('\0'), 'be the path of a file', "'.dev/console.json'"),
  editor: textRule(
    isEditorLink,
    `be a link of your editor, with a scheme other than ${URL_SCHEMES.slice(0, -1).join(', ')} and ${URL_SCHEMES.at(-1)}`,
    "'vscode://file/{file}:{line}:{column}'",
  ),
}

const OPTIONS: Rules<UntypedAppOptions> = {
  routes: mandatory(ROUTES),
  name: stringRule("'Shop'"),
  version: stringRule("'1.4.0'"),
  services: objectRule('{ db }'),
  middleware: rule(Array.isArray, 'be an array of functions', '[(context, next) => next()]'),
  mapError: rule(isFunctions, 'be a function or an array of functions', '(error) => undefined'),
  errorFormat: ERROR_FORMAT,
  cors: CORS,
  compression: COMPRESSION,
  securityHeaders: SECURITY_HEADERS,
  requestId: objectRule('{ header: true }', REQUEST_ID),
  versioning: objectRule("{ default: '1.4.0' }", VERSIONING),
  logger: rule(isLogger, `be { level }, false, or a logger with the methods ${LEVELS.join(', ')}`, "{ level: 'info' }"),
  accessLog: SWITCH,
  redact: objectRule("{ headers: ['x-session'] }", REDACT),
  limits: objectRule('{ body: 1_000_000 }', LIMITS),
  timeouts: objectRule('{ handler: 5_000 }', TIMEOUTS),
  trailingSlash: choiceRule(['strict', 'ignore', 'redirect']),
  trustProxy: rule(isTextList, 'be an array of addresses and networks', "['10.0.0.0/8']"),
  validateResponses: SWITCH,
  strict: SWITCH,
  openapi: orFalse(objectRule("{ path: '/openapi.json' }", OPENAPI)),
  jsonSchema: rule(
    (value) => isRecord(value) && isFunctions(Object.values(value)),
    'be an object of converters by vendor',
    '{ yup: (schema) => … }',
  ),
  metrics: {
    ...rule((value) => PATH_RULE.isValid(value) || isRecord(value), PATH_RULE.must, PATH_RULE.example, METRICS),
    showsText: true,
  },
  devConsole: rule(
    (value) => value === 'auto' || typeof value === 'boolean' || isRecord(value),
    "be 'auto', true, false or an object",
    "'auto'",
    CONSOLE,
  ),
  signals: SWITCH,
  fastPath: SWITCH,
}

const LOGGER: Rules<Partial<LoggerOptions>> = { level: choiceRule(LEVELS, "'info'") }
/** Rule for options of the built-in logger. A logger of the author has other members. */
const BUILT_IN_LOGGER: Rules<Pick<UntypedAppOptions, 'logger'>> = { logger: objectRule('{ level }', LOGGER) }

const LISTEN: Rules<ListenOptions> = {
  port: rangeRule([0, 65_535], '3000'),
  host: stringRule("'0.0.0.0'"),
  path: stringRule("'/run/app.sock'"),
  // Without a certificate, every TLS handshake would fail.
  tls: rule(
    (value) => isRecord(value) && ['cert', 'pfx', 'SNICallback'].some((name) => name in value),
    'have "key" and "cert", or "pfx", or "SNICallback"',
    '{ key, cert }',
  ),
  otherwise: rule(
    (value) => typeof value === 'function' || (isRecord(value) && findWrongOption(value, OTHER) === null),
    'be a function, or an object with the function "request" and optionally "upgrade"',
    '(request, response) => …',
  ),
}

const OTHER: Rules<OtherHandler> = {
  request: mandatory(functionRule('(request, response) => …')),
  upgrade: functionRule('(request, socket, head) => …'),
}

const ATTACH: Rules<AttachOptions> = { besides: SWITCH }

export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)

export function checkAppOptions(options: UntypedAppOptions): void {
  checkForeignNames(options, FIXES_OF_APPS, 'createApp()')
  checkOptions(options, OPTIONS, 'createApp()')
  const { logger, cors, redact, versioning } = options
  if (isLoggerOptions(logger)) checkOptions({ logger }, BUILT_IN_LOGGER, 'createApp()')
  if (cors !== undefined) checkOrigins(cors, 'cors.', 'createApp()')
  if (redact !== undefined) checkReplacement(redact)
  if (versioning?.require === true && versioning.default !== undefined) {
    const why = 'it is true, but "versioning.default" is the version of requests without one. Remove one of them'
    throw optionError('createApp()', 'versioning.require', why)
  }
}

export function checkListenOptions(options: unknown): void {
  checkOptions(options, LISTEN, 'listen()')
}

export function checkAttachOptions(options: unknown): void {
  checkOptions(options, ATTACH, 'attach()')
}

/** Throws if `replaceDefaults` is set without a list, because it would have no effect. */
function checkReplacement({ headers, keys, values, replaceDefaults = false }: RedactOptions): void {
  if (!replaceDefaults || headers !== undefined || keys !== undefined || values !== undefined) return
  const why = 'it is true, but the lists that replace the defaults are missing. Set headers, keys or values'
  throw optionError('createApp()', 'redact.replaceDefaults', why)
}

/** Returns a rule for each default, which is also its example. */
function rulesFor<Options extends object>(
  defaults: Options,
  ruleFor: (example: string) => Rule,
): Rules<Partial<Options>> {
  const rules = Object.entries(defaults).map(([name, value]) => [name, ruleFor(String(value))])
  // Proof: there is a rule for each default.
  return Object.fromEntries(rules) as Rules<Partial<Options>>
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

/** Checks the scheme, because the console's page turns the value into a link. */
function isEditorLink(link: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(link) ?? []
  return scheme !== undefined && !URL_SCHEMES.includes(scheme.toLowerCase())
}

function isUrlPath(text: string): boolean {
  return text.startsWith('/') && !text.includes('{')
}

function isLogger(value: unknown): boolean {
  return value === false || hasMethods(value, LEVELS) || isLoggerOptions(value)
}

/** Whether the value has options of the built-in logger. A logger such as pino has `level`, too, but also methods. */
export function isLoggerOptions(value: unknown): value is LoggerOptions {
  return isRecord(value) && 'level' in value && !LEVELS.some((level) => hasMethods(value, [level]))
}
