/** Cookies (RFC 6265): parses `Cookie` and serializes `Set-Cookie`. */
import { types } from 'node:util'
import { choiceRule, findWrongOption, rule, SWITCH, textRule, type Rules } from '../errors/options.js'
import { describeDiscarded } from '../values/describe-type.js'
import { discardPromise } from '../values/promises.js'
import { isToken } from './fields.js'
import { BareRecord, isRecord, type UnknownRecord } from '../values/objects.js'
import { trimBlanks } from '../values/trim-blanks.js'
import { decodePath } from './target.js'

/** Attributes of a cookie. */
export interface CookieOptions {
  /** Domain that receives the cookie, with its subdomains; default: only the host that sets the cookie. */
  readonly domain?: string | undefined
  /** Expiry date; default: the end of the browser session. */
  readonly expires?: Date | undefined
  /** Whether the cookie is hidden from scripts; default `true`. */
  readonly httpOnly?: boolean | undefined
  /** Lifetime in seconds. Takes precedence over `expires`. */
  readonly maxAge?: number | undefined
  /** Whether browsers store a separate cookie for each top-level site; default `false`. */
  readonly partitioned?: boolean | undefined
  /** Path that receives the cookie, with the paths below it; default `/`. */
  readonly path?: string | undefined
  /** Which cross-site requests include the cookie: with `strict` none, with `lax` only followed links, with `none` all; default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined
  /** Whether the cookie is sent only over TLS (and to localhost); default `true`. */
  readonly secure?: boolean | undefined
}

/** Parses a `Cookie` header (RFC 6265 section 5.4). Uses the first value of a repeated name. */
export function parseCookies(header: string | undefined): BareRecord<string> {
  const cookies = new BareRecord<string>()
  if (header === undefined) return cookies
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0) continue
    const name = trimBlanks(pair.slice(0, equals))
    if (name === '' || cookies[name] !== undefined) continue
    let value = trimBlanks(pair.slice(equals + 1))
    if (value.length > 1 && value.startsWith('"') && value.endsWith('"')) value = value.slice(1, -1)
    if (value.includes('%')) value = decodePath(value) ?? value
    cookies[name] = value
  }
  return cookies
}

/** Serializes one `Set-Cookie` value (RFC 6265 section 4.1). Throws a TypeError for a cookie that browsers would ignore. */
export function serializeCookie(name: string, value: string | null, options: CookieOptions = {}): string {
  if (typeof name !== 'string')
    throw new TypeError(`Cannot set a cookie: its name must be a string, not ${describeDiscarded(name)}`)
  if (!isToken(name)) throw new TypeError(`Cannot set cookie "${name}": its name must be an HTTP token`)
  let attributes = readCookieOptions(name, options)
  let content = ''
  if (value === null) attributes = { ...attributes, maxAge: 0, expires: undefined }
  else {
    checkValue(name, value)
    content = encodeURIComponent(value)
  }
  const text = [`${name}=${content}`, ...formatAttributes(attributes)].join('; ')
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

function checkValue(name: string, value: unknown): void {
  if (typeof value !== 'string') {
    throw cookieError(
      name,
      `its value must be a string, not ${describeDiscarded(value)}. Pass null to remove the cookie`,
    )
  }
  if (/[\u{d800}-\u{dfff}]/u.test(value))
    throw cookieError(name, 'its value must be a well-formed string, without unpaired surrogates')
}

/** Reads each option once, so that a getter cannot return another value after the check. */
function readCookieOptions(name: string, options: CookieOptions): CookieAttributeMap {
  if (!isRecord(options) || discardPromise(options))
    throw cookieError(name, `its options must be an object, not ${describeDiscarded(options)}`)
  const settings: CookieOptions & UnknownRecord = { ...options }
  const wrong = findWrongOption(settings, RULES)
  if (wrong !== null) throw new TypeError(`Cannot use the option "${wrong.key}" of the cookie "${name}": ${wrong.why}`)
  const { path = '/', sameSite = 'lax', secure = true, httpOnly = true, partitioned = false, ...others } = settings
  const attributes = { path, sameSite, secure, httpOnly, partitioned, ...others }
  const conflict = findConflict(name, attributes)
  if (conflict !== null) throw cookieError(name, conflict)
  return attributes
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const
const PATH = /^\/(?:[\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?$/
/** Browsers ignore a dot before the first label. */
const DOMAIN = /^\.?[\w-]+(?:\.[\w-]+)*$/

/** Whether browsers accept a value of `Path`. They replace an invalid one with a default. */
export function isCookiePath(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ATTRIBUTE_SIZE && PATH.test(value)
}

/** Whether a value is a host name in ASCII, without a port. */
export function isCookieDomain(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ATTRIBUTE_SIZE && DOMAIN.test(value)
}

const RULES: Rules<CookieOptions> = {
  domain: textRule(isCookieDomain, 'be a host name without a port', "'app.example'"),
  expires: rule(isCookieDate, 'be a valid Date from the year 1601 to 9999', 'new Date(time)'),
  httpOnly: SWITCH,
  maxAge: rule(Number.isSafeInteger, 'be an integer of seconds', '3600'),
  partitioned: SWITCH,
  path: textRule(isCookiePath, 'be an ASCII path that starts with "/", without ";"', "'/'"),
  sameSite: choiceRule(Object.keys(SAME_SITE), "'lax'"),
  secure: SWITCH,
}

/** Browsers ignore dates of other years (RFC 6265 section 5.1.1), so the cookie would expire with the browser session. */
function isCookieDate(value: unknown): boolean {
  if (!types.isDate(value)) return false
  const year = Date.prototype.getUTCFullYear.call(value)
  return year >= 1601 && year <= 9999
}

/** Returns why browsers would ignore a cookie with these attributes (RFC 6265bis section 5.7); `null` if they accept it. */
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

/** Case-insensitive, because browsers compare prefixes this way. */
const PREFIX = /^__(?:host-http|host|secure|http)-/i

function formatAttributes({ domain, path, maxAge, expires, sameSite, ...switches }: CookieAttributeMap): string[] {
  const attributes = Object.entries({
    Domain: domain,
    Path: path,
    'Max-Age': maxAge,
    Expires: expires && Date.prototype.toUTCString.call(expires),
    SameSite: SAME_SITE[sameSite],
    Secure: switches.secure,
    HttpOnly: switches.httpOnly,
    Partitioned: switches.partitioned,
  })
  return attributes.flatMap(([name, value = false]) => {
    if (value === false) return []
    if (value === true) return name
    return `${name}=${value}`
  })
}
