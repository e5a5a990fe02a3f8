/** Options that change every answer of an app or a group: their types, and what their values must be. */
import { ANYTHING, checkMembers, rule, type Rules } from '../errors/known-keys.js'
import type { ContentCoding } from '../http/coders.js'
import { toHeaderChanges, isToken } from '../http/fields.js'
import { VERB_BY_METHOD } from '../http/methods.js'
import { describeType } from '../values/describe-type.js'
import { isWhole } from '../values/numbers.js'
import { isRecord } from '../values/objects.js'
import { isTextList, switchRule } from './contract.js'

/**
 * Tells whether pages of an origin may read answers.
 *
 * @param origin as the browser sends it: `https://app.example`, or `null` for a page without an origin
 * @returns `true` to let them
 */
export type OriginTest = (origin: string) => boolean | Promise<boolean>

/** Which pages of other origins may read answers (Fetch standard, section 3.2). */
export interface CorsOptions {
  /** `'https://app.example'`, `'https://*.app.example'` for its sub-domains, `'*'` for all, or a function; one or a list. */
  readonly origins: string | readonly string[] | OriginTest
  /** Methods that they may use; unless given, those that the path answers. */
  readonly methods?: readonly string[]
  /** Names of header fields that they may send; unless given, those that they ask for. */
  readonly headers?: readonly string[]
  /** Whether the browser sends cookies and the like, and shows the answer; `false` unless given. */
  readonly credentials?: boolean
  /** Names of header fields that they may read, beside those that the standard allows; none unless given. */
  readonly expose?: readonly string[]
  /** ms for which a browser may keep the answer to a preflight; 600_000 unless given. */
  readonly maxAge?: number
}

/** Changes to a set of security headers: values by name; `null` leaves one out. */
export interface HeaderChanges {
  readonly [name: string]: string | null
}

/** Changes to both sets of security headers. */
export interface SecurityHeaderSets {
  /** What answers get that are no pages. */
  readonly api?: HeaderChanges
  /** What pages get, answers of the type `text/html`. */
  readonly html?: HeaderChanges
}

/** The security headers of an API, of an app of pages, or those of an API with changes. */
export type SecurityHeaders = 'api' | 'html' | SecurityHeaderSets

/** How answers are compressed (RFC 9110 section 8.4). */
export interface CompressionOptions {
  /** Codings, best first; `['zstd', 'br', 'gzip']` unless given. Zstandard is left out where Node has none, before 22.15. */
  readonly encodings?: readonly ContentCoding[]
  /** Bytes from which on an answer is compressed; 1_024 unless given. A stream without a length always is. */
  readonly threshold?: number
  /** Media types, with `*` for anything; text, JSON, XML and the like unless given. */
  readonly types?: readonly string[]
}

/** What every answer of a part of an app gets. Parts with the same options share one of these. */
export interface ResponseSettings {
  readonly cors: CorsOptions | undefined
  readonly securityHeaders: SecurityHeaders | undefined
  readonly compression: CompressionOptions | undefined
}

/** What a group changes of what is around it; `false` leaves it out. */
export interface AnswerChanges {
  readonly cors?: CorsOptions | false
  readonly securityHeaders?: SecurityHeaders | false
}

/** The options inside of a group. */
export function answersIn(outer: ResponseSettings, { cors, securityHeaders }: AnswerChanges): ResponseSettings {
  if (cors === undefined && securityHeaders === undefined) return outer
  return {
    ...outer,
    cors: cors === undefined ? outer.cors : cors || undefined,
    securityHeaders: securityHeaders === undefined ? outer.securityHeaders : securityHeaders || undefined,
  }
}

type Refuse = (why: string) => Error

const WRITE = `Write "{ origins: ['https://app.example'] }"`

const CORS: Rules = {
  origins: ANYTHING,
  methods: rule(
    (value) => isTextList(value) && value.every((name) => VERB_BY_METHOD.has(name)),
    `"methods" is no list of methods. Write "methods: ['GET', 'POST']"`,
  ),
  headers: headerNamesRule('headers'),
  credentials: switchRule('credentials'),
  expose: headerNamesRule('expose'),
  maxAge: rule(
    (value) => isWhole(value, 0),
    '"maxAge" is not a whole number of ms from 0 up. Write "maxAge: 600_000" for ten minutes',
  ),
}

