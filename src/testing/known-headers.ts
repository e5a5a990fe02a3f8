/** Header fields of answers that need no word in a document: standards define them, or the framework does. */

/** The permanent entries of IANA's registry of field names that answers have, and those of the framework. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['accept-ch', 'accept-patch', 'accept-post', 'accept-ranges', 'age', 'allow', 'alt-svc', 'authentication-info'],
  ...['cache-control', 'cdn-cache-control', 'clear-site-data', 'connection', 'date', 'deprecation', 'etag', 'expires'],
  ...['idempotency-key', 'keep-alive', 'last-modified', 'link', 'location', 'no-vary-search', 'origin-agent-cluster'],
  ...['permissions-policy', 'preference-applied', 'ratelimit', 'ratelimit-policy', 'referrer-policy', 'refresh'],
  ...['reporting-endpoints', 'retry-after', 'server', 'server-timing', 'set-cookie', 'strict-transport-security'],
  ...['sunset', 'timing-allow-origin', 'trailer', 'transfer-encoding', 'vary', 'via', 'www-authenticate'],
  ...['api-version', 'x-accel-buffering', 'x-content-type-options', 'x-frame-options', 'x-request-id'],
])

const FAMILIES: readonly string[] = ['access-control-', 'content-', 'cross-origin-']

/** Tells whether a header field needs no word in a document. */
export function isKnownHeader(name: string): boolean {
  return KNOWN.has(name) || FAMILIES.some((family) => name.startsWith(family))
}
