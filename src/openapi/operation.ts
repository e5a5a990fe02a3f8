/** Operations: one endpoint each (OpenAPI 3.1.1 section 4.8.10). */
import { bodyOf } from './bodies.js'
import type { OpenApiOperation } from './document-types.js'
import { parametersOf } from './parameters.js'
import { responsesOf } from './responses.js'
import type { Work } from './work.js'

/** Makes an operation. */
export function operationOf(work: Work, operationId: string, security: OpenApiOperation['security']): OpenApiOperation {
  const { contract, isDeprecated } = work.endpoint
  const parameters = parametersOf(work)
  return withoutGaps({
    operationId,
    summary: contract?.summary,
    description: contract?.description,
    tags: tagsOf(work.endpoint),
    deprecated: isDeprecated ? true : undefined,
    security,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: bodyOf(work),
    responses: responsesOf(work),
    ...extensionsOf(work.endpoint.meta),
  })
}

type Gappy<T> = { readonly [K in keyof T]: T[K] | undefined }

function withoutGaps(operation: Gappy<OpenApiOperation>): OpenApiOperation {
  const entries = Object.entries(operation).filter(([, value]) => value !== undefined)
  // Proof: only optional members can be undefined, and those are left out.
  return Object.fromEntries(entries) as unknown as OpenApiOperation
}

/** The tags of an endpoint. */
export function tagsOf({ tags, route }: Pick<Work['endpoint'], 'tags' | 'route'>): readonly string[] {
  return tags.length === 0 ? [route] : [...new Set(tags)]
}

/** What an author puts into `meta` for middleware is nobody else's affair, but for what says itself that it is. */
function extensionsOf(meta: object): Readonly<Record<`x-${string}`, unknown>> {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith('x-')))
}
