/** Sample values from JSON Schema (draft 2020-12). A sample can be invalid, so the validator of the schema must check it. */
import {
  findUnions,
  intersectedSchemas,
  isJsonSchema,
  isNever,
  listSchemas,
  schemasByKey,
  type JsonSchema,
  type SchemaObject,
} from '../validation/json-schema.js'
import { ownList, ownValue, type UnknownRecord } from '../values/objects.js'

/** Maximum depth of objects and arrays, because a schema can contain itself. */
const MAX_DEPTH = 8

/** Samples of strings by format; each also has the pattern that libraries add to the format. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['email', 'a@example.com'],
  ['uuid', '5bd4ae2c-6e6b-4a1b-9d6b-0f7a3c9e2d11'],
  ['guid', '5bd4ae2c-6e6b-4a1b-9d6b-0f7a3c9e2d11'],
  ['date-time', '2030-01-01T00:00:00Z'],
  ['date', '2030-01-01'],
  ['time', '00:00:00'],
  ['duration', 'P1D'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uri-reference', '/'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['base64', 'YWFh'],
  ['base64url', 'YWFh'],
])

/** Returns a small value that a schema describes: only required members, the fewest items, the shortest strings. */
export function createSample(root: JsonSchema): unknown {
  return sampleSchema(root, root, 0)
}

function sampleSchema(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  if (typeof schema === 'boolean') return 'a'
  const merged = mergeParts(root, schema)
  const stated = findStated(merged)
  if (stated !== undefined) return stated.value
  const [branch] = findUnions(merged).map((branches) => branches.find(isUsable) ?? true)
  // Keywords of the branch have precedence over the keywords around the union.
  if (branch !== undefined) {
    const { anyOf: _, oneOf: __, ...others } = merged
    return sampleSchema(root, typeof branch === 'boolean' ? others : { ...others, allOf: [branch] }, depth + 1)
  }
  switch (typeName(merged)) {
    case 'object':
      return sampleObject(root, merged, depth)
    case 'array':
      return sampleArray(root, merged, depth)
    case 'number':
    case 'integer':
      return sampleNumber(merged)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return sampleString(merged)
  }
}

function isUsable(branch: JsonSchema): boolean {
  return !isNever(branch) && !(typeof branch === 'object' && branch['type'] === 'null')
}

/** Combines a schema with its `$ref` and `allOf`. Keywords of later parts win, except that members and required names are joined. */
function mergeParts(root: JsonSchema, schema: SchemaObject, seen: ReadonlySet<SchemaObject> = new Set()): SchemaObject {
  if (seen.has(schema)) return {}
  const { $ref: _, allOf: __, ...own } = schema
  const within = new Set(seen).add(schema)
  const parts = intersectedSchemas(root, schema).filter((part) => typeof part === 'object')
  return parts.map((part) => mergeParts(root, part, within)).reduce(joinSchemas, own)
}

function joinSchemas(one: SchemaObject, other: SchemaObject): SchemaObject {
  return {
    ...one,
    ...other,
    properties: { ...Object(one['properties']), ...Object(other['properties']) },
    required: [...ownList(one, 'required'), ...ownList(other, 'required')],
  }
}

/** Returns the value that a schema states itself; `undefined` if it states none. */
function findStated(schema: SchemaObject): { readonly value: unknown } | undefined {
  for (const key of ['const', 'default', 'example']) if (Object.hasOwn(schema, key)) return { value: schema[key] }
  const [value] = [...ownList(schema, 'examples'), ...ownList(schema, 'enum')]
  return value === undefined ? undefined : { value }
}

function typeName(schema: SchemaObject): unknown {
  const type = ownValue(schema, 'type')
  if (Array.isArray(type)) return type.find((name) => name !== 'null')
  if (type === undefined && schemasByKey(schema, 'properties').length > 0) return 'object'
  return type
}

function sampleObject(root: JsonSchema, schema: SchemaObject, depth: number): UnknownRecord {
  const required = depth > MAX_DEPTH ? [] : ownList(schema, 'required')
  const members = schemasByKey(schema, 'properties').filter(([key]) => required.includes(key))
  return Object.fromEntries(members.map(([key, member]) => [key, sampleSchema(root, member, depth + 1)]))
}

function sampleArray(root: JsonSchema, schema: SchemaObject, depth: number): readonly unknown[] {
  const first = listSchemas(schema, 'prefixItems').map((item) => sampleSchema(root, item, depth + 1))
  const items = ownValue(schema, 'items')
  const count = depth > MAX_DEPTH ? 0 : numberAt(schema, 'minItems', 0) - first.length
  const item = isJsonSchema(items) ? items : true
  return [...first, ...Array.from({ length: Math.max(0, count) }, () => sampleSchema(root, item, depth + 1))]
}

/** Returns the smallest valid number that is not negative, if there is one. */
function sampleNumber(schema: SchemaObject): number {
  const step = numberAt(schema, 'multipleOf', 1)
  const above = numberAt(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY)
  const least = Math.max(numberAt(schema, 'minimum', Number.NEGATIVE_INFINITY), above)
  const most = Math.min(
    numberAt(schema, 'maximum', Number.POSITIVE_INFINITY),
    numberAt(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY),
  )
  const from = Math.max(least, Math.min(1, most))
  const rounded = Math.ceil(from / step) * step
  const value = rounded === above ? rounded + step : rounded
  // No whole step lies between the bounds, such as for a number above 0 and below 1.
  return value > most || value === schema['exclusiveMaximum'] ? middle(least, most, step) : value
}

function middle(least: number, most: number, step: number): number {
  return Number.isFinite(least) ? (least + most) / 2 : most - step
}

function sampleString(schema: SchemaObject): string {
  const text = FORMATS.get(ownValue(schema, 'format')) ?? 'a'
  return text.padEnd(numberAt(schema, 'minLength', 0), 'a')
}

function numberAt(schema: SchemaObject, key: string, otherwise: number): number {
  const value = ownValue(schema, key)
  return typeof value === 'number' ? value : otherwise
}
