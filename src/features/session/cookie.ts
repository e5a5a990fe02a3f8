/** A cookie as browsers keep it: its name and attributes, reading it, writing it, and how large it may be. */
import type { ContextSource } from '../../context/request-context.js'
import type { ResponseView } from '../../context/types.js'
import { rule, type Rule, type Rules } from '../../errors/known-keys.js'
import { isCookieDomain, isCookiePath, serializeCookie, trimBlanks, type CookieOptions } from '../../http/cookies.js'
import { isToken } from '../../http/fields.js'
import { isTextList } from '../../route/contract.js'
import type { Keys } from './cookie-code.js'

/** Where browsers send a cookie. It is always `HttpOnly`: no script can read it. */
export interface CookieAttributes {
  /** Path below which it is sent; `/` unless given. */
  readonly path?: string
  /** Domain whose hosts all get it; the answering host alone unless given. */
  readonly domain?: string
  /** Sent with requests from other sites: `strict` never, `lax` when a person follows a link, `none` always; `lax` unless given. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  /** Sends it over plain HTTP too, to try things out without TLS: the cookie has neither `Secure` nor a prefix then. */
  readonly insecure?: true
}

/** Bytes of a text that is as hard to guess as the keys that are made of it. */
const KEY_BYTES = 32

export class Cookie {
  /** As browsers send it, with the prefix that binds it to this host (RFC 6265bis section 4.1.3). */
  readonly name: string
  readonly #options: CookieOptions

  constructor(name: string, { path = '/', domain, sameSite, insecure }: CookieAttributes) {
    const prefix = path === '/' && domain === undefined ? '__Host-' : '__Secure-'
    this.name = insecure === true ? name : `${prefix}${name}`
    this.#options = { path, domain, sameSite, secure: insecure !== true }
  }

  /** What was sent. Two different cookies of the name count as none: a page of a sub-domain may have set one of them. */
  sentIn({ exchange }: ContextSource): string | undefined {
    const [value, ...others] = readCookieValues(exchange.header('cookie'), this.name)
    return others.length === 0 ? value : undefined
  }

  /** @param end ms since 1970 */
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

/** Rules of what an author says of a cookie. */
export const COOKIE: Rules = {
  name: rule(
    (value) => typeof value === 'string' && isToken(value) && !PREFIXED.test(value),
    '"name" is no name without a prefix. Write "name: \'session\'": "__Host-" is put before it',
  ),
  path: rule(isCookiePath, '"path" is no path. Write "path: \'/\'"'),
  domain: rule(isCookieDomain, '"domain" is no domain. Write "domain: \'app.example\'"'),
  sameSite: rule(
    (value) => value === 'strict' || value === 'lax' || value === 'none',
    `"sameSite" is none of 'strict', 'lax' and 'none'. Write one of them`,
  ),
  insecure: rule((value) => value === true, '"insecure" is not true. Write "insecure: true", or leave it out'),
}

/** Throws for attributes that browsers do not accept together. Each request that sets the cookie would fail. */
export function checkAttributes({ sameSite, insecure }: CookieAttributes, refuse: (reason: string) => Error): void {
  if (sameSite !== 'none' || insecure !== true) return
  throw refuse(`"sameSite: 'none'" requires a secure cookie. Remove "insecure" or "sameSite"`)
}

/** A rule of the keys. */
export const KEYS: Rule = rule(
  isKeys,
  `"keys" is no list of texts of ${KEY_BYTES} bytes at least. Write "keys: [current, previous]"; make one by "openssl rand -base64 32"`,
)

function isKeys(value: unknown): value is Keys {
  return isTextList(value) && value.length > 0 && value.every((key) => Buffer.byteLength(key) >= KEY_BYTES)
}
