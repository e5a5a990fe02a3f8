/** Cookies: reading `Cookie`, writing `Set-Cookie` (RFC 6265). */
import { isToken } from './fields.js'
import { BareRecord } from '../values/objects.js'
import { decoded } from './target.js'

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
    if (name !== '' && cookies[name] === undefined) cookies[name] = decode(unquote(trimBlanks(pair.slice(equals + 1))))
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

function unquote(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

function decode(value: string): string {
  return value.includes('%') ? (decoded(value) ?? value) : value
}

/** Writes one `Set-Cookie` value (RFC 6265 section 4.1). */
export function serializeCookie(name: string, value: string | null, options: CookieOptions = {}): string {
  if (!isToken(name)) throw new TypeError(`Cannot set cookie "${name}": its name is not a token`)
  if (value === null) return [`${name}=`, ...attributesOf({ ...options, maxAge: 0, expires: undefined })].join('; ')
  if (/\p{Surrogate}/u.test(value)) {
    throw new TypeError(`Cannot set cookie "${name}": its value holds half of a surrogate pair`)
  }
  if (options.expires !== undefined && Number.isNaN(options.expires.getTime())) {
    throw new TypeError(`Cannot set cookie "${name}": "expires" is not a valid date`)
  }
  return [`${name}=${encodeURIComponent(value)}`, ...attributesOf(options)].join('; ')
}

function attributesOf(options: CookieOptions): string[] {
  const { domain, path = '/', maxAge, expires, sameSite = 'lax' } = options
  const { secure = true, httpOnly = true, partitioned = false } = options
  const attributes = Object.entries({
    Domain: domain,
    Path: path,
    'Max-Age': maxAge,
    Expires: expires?.toUTCString(),
    SameSite: SAME_SITE[sameSite],
    Secure: secure,
    HttpOnly: httpOnly,
    Partitioned: partitioned,
  })
  return attributes.flatMap(([name, value = false]) => {
    if (typeof value === 'boolean') return value ? [name] : []
    return [`${name}=${attributeText(name, value)}`]
  })
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/

function attributeText(attribute: string, content: string | number): string {
  if (typeof content === 'number' && !Number.isSafeInteger(content)) {
    throw new TypeError(`Cannot set a cookie: ${attribute} ${content} is not a whole number`)
  }
  if (!ATTRIBUTE.test(String(content))) {
    throw new TypeError(`Cannot set a cookie: ${attribute} holds ";" or a character outside ASCII`)
  }
  return String(content)
}
