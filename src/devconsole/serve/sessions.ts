/** Sign-in: exchanges the token of the link for a cookie that is valid for twelve hours. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookies } from '../../http/cookies.js'
import type { UnknownRecord } from '../../values/objects.js'
import { jsonResponse, rejectionResponse, type ConsoleResponse } from './responses.js'
import { BASE } from '../host/console-state.js'

export interface Guest {
  readonly host: string
  readonly client: string
  /** Whether the browser uses TLS, to the app or to a proxy. */
  readonly isSecure: boolean
}

/** Returns a name with the port that the browser sees, because all ports of a host share their cookies. */
function cookieName(host: string): string {
  const port = /:(\d{1,5})$/.exec(host)
  return port === null ? '__dev' : `__dev_${port[1]}`
}

export const SESSION_MS: number = 12 * 60 * 60 * 1000
/** Maximum time by which the clock may have been set back since the start of a session, in ms. */
const SKEW_MS = 60_000
/** Start of a session in ms since 1970, in base 36, and an HMAC as proof that this console created it. */
const SESSION = /^([0-9a-z]{1,10})\.([\w-]{43})$/

/** Tokens of a console: the token of actions, the token for sign-in, and the sessions signed with it. */
export class Tokens {
  /** Token in the page, which sends it with each action. New at each start. */
  readonly action: string = randomBytes(16).toString('base64url')
  readonly entry: string
  readonly #attempts = new Attempts()

  constructor(token: string | undefined) {
    this.entry = token ?? randomBytes(16).toString('base64url')
  }

  signIn({ token }: UnknownRecord, { host, client, isSecure }: Guest): ConsoleResponse {
    const now = Date.now()
    if (!this.#attempts.take(client, now))
      return rejectionResponse(429, 'One attempt each second', [['retry-after', '1']])
    if (!this.opens(token)) return rejectionResponse(403, 'Rejected: the token does not match')
    const secure = isSecure ? '; Secure' : ''
    const cookie = `${cookieName(host)}=${this.session(now)}; HttpOnly; SameSite=Strict; Path=${BASE}${secure}`
    return { ...jsonResponse({}), headers: [['set-cookie', cookie]] }
  }

  timeLeftBy(cookies: string | undefined, host: string): number {
    return this.timeLeft(parseCookies(cookies)[cookieName(host)], Date.now())
  }

  /** Returns a session signed with the token. It is valid after a restart with the same token, and ends when the token changes. */
  session(now: number): string {
    const begin = now.toString(36)
    return `${begin}.${this.#sign(begin)}`
  }

  timeLeft(session: string | undefined, now: number): number {
    const [, begin = '', proof = ''] = SESSION.exec(session ?? '') ?? []
    if (begin === '' || !isEqualSecret(proof, this.#sign(begin))) return 0
    const remainingMs = Number.parseInt(begin, 36) + SESSION_MS - now
    return remainingMs > SESSION_MS + SKEW_MS ? 0 : Math.max(remainingMs, 0)
  }

  #sign(begin: string): string {
    return createHmac('sha256', this.entry).update(`console session ${begin}`).digest('base64url')
  }

  opens(token: unknown): boolean {
    return typeof token === 'string' && isEqualSecret(token, this.entry)
  }

  mayAct(token: string | undefined): boolean {
    return token !== undefined && isEqualSecret(token, this.action)
  }
}

/** Compares two strings in a time that does not depend on the position of a difference. */
function isEqualSecret(received: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', secret).update(text).digest()
  return timingSafeEqual(digest(received), digest(secret))
}

const ATTEMPT_MS = 1_000
const MAX_CLIENTS = 1_000

/** Limits sign-in to one attempt per second and client, so that a client can neither try many tokens nor block other clients. */
export class Attempts {
  readonly #lastAttempts = new Map<string, number>()

  get size(): number {
    return this.#lastAttempts.size
  }

  take(address: string, now: number): boolean {
    const client = networkPrefix(address)
    const lastAttempt = this.#lastAttempts.get(client)
    if (lastAttempt !== undefined && isRecent(lastAttempt, now)) return false
    this.#deleteOld(now)
    this.#lastAttempts.delete(client)
    this.#lastAttempts.set(client, now)
    return true
  }

  #deleteOld(now: number): void {
    for (const [client, lastAttempt] of this.#lastAttempts) {
      if (isRecent(lastAttempt, now) && this.#lastAttempts.size < MAX_CLIENTS) return
      this.#lastAttempts.delete(client)
    }
  }
}

/** `false` if the clock was set back, so that clients do not have to wait. */
function isRecent(lastAttempt: number, now: number): boolean {
  return now >= lastAttempt && now - lastAttempt < ATTEMPT_MS
}

/** Number of groups in an IPv6 address and in its network prefix. One client usually has all addresses of a /64. */
const [GROUPS, NETWORK] = [8, 4]

export function networkPrefix(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%')
  if (!plain.includes(':')) return plain
  const [head = [], tail = []] = plain.split('::').map(parseAddressGroups)
  const zeros = plain.includes('::') ? Math.max(0, GROUPS - head.length - tail.length) : 0
  return [...head, ...Array.from({ length: zeros }, () => 0), ...tail]
    .slice(0, NETWORK)
    .map((group) => group.toString(16))
    .join(':')
}

/** The last two groups can be written as an IPv4 address. They are not part of the network prefix, so zeros replace them. */
function parseAddressGroups(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
