/** Sessions: the token of the link becomes a cookie, for twelve hours. */
import { parseCookies } from '../../http/cookies.js'
import { jsonAnswer, refusal, type ConsoleAnswer } from './answers.js'
import { Attempts } from './attempts.js'
import type { ActionBody } from './actions.js'
import { BASE } from '../host/console-settings.js'
import type { Tokens } from './tokens.js'

export interface Guest {
  readonly host: string
  readonly client: string
  /** Whether the browser speaks TLS, with the app or with a proxy before it. */
  readonly isSecure: boolean
}

export class Sessions {
  readonly #tokens: Tokens
  readonly #now: () => number
  readonly #attempts = new Attempts()

  constructor(tokens: Tokens, now: () => number) {
    this.#tokens = tokens
    this.#now = now
  }

  open({ token }: ActionBody, { host, client, isSecure }: Guest): ConsoleAnswer {
    const now = this.#now()
    if (!this.#attempts.take(client, now)) return refusal(429, 'One attempt each second', [['retry-after', '1']])
    if (!this.#tokens.opens(token)) return refusal(403, 'Refused: the token is another')
    const secure = isSecure ? '; Secure' : ''
    const cookie = `${cookieName(host)}=${this.#tokens.session(now)}; HttpOnly; SameSite=Strict; Path=${BASE}${secure}`
    return { ...jsonAnswer({}), fields: [['set-cookie', cookie]] }
  }

  timeLeft(cookies: string | undefined, host: string): number {
    return this.#tokens.timeLeft(parseCookies(cookies)[cookieName(host)], this.#now())
  }
}

/** Cookies know no ports: what apps at other ports of a host have set comes along. The port is that which the browser sees. */
function cookieName(host: string): string {
  const port = /:(\d{1,5})$/.exec(host)
  return port === null ? '__dev' : `__dev_${port[1]}`
}
