/** The console at its place: which requests are for it, and the way of each to its answer. */
import type { NodeExchange } from '../../http/node-exchange.js'
import { ACTIONS, type Action, answerJson } from './actions.js'
import { jsonAnswer, pageAnswer, refusal, sendAnswer, type ConsoleAnswer } from './answers.js'
import { addressOf, DOCUMENTS, NOTHING, READERS, readQuery } from './api.js'
import { ConsoleCapture } from '../record/console-capture.js'
import { makeParts, type ConsoleParts } from './console-parts.js'
import { isDirect, judge } from './guard.js'
import type { ConsoleHost } from '../host/host.js'
import { Refusals } from './refusals.js'
import { Sessions, type Guest } from './sessions.js'
import { BASE } from '../host/console-settings.js'
import { SIGN_IN_HASHES, SIGN_IN_PAGE, SIGN_IN_TEXT } from './sign-in.js'
import { TOKEN_HEADER } from '../wire/request-types.js'

const SESSION = '/session'
const EVENTS = '/events'
const ADDRESSES: ReadonlySet<string> = new Set([...READERS.keys(), ...ACTIONS.keys(), SESSION, EVENTS])

export function mountConsole(host: ConsoleHost): MountedConsole {
  return new MountedConsole(host)
}

interface Visit {
  readonly exchange: NodeExchange
  readonly address: string
  readonly id: string
  readonly query: string
}

export class MountedConsole {
  readonly #host: ConsoleHost
  readonly #parts: ConsoleParts
  readonly #refusals: Refusals
  readonly #sessions: Sessions
  readonly #capture: ConsoleCapture | null
  #link: string

  constructor(host: ConsoleHost) {
    this.#host = host
    this.#parts = makeParts(host)
    this.#refusals = new Refusals(
      (message) => host.print('warn', message),
      () => performance.now(),
    )
    this.#sessions = new Sessions(this.#parts.tokens, () => Date.now())
    this.#link = linkAt(undefined, this.#parts.tokens)
    host.channel.observer = this.#parts.recorder
    const { settings, recorder } = this.#parts
    this.#capture = settings.captureConsole ? new ConsoleCapture(host.channel, recorder) : null
  }

  opened(url: string | undefined): void {
    this.#parts.stalls.start()
    this.#link = linkAt(url, this.#parts.tokens)
    const { isGuarded, reason } = this.#host
    const line = isGuarded
      ? `Console (token required, because ${reason}): ${this.#link}`
      : `Console (open to this machine, because ${reason}): ${addressAt(url)}`
    this.#host.print('info', line)
  }

  close(): void {
    this.#host.channel.observer = null
    this.#capture?.close()
    this.#parts.stalls.stop()
    this.#parts.feed.close()
  }

  answers(exchange: NodeExchange): boolean {
    const { url } = exchange
    if (!url.startsWith(BASE)) return false
    const [target = '', ...rest] = url.split('?')
    const path = target.slice(BASE.length)
    if (path !== '' && !path.startsWith('/')) return false
    const { address, id } = addressOf(path, ADDRESSES)
    const wanted = { methods: methodsOf(address), isDocument: DOCUMENTS.has(address) || path === '/' }
    const verdict = judge(exchange, wanted, this.#parts.settings)
    if (verdict !== null) {
      this.#refusals.tell(exchange.ip, verdict)
      // Who may not know of the console has the answer that an app without one gives.
      if (verdict.status === 404) return false
      const fields = allowFields(verdict.status, wanted.methods)
      sendAnswer(exchange, refusal(verdict.status, `Refused: ${verdict.reason}`, fields))
      return true
    }
    this.#answer({ exchange, address, id, query: rest.join('?') })
    return true
  }

  #answer(visit: Visit): void {
    const { exchange, address } = visit
    const { flaw } = exchange
    if (flaw !== undefined) {
      sendAnswer(exchange, refusal(flaw.status, flaw.detail))
      return
    }
    if (address === SESSION) {
      answerJson(exchange, (body) => this.#sessions.open(body, guestOf(exchange, this.#host)))
      return
    }
    const left = this.#timeLeft(exchange)
    if (left === 0) this.#askToken(visit)
    else if (address === EVENTS) this.#openFeed(exchange, left)
    else this.#do(visit)
  }

  /** How long whoever asks may see the console, in ms. */
  #timeLeft(exchange: NodeExchange): number {
    if (!this.#host.isGuarded && isDirect(exchange)) return Infinity
    return this.#sessions.timeLeft(exchange.header('cookie'), hostOf(exchange))
  }

  /** Where the console is open, nobody has seen a link with a token yet. */
  #askToken(visit: Visit): void {
    const { exchange } = visit
    if (!this.#host.isGuarded) {
      const reason = 'a proxy may have sent the request, so it needs the token'
      this.#refusals.tell(exchange.ip, { status: 403, reason, wayOut: `open ${this.#link}` })
    }
    sendAnswer(exchange, signIn(visit))
  }

  #read({ exchange, address, id, query }: Visit): void {
    if (address === '/') {
      sendAnswer(exchange, refusal(308, 'It is at /__dev__', [['location', BASE]]))
      return
    }
    const reader = READERS.get(address)
    if (reader === undefined) {
      sendAnswer(exchange, NOTHING)
      return
    }
    const question = { parts: this.#parts, id, query: readQuery(query) }
    // A flaw of the console's own must not end the app that it looks at.
    Promise.resolve()
      .then(() => reader(question))
      .catch((error: unknown) => this.#failed(error))
      .then((answer) => sendAnswer(exchange, answer))
      .catch(() => {})
  }

  #failed(error: unknown): ConsoleAnswer {
    this.#host.print('warn', `__dev__ could not answer: ${String(error)}`)
    return jsonAnswer({ status: 500, detail: 'The console could not answer' }, 500)
  }

  #do(visit: Visit): void {
    const action = ACTIONS.get(visit.address)
    if (action === undefined) this.#read(visit)
    else this.#act(visit.exchange, action)
  }

  #act(exchange: NodeExchange, action: Action): void {
    if (!this.#parts.tokens.mayAct(exchange.header(TOKEN_HEADER))) {
      sendAnswer(exchange, refusal(403, 'Refused: the action has no token, or that of another start'))
      return
    }
    answerJson(exchange, (body) => action(this.#parts, body))
  }

  #openFeed(exchange: NodeExchange, left: number): void {
    const { feed } = this.#parts
    if (!feed.hasRoom) {
      sendAnswer(exchange, refusal(429, 'Too many pages are open', [['retry-after', '30']]))
      return
    }
    const cut = (): void => void exchange.response.destroy()
    const viewer = feed.open(exchange.header('last-event-id'), cut)
    if (left !== Infinity) endAfter(exchange, left, cut)
    sendAnswer(exchange, {
      status: 200,
      type: 'text/event-stream',
      data: viewer,
      // Whatever stands between is to leave it as it is: compressed, it would wait for more.
      fields: [
        ['cache-control', 'no-store, no-transform'],
        ['x-accel-buffering', 'no'],
      ],
    })
  }
}

