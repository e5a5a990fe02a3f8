/** Fields of a value that its schema in a document does not describe. */
import type { OpenApiComponents } from '../openapi/document-types.js'
import type { JsonSchema } from '../validation/json-schema.js'
import { projector } from '../validation/projection/projector.js'

/** A schema of a document, and the components that it refers to. */
export interface ShownSchema {
  readonly schema: JsonSchema
  readonly components: OpenApiComponents
}

/** Finds the fields that a schema does not describe: those that projection would drop. */
export function unknownFields({ schema, components }: ShownSchema, value: unknown): string[] {
  if (typeof schema === 'boolean') return []
  const project = projector({ ...schema, components })
  return project === undefined ? [] : dropped(value, project(value), '')
}

function dropped(value: unknown, kept: unknown, place: string): string[] {
  if (value === kept || typeof value !== 'object' || value === null) return []
  const rest = new Map(Object.entries(Object(kept)))
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return rest.has(key) ? dropped(member, rest.get(key), at) : [at]
  })
}
