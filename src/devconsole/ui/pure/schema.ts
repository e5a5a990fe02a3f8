/** Schemas of the OpenAPI document. References are followed when they are looked at, and circles are cut. */
import { isJson, listOf, objectOf, resolve, textOf, type Json } from '../../wire/json-schema.js'

/** A member of an object schema. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly schema: Json
}

/** How deep the parts of a schema are followed. */
const DEEPEST = 8

/** The members of a schema, those of its parts too. */
export function fieldsOf(document: Json, schema: unknown): readonly Field[] {
  const fields = new Map<string, Field>()
  collect(document, schema, { fields, depth: 0 })
  return [...fields.values()]
}

function collect(document: Json, schema: unknown, into: { fields: Map<string, Field>; depth: number }): void {
  if (into.depth > DEEPEST) return
  const resolved = resolve(document, schema)
  const required = new Set(listOf(resolved['required']))
  for (const part of listOf(resolved['allOf'])) collect(document, part, { ...into, depth: into.depth + 1 })
  for (const [name, member] of Object.entries(objectOf(resolved['properties']))) {
    const inner = resolve(document, member)
    into.fields.set(name, {
      name,
      type: typeOf(member),
      required: required.has(name),
      description: textOf(objectOf(member)['description']) || textOf(inner['description']),
      schema: objectOf(member),
    })
  }
}

/**
 * The schema whose members are worth unfolding: an object, or the items of an array of objects. Returns `null` when
 * there is nothing inside.
 */
export function innerOf(document: Json, schema: unknown): Json | null {
  const resolved = resolve(document, schema)
  if (isJson(resolved['items'])) return innerOf(document, resolved['items'])
  return isJson(resolved['properties']) || Array.isArray(resolved['allOf']) ? resolved : null
}

/** A schema in words, as the app says them with the document. */
export function typeOf(schema: unknown): string {
  return textOf(objectOf(schema)['x-type'])
}
