/** Sessions: the token of the link becomes a cookie. */
import { parseCookies } from '../http/cookies.js'
import { jsonAnswer, refusal, type ConsoleAnswer } from './answers.js'
import type { ActionBody } from './json-request.js'
import { SESSION_COOKIE, type Tokens } from './tokens.js'

const ATTEMPT_MS = 1_000

/** Opens sessions, one attempt a second. */
export class Sessions {
  readonly #tokens: Tokens
  readonly #now: () => number
  #lastAttempt: number

  /**
   * @param tokens of the console
   * @param now ms of a clock that never goes back
   */
  constructor(tokens: Tokens, now: () => number) {
    this.#tokens = tokens
    this.#now = now
    this.#lastAttempt = now() - ATTEMPT_MS
  }

  /**
   * Opens a session.
   *
   * @param body with the token
   * @returns the answer: 200 with the cookie, 403 for another token, 429 for one attempt too many
   */
  open({ token }: ActionBody): ConsoleAnswer {
    const now = this.#now()
    if (now - this.#lastAttempt < ATTEMPT_MS) return refusal(429, 'One attempt each second', [['retry-after', '1']])
    this.#lastAttempt = now
    if (!this.#tokens.opens(token)) return refusal(403, 'Refused: the token is another')
    return { ...jsonAnswer({}), fields: [['set-cookie', this.#tokens.cookie]] }
  }

  /**
   * Tells whether a request belongs to a session.
   *
   * @param cookies as sent
   * @returns true for every request where the console needs no token
   */
  admits(cookies: string | undefined): boolean {
    return this.#tokens.mayEnter(parseCookies(cookies)[SESSION_COOKIE])
  }
}
