/** Cookies: reading `Cookie`, writing `Set-Cookie` (RFC 6265). */
import { types } from 'node:util'
import { checkMembers, type Rule } from '../errors/known-keys.js'
import { describeDiscarded } from '../values/describe-type.js'
import { discardPromise } from '../values/promises.js'
import { isToken } from './fields.js'
import { BareRecord, isRecord } from '../values/objects.js'
import { decodePath } from './target.js'

/** Attributes of a cookie that is set; those absent take the defaults named. */
export interface CookieOptions {
  /** Domain that gets the cookie; the answering host alone unless given. */
  readonly domain?: string | undefined
  /** Date from which the cookie is dead. */
  readonly expires?: Date | undefined
  /** Hidden from scripts; default `true`. */
  readonly httpOnly?: boolean | undefined
  /** Lifetime in seconds. */
  readonly maxAge?: number | undefined
  /** Kept apart for each top-level site. */
  readonly partitioned?: boolean | undefined
  /** Path below which it is sent; default `/`. */
  readonly path?: string | undefined
  /** Sent with requests from other sites: `strict` never, `lax` when a person follows a link, `none` always; default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined
  /** Sent over TLS alone (and to localhost); default `true`. */
  readonly secure?: boolean | undefined
}

/** Reads a `Cookie` header (RFC 6265 section 5.4). Of a repeated name the first counts. */
export function parseCookies(header: string | undefined): BareRecord<string> {
  const cookies = new BareRecord<string>()
  if (header === undefined) return cookies
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0) continue
    const name = trimBlanks(pair.slice(0, equals))
    if (name !== '' && cookies[name] === undefined)
      cookies[name] = decodeCookieValue(unquoteCookie(trimBlanks(pair.slice(equals + 1))))
  }
  return cookies
}

/** `trim` would also cut off blanks that belong to a name (section 5.2); an expression would take quadratic time. */
export function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t'
  let start = 0
  let end = text.length
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return text.slice(start, end)
}