/** The guard has seen that there is one. */
function hostOf(exchange: NodeExchange): string {
  return String(exchange.header('host'))
}

/** A browser names the scheme that it sees in `Origin`: a proxy may end TLS before the app. */
function guestOf(exchange: NodeExchange, { proxies }: ConsoleHost): Guest {
  const isSecure = exchange.isSecure || exchange.header('origin')?.startsWith('https:') === true
  return { host: hostOf(exchange), client: proxies.clientOf(exchange), isSecure }
}

function endAfter(exchange: NodeExchange, left: number, cut: () => void): void {
  const timer = setTimeout(cut, left).unref()
  exchange.onLeft(() => clearTimeout(timer))
}

function methodsOf(address: string): readonly string[] {
  if (ACTIONS.has(address) || address === SESSION) return ['POST']
  return READERS.has(address) || address === EVENTS || address === '/' ? ['GET'] : []
}

function allowFields(status: number, methods: readonly string[]): ConsoleAnswer['fields'] {
  return status === 405 ? [['allow', methods.join(', ')]] : []
}

/** Only who opens the page gets one; it holds nothing of the app. */
function signIn({ exchange, address }: Visit): ConsoleAnswer {
  const isBrowser = exchange.header('accept')?.includes('text/html') === true
  if (isBrowser && (DOCUMENTS.has(address) || address === '/')) return pageAnswer(SIGN_IN_PAGE, SIGN_IN_HASHES, 401)
  return refusal(401, SIGN_IN_TEXT)
}

/** All addresses of a machine are none that a browser can open. */
function addressAt(url: string | undefined): string {
  if (url === undefined || url.startsWith('http+unix:') || url.startsWith('https+unix:')) return BASE
  return `${url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:)/, '$1localhost')}${BASE}`
}

/** The fragment never leaves the browser, so no log of a server or proxy holds the token. */
function linkAt(url: string | undefined, { entry }: ConsoleParts['tokens']): string {
  return `${addressAt(url)}#token=${encodeURIComponent(entry)}`
}
