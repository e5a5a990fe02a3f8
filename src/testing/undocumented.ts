/** What an answer has that nobody documents: fields that a schema does not describe, and headers of one's own. */
import type { OpenApiComponents } from '../openapi/document-types.js'
import type { JsonSchema } from '../validation/json-schema.js'
import { projector } from '../validation/projection/projector.js'
import { escapeKey } from '../values/json-pointer.js'
import { isObject } from '../values/objects.js'

/** Finds the fields that a schema of a document does not describe: those that projection would drop. */
export function unknownFields(schema: JsonSchema, components: OpenApiComponents, value: unknown): string[] {
  if (typeof schema === 'boolean') return []
  const project = projector({ ...schema, components })
  return project === undefined ? [] : dropped(value, project(value), '')
}

function dropped(value: unknown, kept: unknown, place: string): string[] {
  if (value === kept || !isObject(value)) return []
  const rest = new Map(Object.entries(Object(kept)))
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${place}/${escapeKey(key)}`
    return rest.has(key) ? dropped(member, rest.get(key), at) : [at]
  })
}

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