function unquoteCookie(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

function decodeCookieValue(value: string): string {
  return value.includes('%') ? (decodePath(value) ?? value) : value
}

/** Writes one `Set-Cookie` value (RFC 6265 section 4.1). Throws a TypeError for a cookie that browsers would ignore. */
export function serializeCookie(name: string, value: string | null, options: CookieOptions = {}): string {
  checkName(name)
  const attributes = readCookieOptions(name, options)
  if (value !== null) checkValue(name, value)
  const content = value === null ? '' : encodeURIComponent(value)
  const lifetime = value === null ? { maxAge: 0, expires: undefined } : {}
  const text = [`${name}=${content}`, ...formatAttributes({ ...attributes, ...lifetime })].join('; ')
  if (text.length <= MAX_SIZE) return text
  throw cookieError(
    name,
    `it has ${text.length} bytes with its attributes, and the maximum is ${MAX_SIZE}. Store less in it`,
  )
}

/** Options with their defaults. */
type CookieAttributeMap = Pick<CookieOptions, 'domain' | 'expires' | 'maxAge'> & {
  readonly [K in 'path' | 'sameSite' | 'secure' | 'httpOnly' | 'partitioned']: NonNullable<CookieOptions[K]>
}

/** Maximum size of a cookie with its attributes in bytes. Browsers ignore larger ones (RFC 6265 section 6.1). */
const MAX_SIZE = 4096
/** Maximum size of `Path` and `Domain` in bytes. Browsers ignore larger ones (RFC 6265bis section 5.6). */
const MAX_ATTRIBUTE_SIZE = 1024

function cookieError(name: string, reason: string): TypeError {
  return new TypeError(`Cannot set cookie "${name}": ${reason}`)
}

function checkName(name: unknown): void {
  if (typeof name !== 'string')
    throw new TypeError(`Cannot set a cookie: its name must be a string, not ${describeDiscarded(name)}`)
  if (!isToken(name)) throw new TypeError(`Cannot set cookie "${name}": its name is not a token`)
}

function checkValue(name: string, value: unknown): void {
  if (typeof value !== 'string') {
    throw cookieError(
      name,
      `its value must be a string, not ${describeDiscarded(value)}. Pass null to remove the cookie`,
    )
  }
  if (/\p{Surrogate}/u.test(value)) throw cookieError(name, 'its value holds half of a surrogate pair')
}

/** Reads each option once, so that a getter cannot return another value after the check. */
function readCookieOptions(name: string, options: CookieOptions): CookieAttributeMap {
  if (!isRecord(options) || discardPromise(options))
    throw cookieError(name, `its options must be an object, not ${describeDiscarded(options)}`)
  const settings: CookieOptions = { ...options }
  checkMembers(settings, RULES, (reason) => cookieError(name, reason))
  const { path = '/', sameSite = 'lax', secure = true, httpOnly = true, partitioned = false, ...others } = settings
  const attributes = { path, sameSite, secure, httpOnly, partitioned, ...others }
  const conflict = findConflict(name, attributes)
  if (conflict !== null) throw cookieError(name, conflict)
  return attributes
}

/** Formats an option for an error message. */
function format(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeDiscarded(value)
}

function cookieRule(key: keyof CookieOptions, isValid: (value: unknown) => boolean, valid: string): Rule {
  return (value) => (isValid(value) ? null : `"${key}" must be ${valid}, not ${format(value)}`)
}

function attributeRule(key: keyof CookieOptions): Rule {
  return cookieRule(key, (value) => typeof value === 'boolean', 'true or false')
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const
const PATH = /^\/(?:[\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?$/
/** Browsers ignore a dot before the first label. */
const DOMAIN = /^\.?[\w-]+(?:\.[\w-]+)*$/

/** Whether browsers send a cookie with this `Path` below it. They replace any other path by a default. */
export function isCookiePath(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ATTRIBUTE_SIZE && PATH.test(value)
}

/** Whether a value is a host name in ASCII, without a port. */
export function isCookieDomain(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ATTRIBUTE_SIZE && DOMAIN.test(value)
}

const RULES: Readonly<Record<keyof CookieOptions, Rule>> = {
  domain: cookieRule('domain', isCookieDomain, 'a host name without a port, such as "app.example"'),
  expires: cookieRule('expires', isCookieDate, 'a valid Date from the year 1601 to 9999'),
  httpOnly: attributeRule('httpOnly'),
  maxAge: cookieRule('maxAge', Number.isSafeInteger, 'an integer of seconds'),
  partitioned: attributeRule('partitioned'),
  path: cookieRule('path', isCookiePath, 'an ASCII path that starts with "/", without ";"'),
  sameSite: cookieRule(
    'sameSite',
    (value) => typeof value === 'string' && Object.hasOwn(SAME_SITE, value),
    "'strict', 'lax' or 'none'",
  ),
  secure: attributeRule('secure'),
}

/** Browsers ignore dates of other years (RFC 6265 section 5.1.1), so the cookie would end with their session. */
function isCookieDate(value: unknown): boolean {
  const year = types.isDate(value) ? Date.prototype.getUTCFullYear.call(value) : Number.NaN
  return year >= 1601 && year <= 9999
}

/** Returns why browsers would ignore a cookie of this name (RFC 6265bis section 5.7); `null` for a good one. */
function findConflict(name: string, options: CookieAttributeMap): string | null {
  const { domain, path, sameSite, secure, httpOnly, partitioned } = options
  const prefix = PREFIX.exec(name)?.[0].toLowerCase() ?? ''
  const isOfHost = prefix.startsWith('__host-')
  const required = `the prefix "${prefix}" requires`
  const conflicts: readonly (readonly [boolean, string])[] = [
    [sameSite === 'none' && !secure, `"sameSite: 'none'" requires "secure: true"`],
    [partitioned && !secure, '"partitioned: true" requires "secure: true"'],
    [prefix !== '' && !secure, `${required} "secure: true"`],
    [prefix.endsWith('http-') && !httpOnly, `${required} "httpOnly: true"`],
    [isOfHost && domain !== undefined, `the prefix "${prefix}" does not allow a domain. Remove "domain"`],
    [isOfHost && path !== '/', `${required} "path: '/'"`],
  ]
  return conflicts.find(([isFound]) => isFound)?.[1] ?? null
}

/** Browsers compare prefixes without regard to case. */
const PREFIX = /^__(?:host-http|host|secure|http)-/i

function formatAttributes({ domain, path, maxAge, expires, sameSite, ...switches }: CookieAttributeMap): string[] {
  const attributes = Object.entries({
    Domain: domain,
    Path: path,
    'Max-Age': maxAge,
    Expires: expires === undefined ? undefined : Date.prototype.toUTCString.call(expires),
    SameSite: SAME_SITE[sameSite],
    Secure: switches.secure,
    HttpOnly: switches.httpOnly,
    Partitioned: switches.partitioned,
  })
  return attributes.flatMap(([name, value = false]) => {
    if (typeof value === 'boolean') return value ? [name] : []
    return [`${name}=${value}`]
  })
}
