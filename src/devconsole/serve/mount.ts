/** The mounted console, which handles the requests below its path. */
import type { NodeExchange } from '../../http/node-exchange.js'
import { noop } from '../../values/noop.js'
import { ACTIONS, respondToJson } from './actions.js'
import {
  pageResponse,
  consoleProblem,
  rejectionResponse,
  sendConsoleResponse,
  type ConsoleResponse,
} from './responses.js'
import { runFileSource, splitAddress, DOCUMENTS, NO_CONTENT, READERS } from './api.js'
import { ConsoleCapture } from '../record/console-capture.js'
import { publishSource, recordDevLines } from '../record/dev-lines.js'
import { OutgoingRecorder } from '../record/outgoing-recorder.js'
import { makeParts, type ConsoleParts } from './console-parts.js'
import { isDirect, checkVisitor, rejectionLogger } from './check-visitor.js'
import type { RunFile } from '../store/run-file.js'
import type { ConsoleHost } from '../host/console-host.js'
import type { Guest } from './sessions.js'
import { BASE } from '../host/console-state.js'
import { SIGN_IN_HASHES, SIGN_IN_PAGE, SIGN_IN_TEXT } from './pages.js'
import { TOKEN_HEADER } from '../wire/request-types.js'

// The command line uses them too. Another dynamic import would cost more bytes.
export { checkVisitor } from './check-visitor.js'
export { parseFilter } from '../wire/filter.js'

const SESSION = '/session'
const EVENTS = '/events'
const METHODS: ReadonlyMap<string, readonly string[]> = new Map(
  [...READERS.keys(), EVENTS, ...ACTIONS.keys(), SESSION].map((address) => {
    return [address, [ACTIONS.has(address) || address === SESSION ? 'POST' : 'GET']]
  }),
)

const OTHER_TOKENS = '; each worker of node:cluster has another token unless you set "devConsole: { token }"'

export class MountedConsole {
  readonly #parts: ConsoleParts
  readonly #logRejection: ReturnType<typeof rejectionLogger>
  readonly #capture: ConsoleCapture | null
  readonly #endDevLines: () => void
  readonly #outgoing: OutgoingRecorder
  #link: string

  constructor(host: ConsoleHost, runFile: RunFile | null = null) {
    this.#parts = makeParts(host, runFile)
    const source = runFileSource(this.#parts)
    runFile?.begin(source)
    const { settings, recorder, tokens, feed } = this.#parts
    publishSource({ ...source, observe: (observer) => (feed.observer = observer) })
    this.#logRejection = rejectionLogger((message) => host.print('warn', message))
    this.#link = accessLink(undefined, tokens)
    host.channel.observer = recorder
    host.channel.context = recorder.correlation
    this.#outgoing = new OutgoingRecorder(recorder.correlation)
    this.#endDevLines = recordDevLines(recorder)
    this.#capture = settings.captureConsole ? new ConsoleCapture(host.channel, recorder) : null
  }

  opened(url: string | undefined): void {
    this.#parts.stalls.start()
    this.#parts.links?.opened(currentAddress(url))
    this.#link = accessLink(url, this.#parts.tokens)
    const { host } = this.#parts
    const { isGuarded, isClusterWorker, options, reason } = host
    const workers = isClusterWorker && options.token === undefined ? OTHER_TOKENS : ''
    // A guarded console can only be opened with its link.
    if (isGuarded) host.printAlways(`Console (token required, because ${reason}${workers}): ${this.#link}`)
    else host.print('info', `Console (open to this machine, because ${reason}): ${currentAddress(url)}`)
  }

  close(): void {
    const { host, recorder } = this.#parts
    host.channel.observer = null
    host.channel.context = null
    this.#capture?.close()
    this.#endDevLines()
    this.#outgoing.close()
    recorder.correlation.close()
    this.#parts.stalls.stop()
    this.#parts.feed.close()
    this.#parts.runFile?.close()
  }

  /** Handles a request. Returns `false` if the app has to handle it. */
  respondsTo(exchange: NodeExchange): boolean {
    const { url } = exchange
    if (!url.startsWith(BASE)) return false
    const [target = '', ...rest] = url.split('?')
    const path = target.slice(BASE.length)
    if (path !== '' && !path.startsWith('/')) return false
    const [address, id] = splitAddress(path, METHODS)
    const methods = METHODS.get(address) ?? []
    const verdict = checkVisitor(exchange, methods, DOCUMENTS.has(address), this.#parts.settings)
    if (verdict === null) {
      this.#respond(exchange, address, id, rest.join('?'))
      return true
    }
    const { status, reason } = verdict
    this.#logRejection(exchange.ip, verdict)
    // For a client that must not detect the console, the app responds as if there were no console.
    if (status === 404) return false
    const fields = status === 405 ? ([['allow', methods.join(', ')]] as const) : []
    sendConsoleResponse(exchange, rejectionResponse(status, `Refused: ${reason}`, fields))
    return true
  }

  /** An error of the console must not crash the app. */
  #respond(exchange: NodeExchange, address: string, id: string, query: string): void {
    this.#createResponse(exchange, address, id, query)
      .catch((error: unknown) => {
        this.#parts.host.print('warn', `__dev__ failed to respond: ${String(error)}`)
        return consoleProblem(500, 'The console could not respond')
      })
      .then((response) => sendConsoleResponse(exchange, response))
      .catch(noop)
  }

  async #createResponse(exchange: NodeExchange, address: string, id: string, query: string): Promise<ConsoleResponse> {
    const { fault } = exchange
    const parts = this.#parts
    if (fault !== undefined) return rejectionResponse(fault.status, fault.detail)
    if (address === SESSION) {
      return respondToJson(exchange, (body) => parts.tokens.signIn(body, readVisitor(exchange, parts.host)))
    }
    const timeLeft = this.#timeLeft(exchange)
    if (timeLeft === 0) return this.#requireToken(exchange, address)
    if (address === EVENTS) return this.#openFeed(exchange, timeLeft)
    const action = ACTIONS.get(address)
    const reader = READERS.get(address)
    // If a key is repeated, its first value is used.
    const keys = new Map([...new URLSearchParams(query)].toReversed())
    if (action === undefined) return reader?.({ parts, id, query: keys }) ?? NO_CONTENT
    if (parts.tokens.mayAct(exchange.header(TOKEN_HEADER)))
      return respondToJson(exchange, (body) => action(parts, body))
    return rejectionResponse(403, 'Refused: the action has no token, or that of another start')
  }

