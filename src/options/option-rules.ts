/** What the values of options must be. */
import { isToken } from '../http/fields.js'
import { isNetwork } from '../http/forwarded.js'
import { LEVELS } from '../logging/logger.js'
import { isRecord } from '../values/objects.js'
import { parseVersion } from '../versioning/version.js'

/** What a value must be. */
export interface Rule {
  /** Tells whether a value can be used. */
  readonly holds: (value: unknown) => boolean
  /** What to give, for the text of an error. */
  readonly wayOut: string
}

const TEXT: Rule = { holds: (value) => typeof value === 'string', wayOut: 'Give a text' }
const SWITCH: Rule = { holds: (value) => typeof value === 'boolean', wayOut: 'Give true or false' }
const RECORD: Rule = { holds: isRecord, wayOut: 'Give a record' }
const ANYTHING: Rule = { holds: () => true, wayOut: '' }
/** A whole number from 0 up. */
export const AMOUNT: Rule = {
  holds: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  wayOut: 'Give a whole number from 0 up',
}
/** A whole number from 1 up: Node versions differ in what no connections at all mean. */
export const COUNT: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) > 0,
  wayOut: 'Give a whole number from 1 up, or leave it out for no limit',
}
/** A time in ms, up to what timers of Node take: one beyond would be over at once. */
export const TIME: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) < 2 ** 31,
  wayOut: 'Give a whole number of ms from 0 to 2147483647',
}
const PORT: Rule = {
  holds: (value) => AMOUNT.holds(value) && Number(value) < 65_536,
  wayOut: 'Give a whole number from 0 to 65535; 0 picks a free port',
}

/** Options of `createApp`. */
export const OPTIONS: ReadonlyMap<string, Rule> = new Map([
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
  [
    'metrics',
    {
      holds: (value) => isPath(value) || (isRecord(value) && isPath(value['path'])),
      wayOut: "Give a path without parameters, such as '/metrics'",
    },
  ],
  ['devConsole', { holds: isConsole, wayOut: "Give 'auto', true, false or a record" }],
  ['signals', SWITCH],
])

/** Options of `versioning`. */
export const VERSIONING: ReadonlyMap<string, Rule> = new Map([
  [
    'from',
    {
      holds: isVersionFrom,
      wayOut: "Give the name of a header, { mediaType: 'version' }, or a function of the request",
    },
  ],
  ['default', { holds: isVersion, wayOut: 'Give a version such as "1.4.0" or "2026-01-31"' }],
])

/** The guards themselves are checked where they are read, with texts of their own. */
const USES: Rule = { holds: isRecord, wayOut: 'Give a record of providers, such as { user: currentUser }' }
/** Options of `metrics`, where it is a record. */
export const METRICS: ReadonlyMap<string, Rule> = new Map([
  ['path', { holds: isPath, wayOut: "Give a path without parameters, such as '/metrics'" }],
  ['uses', USES],
])

/** Options of `openapi`. */
export const OPENAPI: ReadonlyMap<string, Rule> = new Map([
  ['path', { holds: isPath, wayOut: "Give a path without parameters, such as '/openapi.json'" }],
  ['info', RECORD],
  ['uses', USES],
  ['servers', { holds: isServers, wayOut: "Give a list of servers, such as [{ url: 'https://api.example.com' }]" }],
])

/** Options of `redact`. */
export const REDACT: ReadonlyMap<string, Rule> = new Map([
  ['headers', { holds: isTexts, wayOut: 'Give a list of names, such as ["x-session"]' }],
  ['keys', { holds: isTexts, wayOut: 'Give a list of names, such as ["birthday"]' }],
  ['values', { holds: isExpressions, wayOut: 'Give a list of regular expressions' }],
  ['replaceDefaults', SWITCH],
])

/** Schemes that a browser would run or load. */
const NOT_EDITORS: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'http', 'https'])
const TEXTS: Rule = { holds: isTexts, wayOut: 'Give a list of texts' }
/** Options of `devConsole`. */
export const CONSOLE: ReadonlyMap<string, Rule> = new Map([
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
  [
    'editor',
    {
      holds: isEditorLink,
      wayOut: `Give a link of your editor, such as 'vscode://file/{file}:{line}:{column}'; browsers open http and the like themselves`,
    },
  ],
])

/** Options of `listen`. */
export const LISTEN_OPTIONS: ReadonlyMap<string, Rule> = new Map([
  ['port', PORT],
  ['host', TEXT],
  ['path', TEXT],
  ['tls', { holds: isCertified, wayOut: 'Give "key" and "cert", or "pfx", or "SNICallback"' }],
])

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
  return list.every((server) => isRecord(server) && typeof server['url'] === 'string')
}

function isConsole(value: unknown): boolean {
  return value === 'auto' || typeof value === 'boolean' || isRecord(value)
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
  if (value === false) return true
  if (typeof value !== 'object' || value === null) return false
  return LEVELS.every((level) => typeof Reflect.get(value, level) === 'function')
}
