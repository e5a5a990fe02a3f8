/** The secrets of a console: one that actions carry, one that signs in, and what sessions hold then. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const SESSION_MS: number = 12 * 60 * 60 * 1000
/** How far the clock may have been set back since a session began, in ms. */
const SKEW_MS = 60_000

/** When a session began, in ms since 1970 to the base 36, and the proof that this console has begun it. */
const SESSION = /^([0-9a-z]{1,10})\.([\w-]{43})$/

export class Tokens {
  /** Stands in the page; every action carries it. New at each start. */
  readonly action: string = randomBytes(16).toString('base64url')
  readonly entry: string

  constructor(given: string | undefined) {
    this.entry = given ?? randomBytes(16).toString('base64url')
  }

  /** Signed with the token, a session outlives a restart that keeps the token, and ends when the token changes. */
  session(now: number): string {
    const begin = now.toString(36)
    return `${begin}.${this.#proofOf(begin)}`
  }

  timeLeft(session: string | undefined, now: number): number {
    const [, begin = '', proof = ''] = SESSION.exec(session ?? '') ?? []
    if (begin === '' || !isSame(proof, this.#proofOf(begin))) return 0
    const left = Number.parseInt(begin, 36) + SESSION_MS - now
    return left > SESSION_MS + SKEW_MS ? 0 : Math.max(left, 0)
  }

  #proofOf(begin: string): string {
    return createHmac('sha256', this.entry).update(`console session ${begin}`).digest('base64url')
  }

  opens(token: unknown): boolean {
    return typeof token === 'string' && isSame(token, this.entry)
  }

  mayAct(token: string | undefined): boolean {
    return token !== undefined && isSame(token, this.action)
  }
}

/** In a time that says nothing about where two texts differ. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHmac('sha256', secret).update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}
