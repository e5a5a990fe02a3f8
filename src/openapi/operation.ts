/** Operations: one endpoint each, with the body it reads (OpenAPI 3.1.1 sections 4.8.10 and 4.8.13). */
import { kindOf, type Kind } from '../route/kinds.js'
import { report, shownSchema, type OperationWork } from './components.js'
import type { OpenApiBody, OpenApiContent, OpenApiOperation } from './document-types.js'
import { freeName } from './naming.js'
import { parametersOf } from './parameters.js'
import { responsesOf } from './responses.js'

export function operationOf(work: OperationWork): OpenApiOperation {
  const { contract, tags, route, isDeprecated, security, meta } = work.endpoint
  const operationId = operationIdOf(work)
  const requirements = work.schemes.requirements(security)
  const parameters = parametersOf(work)
  const shownTags = tags.length === 0 ? [route] : [...new Set(tags)]
  for (const tag of shownTags) work.tags.add(tag)
  return withoutGaps({
    operationId,
    summary: contract?.summary,
    description: contract?.description,
    tags: shownTags,
    deprecated: isDeprecated ? true : undefined,
    security: requirements,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: bodyOf(work),
    responses: responsesOf(work),
    // What else stands in `meta` is for middleware, not for clients.
    ...Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith('x-'))),
  })
}

function operationIdOf(work: OperationWork): string {
  const { route, verb, contract } = work.endpoint
  const wanted = contract?.operationId ?? `${route}.${verb}`
  const id = freeName(wanted, work.operationIds)
  if (id !== wanted && contract?.operationId !== undefined) {
    report(work, `The operation id "${wanted}" is taken by another endpoint; this one has "${id}"`, 'Give it another')
  }
  return id
}

type Gappy<T> = { readonly [K in keyof T]: T[K] | undefined }

function withoutGaps(operation: Gappy<OpenApiOperation>): OpenApiOperation {
  const entries = Object.entries(operation).filter(([, value]) => value !== undefined)
  // Proof: only optional members can be undefined, and those are left out.
  return Object.fromEntries(entries) as unknown as OpenApiOperation
}

/** Without a contract these take any JSON. */
const TAKE_ANY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

function bodyOf(work: OperationWork): OpenApiBody | undefined {
  const { contract, verb, isBodyRaw } = work.endpoint
  if (contract === undefined && TAKE_ANY.has(verb)) return { content: { 'application/json': { schema: {} } } }
  const body = contract?.body
  if (body === undefined) return isBodyRaw ? { content: { '*/*': {} } } : undefined
  const kind = kindOf(body)
  const content = contentOf(work, kind)
  return kind.name === 'json' ? { required: true, content } : { content }
}

/** Texts and bytes may be empty, and an empty form is a form: only JSON must be there. */
function contentOf(work: OperationWork, { name, schema, types }: Kind): OpenApiContent {
  const shown = schema === null ? undefined : { schema: shownSchema(work, schema, 'body', 'input') }
  const media = shown ?? (name === 'text' ? { schema: { type: 'string' } } : {})
  // `application/*+json` is no range that HTTP knows (RFC 9110 section 12.5.1).
  return Object.fromEntries(types.filter((type) => !type.includes('*+')).map((type) => [type, media]))
}
