/** The `Host` header (RFC 9112 section 3.2, RFC 3986 section 3.2.2). */

const NAME = /^[A-Za-z0-9\-._~!$&'()*+,;=%]+$/
const IP_LITERAL = /^\[[0-9A-Fa-f:.]+\]$/
const PORT = /^[0-9]{0,5}$/

/** Tells whether a value is `host[:port]`, in time linear in its length. */
export function isHost(value: string): boolean {
  if (value === lastHost) return true
  if (!followsGrammar(value)) return false
  lastHost = value
  return true
}

/** Nearly all requests to a server name the same host: its check is kept. */
let lastHost: string | undefined

function followsGrammar(value: string): boolean {
  const literalEnd = value.startsWith('[') ? value.indexOf(']') + 1 : 0
  const colon = value.indexOf(':', literalEnd)
  const host = colon < 0 ? value : value.slice(0, colon)
  if (colon >= 0 && !PORT.test(value.slice(colon + 1))) return false
  return literalEnd > 0 ? IP_LITERAL.test(host) : NAME.test(host)
}
