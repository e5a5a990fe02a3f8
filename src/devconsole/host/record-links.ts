/** URLs of requests in the console, for response headers and for the log. */
import type { Exchange, ResponseMessage } from '../../http/exchange.js'
import type { HeaderMap } from '../../http/fields.js'
import { resolveOrigin } from '../../http/forwarded-origin.js'
import { MountedExchange } from '../../http/mounted-exchange.js'
import { NodeExchange } from '../../http/node-exchange.js'
import { RECORD_ADDRESS } from '../wire/record-address.js'
import { hostName, isConsoleClient, isConsoleHost } from './console-access.js'
import type { ConsoleSettings } from './console-settings.js'
import { BASE } from './console-state.js'

const LINK_HEADER = 'x-dev-console'
const ALLOWED_ORIGIN = 'access-control-allow-origin'
const EXPOSED = 'access-control-expose-headers'

type LinkSettings = Pick<ConsoleSettings, 'links' | 'proxies' | 'allows' | 'allowedHosts'>

export class RecordLinks {
  readonly #settings: LinkSettings
  /** URL of the console at the address on which the app listens; `null` if that is not known, or is a Unix socket. */
  #ownUrl: string | null = null
  /** The last host and client with their results, because nearly all requests have the same ones. */
  #host = ''
  #hostUrl: string | null = null
  #client = ''
  #mayOpen = false

  constructor(settings: LinkSettings) {
    this.#settings = settings
  }

  /** @param url URL of the console; only its path if the address of the server is not known */
  opened(url: string): void {
    this.#ownUrl = url.startsWith('/') ? null : url
    this.#host = ''
  }

  /** Returns the URL of a request: at the host of the request if the console can be opened there, otherwise at the address of the app. */
  urlFor(exchange: Exchange, id: string): string | null {
    const url = this.#consoleUrl(exchange)
    return url === null ? null : `${url}${RECORD_ADDRESS}${id}`
  }

  /** Adds the header, unless the console would reject the client. */
  addTo(message: ResponseMessage, exchange: Exchange, id: string): ResponseMessage {
    const { status, headers, payload, lines } = message
    if (this.#settings.links !== 'header' || headers.has(LINK_HEADER) || !this.#accepts(exchange)) return message
    const url = this.urlFor(exchange, id)
    if (url === null) return message
    return { status, headers: exposeLink(headers), payload, lines: [...(lines ?? []), LINK_HEADER, url] }
  }

  #accepts(exchange: Exchange): boolean {
    const { proxies } = this.#settings
    const isForwarded = exchange.header('x-forwarded-for') !== undefined || exchange.header('forwarded') !== undefined
    if (isForwarded) {
      return proxies.trusts(exchange.ip) && isConsoleClient(proxies.clientOf(exchange), exchange.ip, this.#settings)
    }
    if (exchange.ip !== this.#client) {
      this.#client = exchange.ip
      this.#mayOpen = isConsoleClient(exchange.ip, exchange.ip, this.#settings)
    }
    return this.#mayOpen
  }

  #consoleUrl(exchange: Exchange): string | null {
    const { proxies, allowedHosts } = this.#settings
    // The console is served only on the server of the app: not through `app.handler` and `app.fetch`.
    if (!(exchange instanceof NodeExchange) || exchange instanceof MountedExchange) return this.#ownUrl
    const key = exchange.isSecure ? `${exchange.host} TLS` : exchange.host
    if (key === this.#host && proxies.isEmpty) return this.#hostUrl
    const isKnown = isConsoleHost(hostName(exchange.host), { allowedHosts })
    const origin = isKnown ? resolveOrigin(exchange, proxies) : undefined
    this.#host = key
    this.#hostUrl = origin === undefined ? this.#ownUrl : `${origin}${BASE}`
    return this.#hostUrl
  }
}

/** Lets pages of an allowed origin read the header (Fetch standard, section 3.2.3). */
function exposeLink(headers: HeaderMap): HeaderMap {
  if (!headers.has(ALLOWED_ORIGIN)) return headers
  const exposed = headers.get(EXPOSED)
  return new Map(headers).set(EXPOSED, exposed === undefined ? LINK_HEADER : `${exposed}, ${LINK_HEADER}`)
}
