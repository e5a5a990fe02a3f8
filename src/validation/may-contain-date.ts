/** Whether values of a schema can contain a Date, so that other responses are not searched for an invalid one. */
import { isObject, ownValue } from '../values/objects.js'
import {
  findUnions,
  intersectedSchemas,
  isJsonSchema,
  isPlainScalar,
  listSchemas,
  schemasByKey,
  type JsonSchema,
  type SchemaObject,
} from './json-schema.js'

/** Keywords whose effect is not examined. */
const OTHERS = ['patternProperties', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'not']
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Whether a value that matches a JSON Schema can contain a Date: if a part of it may be anything, or is described as a date. */
export function mayContainDate(root: JsonSchema): boolean {
  const seen = new Set<SchemaObject>()
  const visit = (schema: JsonSchema): boolean => {
    if (typeof schema === 'boolean') return schema
    if (isPlainScalar(schema)) return hasDateFormat(schema)
    if (seen.has(schema)) return false
    seen.add(schema)
    const beside = [...intersectedSchemas(root, schema), ...findUnions(schema).flat()]
    return isOpen(schema, beside.length > 0) || [...beside, ...innerSchemas(schema)].some(visit)
  }
  return visit(root)
}

/** Whether a schema without its inner schemas allows a Date. */
function isOpen(schema: SchemaObject, hasParts: boolean): boolean {
  if (hasDateFormat(schema)) return true
  if (OTHERS.some((keyword) => Object.hasOwn(schema, keyword))) return true
  if (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return false
  const types = [ownValue(schema, 'type')].flat()
  if (
    types.includes('object') &&
    !isObject(ownValue(schema, 'properties')) &&
    !hasInner(schema, 'additionalProperties')
  )
    return true
  if (types.includes('array') && !hasInner(schema, 'items') && !Object.hasOwn(schema, 'prefixItems')) return true
  return !hasParts && !types.every((type) => SCALARS.has(type) || type === 'object' || type === 'array')
}

function hasDateFormat(schema: SchemaObject): boolean {
  return String(ownValue(schema, 'format')).startsWith('date')
}

function hasInner(schema: SchemaObject, keyword: string): boolean {
  return isJsonSchema(ownValue(schema, keyword))
}

function innerSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const rests = [ownValue(schema, 'items'), ownValue(schema, 'additionalProperties')].filter(isJsonSchema)
  const members = schemasByKey(schema, 'properties').map(([, member]) => member)
  return [...members, ...rests, ...listSchemas(schema, 'prefixItems')]
}