  /** Returns the remaining time of the client's session in ms; `Infinity` if the client does not require one. */
  #timeLeft(exchange: NodeExchange): number {
    if (!this.#parts.host.isGuarded && isDirect(exchange)) return Infinity
    return this.#parts.tokens.timeLeftBy(exchange.header('cookie'), readHost(exchange))
  }

  /** Returns the sign-in page for a browser that opens a page. The sign-in page contains no data of the app. */
  #requireToken(exchange: NodeExchange, address: string): ConsoleResponse {
    // An open console has not printed a link with a token yet.
    if (!this.#parts.host.isGuarded) {
      const reason = 'a proxy may have sent the request, so it needs the token'
      this.#logRejection(exchange.ip, { status: 403, reason, fix: `open ${this.#link}` })
    }
    const isBrowser = exchange.header('accept')?.includes('text/html') === true
    return isBrowser && DOCUMENTS.has(address)
      ? pageResponse(SIGN_IN_PAGE, SIGN_IN_HASHES, 401)
      : rejectionResponse(401, SIGN_IN_TEXT)
  }

  #openFeed(exchange: NodeExchange, left: number): ConsoleResponse {
    const { feed } = this.#parts
    if (!feed.hasRoom) return rejectionResponse(429, 'Too many pages are open', [['retry-after', '30']])
    const destroyResponse = (): void => void exchange.response.destroy()
    const data = feed.open(exchange.header('last-event-id'), destroyResponse)
    if (left !== Infinity) {
      const timer = setTimeout(destroyResponse, left).unref()
      exchange.onLeft(() => clearTimeout(timer))
    }
    // Proxies must not compress the stream, because they would buffer it.
    const headers = [
      ['cache-control', 'no-store, no-transform'],
      ['x-accel-buffering', 'no'],
    ] as const
    return { status: 200, type: 'text/event-stream', data, headers }
  }
}

/** The guard has already checked that there is exactly one `Host`. */
function readHost(exchange: NodeExchange): string {
  return String(exchange.header('host'))
}

/** A browser sends its scheme in `Origin`. The scheme of the connection can differ, because a proxy can terminate TLS. */
function readVisitor(exchange: NodeExchange, { proxies }: ConsoleHost): Guest {
  const isSecure = exchange.isSecure || exchange.header('origin')?.startsWith('https:') === true
  return { host: readHost(exchange), client: proxies.clientOf(exchange), isSecure }
}

/** Replaces `0.0.0.0` and `[::]` with `localhost`, because browsers cannot open them. */
function currentAddress(url: string | undefined): string {
  if (url === undefined || /^https?\+unix:/.test(url)) return BASE
  return `${url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:)/, '$1localhost')}${BASE}`
}

/** The token is in the fragment, which browsers do not send, so logs of servers and proxies cannot contain it. */
function accessLink(url: string | undefined, { entry }: ConsoleParts['tokens']): string {
  return `${currentAddress(url)}#token=${encodeURIComponent(entry)}`
}
