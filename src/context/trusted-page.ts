/** Cross-site request forgery: whether a request comes from a page that may act for the user of its browser. */
import { resolveOrigin } from '../http/forwarded-origin.js'
import type { ContextSource } from './request-context.js'

/**
 * Whether a request was sent by a page of this host, by a page of a credentialed origin of `cors`, or by no page. Pages cannot choose these
 * headers, and browsers send one of them with every method except GET and HEAD (Fetch standard, section 3.2), and with the handshake of a
 * WebSocket (RFC 6455 section 10.2). Do not use it for requests that change nothing.
 *
 * With `cross-site`, an `Origin` equal to this host is not enough. Behind a TLS proxy without `trustProxy`, this host is
 * `http://` here: a page that an attacker in the network has forged under http:// would be trusted by the app under https://.
 */
export function isFromTrustedPage(source: ContextSource): boolean | Promise<boolean> {
  const { exchange, app } = source
  const site = exchange.header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return true
  const origin = exchange.header('origin')
  if (origin === undefined) return site === undefined
  const isThisHost = site !== 'cross-site' && origin === resolveOrigin(exchange, app.proxies)
  return isThisHost || source.trustsOrigin(origin)
}