function headerNamesRule(key: string): Rules[string] {
  return rule(
    (value) => isTextList(value) && value.every(isToken),
    `"${key}" is no list of names of header fields. Write "${key}: ['x-request-id']"`,
  )
}

/** Refuses what cannot be used; `refuse` makes the error. */
export function checkCors(given: unknown, refuse: Refuse): void {
  if (!isRecord(given)) throw refuse(`it is ${describeType(given)}. ${WRITE}`)
  checkMembers(given, CORS, refuse, 'Known are')
  const { origins, credentials, headers, expose } = given
  const listed: readonly unknown[] = typeof origins === 'function' ? [] : [origins].flat()
  if (typeof origins !== 'function' && listed.length === 0) throw refuse(`"origins" is empty. ${WRITE}`)
  const flaw = listed.map(originFlaw).find((each) => each !== null)
  if (flaw !== undefined) throw refuse(flaw)
  const values = { origins: listed, headers, expose }
  const open = Object.entries(values).find(([, list]) => Array.isArray(list) && list.some(isOpen))
  if (credentials !== true || open === undefined) return
  throw refuse(`"${open[0]}" has "*" or "null" beside "credentials". Name what you trust, or leave "credentials" out`)
}

/** What stands for everybody, or for anybody without a name. */
function isOpen(value: unknown): boolean {
  return value === '*' || value === 'null'
}

/** Scheme, host and port (RFC 6454 section 6.2); a host may begin with `*.`. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d+)?$/

function originFlaw(origin: unknown): string | null {
  if (isOpen(origin)) return null
  if (typeof origin !== 'string') return `"origins" has ${describeType(origin)}. ${WRITE}`
  const plain = origin.replace('://*.', '://')
  const originText = normalizeOrigin(plain)
  // What is no web page, such as an app or an extension, has a scheme of its own, whose origins are written as they are.
  if (ORIGIN.test(origin) && (originText === plain || originText === 'null')) return null
  const fix = originText === null || originText === 'null' ? 'https://app.example' : originText
  return `"origins" has "${origin}", which is no scheme, host and port as browsers send them. Write "${fix}"`
}

function normalizeOrigin(text: string): string | null {
  const url = text.includes('://') ? text : `https://${text}`
  return URL.canParse(url) ? new URL(url).origin : null
}

const SETS: Rules = { api: headerSet('api'), html: headerSet('html') }

function headerSet(key: string): Rules[string] {
  return rule(isHeaderSet, `"${key}" has what cannot stand in a header. Write "${key}: { 'x-frame-options': null }"`)
}

function isHeaderSet(value: unknown): boolean {
  if (!isRecord(value) || !Object.values(value).every((each) => each === null || typeof each === 'string')) return false
  try {
    // Proof: its values are texts and `null`, as was just seen.
    toHeaderChanges(value as Record<string, string | null>)
    return true
  } catch {
    return false
  }
}

/** Refuses what cannot be used; `refuse` makes the error. */
export function checkSecurityHeaders(given: unknown, refuse: Refuse): void {
  if (given === 'api' || given === 'html') return
  if (!isRecord(given))
    throw refuse(`it is ${describeType(given)}. Write 'api', 'html', or "{ html: { … } }" for changes`)
  checkMembers(given, SETS, refuse, 'Known are')
}

const CODINGS: readonly unknown[] = ['zstd', 'br', 'gzip'] satisfies ContentCoding[]
const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/

const COMPRESSION: Rules = {
  encodings: rule(
    (value) => Array.isArray(value) && value.length > 0 && value.every((each) => CODINGS.includes(each)),
    `"encodings" is no list of codings. Write "encodings: ['zstd', 'br', 'gzip']", or fewer`,
  ),
  threshold: rule(
    (value) => isWhole(value, 0),
    '"threshold" is not a whole number of bytes from 0 up. Write "threshold: 1_024"',
  ),
  types: rule(
    (value) => isTextList(value) && value.length > 0 && value.every((type) => MEDIA_TYPE.test(type)),
    `"types" is no list of media types. Write "types: ['application/json', 'text/*']"`,
  ),
}

/** Refuses what cannot be used; `refuse` makes the error. */
export function checkCompression(given: unknown, refuse: Refuse): void {
  if (!isRecord(given)) throw refuse(`it is ${describeType(given)}. Write "compression: {}" for the usual`)
  checkMembers(given, COMPRESSION, refuse, 'Known are')
}
