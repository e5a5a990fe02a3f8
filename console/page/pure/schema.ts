/** Schemas of the OpenAPI document. References are resolved on demand, so circular schemas are possible. */
import {
  isJson,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../../../src/devconsole/wire/json-schema.js'

/** A property of an object schema. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonRecord
}

/** Maximum depth of nested `allOf`. */
const MAX_DEPTH = 8

/** Lists the properties of a schema and of its `allOf`. */
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

/** Returns the object schema, or the object schema of the items of an array or of the content of a string. Returns `null` for schemas without properties. */
export function innerSchema(document: JsonRecord, schema: unknown): JsonRecord | null {
  const resolved = resolveSchema(document, schema)
  const inner = resolved['items'] ?? resolved['contentSchema']
  if (isJson(inner)) return innerSchema(document, inner)
  return isJson(resolved['properties']) || Array.isArray(resolved['allOf']) ? resolved : null
}

/** Returns the type of a schema in words. The app adds `x-type` to its document for the page. */
export function schemaType(schema: unknown): string {
  return stringOrEmpty(objectOrEmpty(schema)['x-type'])
}
