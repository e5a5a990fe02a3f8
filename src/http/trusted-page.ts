/** Protection against cross-site request forgery (CSRF). */
import type { Exchange } from './exchange.js'
import { resolveOrigin } from './forwarded-origin.js'
import type { TrustedProxies } from './forwarded.js'

/** A request as this check sees it. */
interface PageRequest {
  readonly exchange: Exchange
  readonly app: { readonly proxies: TrustedProxies }
  /** Whether the origin is one of a credentialed CORS origin. */
  trustsOrigin(origin: string): boolean | Promise<boolean>
}

/**
 * Whether a request was sent by a page of this host, by a page of a credentialed CORS origin, or not by a page. Checks `Sec-Fetch-Site`
 * and `Origin`, which pages cannot set. Browsers send at least one of them with every method except GET and HEAD (Fetch standard,
 * section 3.2), and with a WebSocket handshake (RFC 6455 section 10.2). Only use it for requests that change something.
 *
 * With `Sec-Fetch-Site: cross-site`, an `Origin` equal to this host is not enough. Behind a TLS proxy without `trustProxy`, Verbena sees
 * this host as `http://`. A network attacker can forge a page of `http://` this host, and it would be trusted by the app under `https://`.
 */
export function isFromTrustedPage(source: PageRequest): boolean | Promise<boolean> {
  const { exchange, app } = source
  const site = exchange.header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return true
  const origin = exchange.header('origin')
  if (origin === undefined) return site === undefined
  const isThisHost = site !== 'cross-site' && origin === resolveOrigin(exchange, app.proxies)
  return isThisHost || source.trustsOrigin(origin)
}
