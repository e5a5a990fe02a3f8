/** A cookie with its name and attributes, and the rules for its options. */
import type { ContextSource } from '../../context/request-context.js'
import type { ResponseView } from '../../context/types.js'
import {
  choiceRule,
  isTextList,
  ONLY_TRUE,
  optionError,
  mandatory,
  rule,
  SWITCH,
  textRule,
  type Rule,
  type Rules,
} from '../../errors/options.js'
import { isCookieDomain, isCookiePath, serializeCookie, type CookieOptions } from '../../http/cookies.js'
import { trimBlanks } from '../../values/trim-blanks.js'
import { isToken } from '../../http/fields.js'
import type { Keys } from './cookie-code.js'

/** Attributes of a cookie. It is always `HttpOnly`, so that scripts cannot read it. */
export interface CookieAttributes {
  /** Path of the requests that include the cookie, with all paths below it; default `/`. */
  readonly path?: string
  /** Domain whose hosts all receive the cookie; default: only the responding host. */
  readonly domain?: string
  /** Whether cross-site requests include the cookie: `strict` never, `lax` if the user follows a link, `none` always; default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  /** Whether browsers store a separate cookie for each top-level site, for pages in an `<iframe>` of other sites; default `false`. */
  readonly partitioned?: boolean
  /** Also sends the cookie over plain HTTP, for development without TLS. The cookie then has neither `Secure` nor a prefix. */
  readonly insecure?: true
}

/** Minimum length of a key in bytes, so that it is as hard to guess as the 256-bit keys derived from it. */
const KEY_BYTES = 32

export class Cookie {
  /** Name that browsers send, with the prefix that binds the cookie to this host (RFC 6265bis section 4.1.3). */
  readonly name: string
  readonly #options: CookieOptions

  constructor(name: string, { path = '/', domain, sameSite, partitioned, insecure }: CookieAttributes) {
    const prefix = path === '/' && domain === undefined ? '__Host-' : '__Secure-'
    this.name = insecure === true ? name : `${prefix}${name}`
    this.#options = { path, domain, sameSite, partitioned, secure: insecure !== true }
  }

  /** Returns the sent value. Ignores cookies with the same name and different values: a page on another subdomain may have set one. */
  sentIn({ exchange }: ContextSource): string | undefined {
    const [value, ...others] = readCookieValues(exchange.header('cookie'), this.name)
    return others.length === 0 ? value : undefined
  }

  /** @param end expiry time, in ms since 1970 */
  write(response: ResponseView, value: string, end: number): void {
    const maxAge = Math.ceil((end - Date.now()) / 1000)
    response.append('set-cookie', serializeCookie(this.name, value, { ...this.#options, maxAge }))
  }

  remove(response: ResponseView): void {
    response.append('set-cookie', serializeCookie(this.name, null, this.#options))
  }
}

function readCookieValues(header: string | undefined, name: string): Set<string> {
  const pairs = header?.split(';').map(trimBlanks) ?? []
  return new Set(pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : [])))
}

const PREFIXED = /^__(?:host|secure)-/i

/** Rule for the name of a cookie. */
export const COOKIE_NAME: Rule = textRule(
  (text) => isToken(text) && !PREFIXED.test(text),
  'be a cookie name without a prefix, because Verbena adds "__Host-"',
  "'session'",
)

export const ATTRIBUTES: Rules<CookieAttributes> = {
  path: textRule(isCookiePath, 'be a path', "'/'"),
  domain: textRule(isCookieDomain, 'be a domain', "'app.example'"),
  sameSite: choiceRule(['strict', 'lax', 'none'], "'lax'"),
  partitioned: SWITCH,
  insecure: ONLY_TRUE,
}

/**
 * Throws for attributes that browsers do not accept together: each request that sets the cookie would fail.
 *
 * @param path before the name of an attribute, such as `cookie.`
 */
export function checkAttributes(attributes: CookieAttributes, path: string, owner: string): void {
  const { sameSite, partitioned, insecure } = attributes
  if (insecure !== true) return
  const why = 'which requires a secure cookie. Remove "insecure" or'
  if (sameSite === 'none') throw optionError(owner, `${path}sameSite`, `it is 'none', ${why} "sameSite"`)
  if (partitioned === true) throw optionError(owner, `${path}partitioned`, `it is true, ${why} "partitioned"`)
}

/** Rule for `keys`. */
export const KEYS: Rules<{ keys: unknown }>['keys'] = mandatory(
  rule(
    isKeys,
    `be an array of strings of at least ${KEY_BYTES} bytes, such as from "openssl rand -base64 32"`,
    '[current, previous]',
  ),
)

function isKeys(value: unknown): value is Keys {
  return isTextList(value) && value.length > 0 && value.every((key) => Buffer.byteLength(key) >= KEY_BYTES)
}
