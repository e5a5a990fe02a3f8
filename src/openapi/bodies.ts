/** Bodies: what is read of the body of a request (OpenAPI 3.1.1 section 4.8.13). */
import { Kind } from '../route/kinds.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiBody, OpenApiContent } from './document-types.js'
import { useOf, type Work } from './work.js'

/** Without a contract these take any JSON. */
const TAKE_ANY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** The body of an operation. Returns the body; `undefined` where none is read. */
export function bodyOf(work: Work): OpenApiBody | undefined {
  const { contract, verb, isBodyRaw } = work.endpoint
  if (contract === undefined && TAKE_ANY.has(verb)) return { content: { 'application/json': { schema: {} } } }
  const body = contract?.body
  if (body === undefined) return isBodyRaw ? { content: { '*/*': {} } } : undefined
  // Proof: the contract was checked; what is no kind is a schema.
  const kind = body instanceof Kind ? body : new Kind('json', body as Schema, {})
  const content = contentOf(work, kind)
  return kind.name === 'json' ? { required: true, content } : { content }
}

/** Texts and bytes may be empty, and an empty form is a form: only JSON must be there. */
function contentOf(work: Work, { name, schema, types }: Kind): OpenApiContent {
  const shown = schema === null ? undefined : { schema: work.components.show(schema, useOf(work, 'body', 'input')) }
  const media = shown ?? (name === 'text' ? { schema: { type: 'string' } } : {})
  // `application/*+json` is no range that HTTP knows (RFC 9110 section 12.5.1).
  return Object.fromEntries(types.filter((type) => !type.includes('*+')).map((type) => [type, media]))
}
