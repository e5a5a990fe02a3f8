/** Sessions: the token of the link becomes a cookie. */
import { parseCookies } from '../http/cookies.js'
import { jsonAnswer, refusal, type ConsoleAnswer } from './answers.js'
import type { ActionBody } from './json-request.js'
import { BASE } from './settings.js'
import type { Tokens } from './tokens.js'

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
   * @param host as the client names it
   * @returns the answer: 200 with the cookie, 403 for another token, 429 for one attempt too many
   */
  open({ token }: ActionBody, host: string): ConsoleAnswer {
    const now = this.#now()
    if (now - this.#lastAttempt < ATTEMPT_MS) return refusal(429, 'One attempt each second', [['retry-after', '1']])
    this.#lastAttempt = now
    if (!this.#tokens.opens(token)) return refusal(403, 'Refused: the token is another')
    const cookie = `${cookieName(host)}=${this.#tokens.session}; HttpOnly; SameSite=Strict; Path=${BASE}`
    return { ...jsonAnswer({}), fields: [['set-cookie', cookie]] }
  }

  /**
   * Tells whether a request belongs to a session.
   *
   * @param cookies as sent
   * @param host as the client names it
   * @returns true for every request where the console needs no token
   */
  admits(cookies: string | undefined, host: string): boolean {
    return this.#tokens.mayEnter(parseCookies(cookies)[cookieName(host)])
  }
}

/** Cookies know no ports: what apps at other ports of a host have set comes along. The port is that which the browser sees. */
function cookieName(host: string): string {
  const port = /:(\d{1,5})$/.exec(host)
  return port === null ? '__dev' : `__dev_${port[1]}`
}
