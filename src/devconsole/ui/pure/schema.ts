/** Schemas of the OpenAPI document. References are followed when they are looked at, and circles are cut. */
import {
  isJson,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../../wire/json-schema.js'

/** A member of an object schema. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonRecord
}

/** How deep the parts of a schema are followed. */
const MAX_DEPTH = 8

/** The members of a schema, those of its parts too. */
export function listFields(document: JsonRecord, schema: unknown): readonly Field[] {
  const fields = new Map<string, Field>()
  collectFields(document, schema, { fields, depth: 0 })
  return [...fields.values()]
}

function collectFields(
  document: JsonRecord,
  schema: unknown,
  into: { fields: Map<string, Field>; depth: number },
): void {
  if (into.depth > MAX_DEPTH) return
  const resolved = resolveSchema(document, schema)
  const required = new Set(listOrEmpty(resolved['required']))
  for (const part of listOrEmpty(resolved['allOf'])) collectFields(document, part, { ...into, depth: into.depth + 1 })
  for (const [name, member] of Object.entries(objectOrEmpty(resolved['properties']))) {
    const inner = resolveSchema(document, member)
    into.fields.set(name, {
      name,
      type: schemaType(member),
      required: required.has(name),
      description: stringOrEmpty(objectOrEmpty(member)['description']) || stringOrEmpty(inner['description']),
      schema: objectOrEmpty(member),
    })
  }
}

/**
 * The schema whose members are worth unfolding: an object, or the items of an array of objects. Returns `null` when
 * there is nothing inside.
 */
export function innerSchema(document: JsonRecord, schema: unknown): JsonRecord | null {
  const resolved = resolveSchema(document, schema)
  if (isJson(resolved['items'])) return innerSchema(document, resolved['items'])
  return isJson(resolved['properties']) || Array.isArray(resolved['allOf']) ? resolved : null
}

/** A schema in words, as the app says them with the document. */
export function schemaType(schema: unknown): string {
  return stringOrEmpty(objectOrEmpty(schema)['x-type'])
}
