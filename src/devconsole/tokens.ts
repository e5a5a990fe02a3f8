/** The secrets of a console: one that actions carry, one that opens it where it is guarded, and what a session holds then. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secrets of a console. */
export class Tokens {
  /** Stands in the page; every action carries it. New at each start. */
  readonly action: string = randomBytes(16).toString('base64url')
  /** Opens the console; `null` where it is open for everybody on this machine. */
  readonly entry: string | null
  /** What a session holds. */
  readonly session: string

  /**
   * @param isGuarded whether everybody needs a token
   * @param given by the option; one is made without it
   */
  constructor(isGuarded: boolean, given: string | undefined) {
    this.entry = isGuarded ? (given ?? randomBytes(16).toString('base64url')) : null
    // Made of the token, so that a session outlives a restart where the token does.
    this.session = createHmac('sha256', this.entry ?? this.action)
      .update('console session')
      .digest('base64url')
  }

  /**
   * Tells whether a request may see anything.
   *
   * @param session as sent
   * @returns true for everybody where the console is open
   */
  mayEnter(session: string | undefined): boolean {
    return this.entry === null || isSame(session, this.session)
  }

  /**
   * Tells whether a token opens the console.
   *
   * @param token any value
   * @returns false where there is nothing to open
   */
  opens(token: unknown): boolean {
    return this.entry !== null && typeof token === 'string' && isSame(token, this.entry)
  }

  /**
   * Tells whether an action may be done.
   *
   * @param token as sent
   * @returns true for the one of the page
   */
  mayAct(token: string | undefined): boolean {
    return isSame(token, this.action)
  }
}

/** In a time that says nothing about where two texts differ. */
function isSame(given: string | undefined, secret: string): boolean {
  if (given === undefined) return false
  const [a, b] = [given, secret].map((text) => createHmac('sha256', secret).update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}
