/** Where schemas stand inside a schema (JSON Schema 2020-12, core section 10 and content section 8). */
import { isJsonSchema, type JsonSchema } from '../validation/json-schema.js'
import { isObject, ownList } from '../values/objects.js'

const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const IN_LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
const SINGLE: ReadonlySet<string> = new Set([
  ...['items', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties', 'contains', 'propertyNames'],
  ...['not', 'if', 'then', 'else', 'contentSchema'],
])

/** `false` has a plain meaning here, and tools know it. */
const CLOSING: ReadonlySet<string> = new Set([
  ...['items', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'],
])

/** Makes something else of an inner schema; the key is the name of a property, where it stands under one. */
export type MapSchema = (schema: JsonSchema, key: string | undefined) => JsonSchema

/**
 * Copies a keyword of a schema, with its inner schemas mapped. What is data (`default`, `enum`, `examples`) stays as it
 * is, even where it looks like a schema.
 */
export function mapKeyword(keyword: string, value: unknown, map: MapSchema): unknown {
  if (Array.isArray(value)) return IN_LISTS.has(keyword) ? value.map((item) => mapOne(item, map, undefined)) : value
  if (SINGLE.has(keyword)) return CLOSING.has(keyword) && value === false ? value : mapOne(value, map, undefined)
  if (!BY_NAME.has(keyword) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapOne(member, map, key)]))
}

function mapOne(value: unknown, map: MapSchema, key: string | undefined): unknown {
  return isJsonSchema(value) ? map(value, key) : value
}

/** Tells whether a schema is worth a name of its own: it has properties, or alternatives that have some. */
export function isComposed(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  if (Object.hasOwn(schema, 'properties')) return true
  return ['allOf', 'anyOf', 'oneOf'].some((keyword) => ownList(schema, keyword).filter(isJsonSchema).some(isBranch))
}

function isBranch(schema: JsonSchema): boolean {
  return isComposed(schema) || (typeof schema === 'object' && Object.hasOwn(schema, '$ref'))
}
