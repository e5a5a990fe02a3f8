/** Cross-site request forgery: whether a request comes from a page that may act for the user of its browser. */
import { originOf } from '../http/forwarded-origin.js'
import type { ContextSource } from './request-context.js'

/**
 * Whether a request was sent by a page of this host, by one of a credentialed origin of `cors`, or by no page at all. No page can
 * choose what these fields say, and browsers send one of them with every method but GET and HEAD (Fetch standard, section 3.2) and
 * with the handshake of a WebSocket (RFC 6455 section 10.2). Requests that change nothing need not be asked about.
 */
export function isFromTrustedPage(source: ContextSource): boolean | Promise<boolean> {
  const { exchange, app } = source
  const site = exchange.header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return true
  const origin = exchange.header('origin')
  if (origin === undefined) return site === undefined
  return origin === originOf(exchange, app.proxies) || source.trustsOrigin(origin)
}
