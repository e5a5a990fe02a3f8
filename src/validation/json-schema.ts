/** Reads JSON Schema (draft 2020-12). */
import { parsePointer } from '../values/json-pointer.js'
import { isObject, isRecord, ownValue, ownEntries, ownList } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'

/** A JSON Schema with keywords. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** JSON Schema: an object with keywords, `true` for any value, or `false` for no value. */
export type JsonSchema = SchemaObject | boolean

/** The values that a schema accepts (`input`) or returns (`output`). */
export type SchemaSide = 'input' | 'output'

/** Keywords that contain schemas by name. */
export const NAMED_KEYWORDS: readonly string[] = [
  ...['properties', 'patternProperties', 'dependentSchemas'],
  ...['$defs', 'definitions'],
]

/** Maps the parts of a keyword that can be schemas. Data, such as `enum`, stay the same. */
export function mapParts(keyword: string, value: unknown, map: (part: unknown) => unknown): unknown {
  if (VALUE_KEYWORDS.has(keyword)) return value
  if (Array.isArray(value)) return value.map((part) => map(part))
  if (!NAMED_KEYWORDS.includes(keyword) || !isRecord(value)) return map(value)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, map(part)]))
}

/** Compiles a pattern of a schema; `null` if it is not a regular expression. */
export function compilePattern(source: string): RegExp | null {
  return valueOr(() => new RegExp(source, 'u'), null)
}

/** Returns the schemas of `patternProperties` with their compiled patterns. */
export function schemasByPattern(schema: SchemaObject): readonly (readonly [pattern: RegExp, schema: JsonSchema])[] {
  return schemasByKey(schema, 'patternProperties').flatMap(([source, member]) => {
    const pattern = compilePattern(source)
    return pattern === null ? [] : [[pattern, member] as const]
  })
}

/** Whether a value can be JSON Schema: an object or a boolean. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value)
}

/** Whether no value matches a schema: `false`, or `not` with a schema that every value matches. */
export function isNever(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return !schema
  const excluded = ownValue(schema, 'not')
  return excluded === true || (isRecord(excluded) && Object.keys(excluded).length === 0)
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null'])
const COMPOSING: ReadonlySet<string> = new Set([
  ...NAMED_KEYWORDS,
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
])

const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'format'])

/** Whether a schema has only scalar types. */
export function isScalar(schema: JsonSchema): schema is SchemaObject {
  if (typeof schema === 'boolean') return false
  const type = ownValue(schema, 'type')
  return Array.isArray(type) ? type.length > 0 && type.every((name) => SCALARS.has(name)) : SCALARS.has(type)
}

/** Whether a schema has only scalar types and contains no other schemas. Most schemas of members do, and need no further reading. */
export function isPlainScalar(schema: JsonSchema): schema is SchemaObject {
  return isScalar(schema) && !Object.keys(schema).some((keyword) => COMPOSING.has(keyword))
}

/** Returns the members of a schema that describes only these; `null` for other schemas. */
export function plainMembers(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] | null {
  if (!hasPlainType(schema, 'object') || !isRecord(ownValue(schema, 'properties'))) return null
  return (ownValue(schema, 'additionalProperties') ?? false) === false ? schemasByKey(schema, 'properties') : null
}

/** Returns the items of a schema that describes only these; `null` for other schemas. */
export function plainItems(schema: JsonSchema): JsonSchema | null {
  const items = hasPlainType(schema, 'array') ? ownValue(schema, 'items') : undefined
  return isJsonSchema(items) ? items : null
}

const PARTS = { object: ['properties', 'additionalProperties'], array: ['items'] }

function hasPlainType(schema: JsonSchema, type: keyof typeof PARTS): schema is SchemaObject {
  if (typeof schema === 'boolean' || ownValue(schema, 'type') !== type) return false
  const keywords = PARTS[type]
  return Object.keys(schema).every(
    (keyword) => keywords.includes(keyword) || !(COMPOSING.has(keyword) || VALUES.has(keyword)),
  )
}

/** Returns the schemas in a keyword that contains them by name, such as `properties`. */
export function schemasByKey(schema: SchemaObject, keyword: string): readonly (readonly [string, JsonSchema])[] {
  return ownEntries(schema, keyword).flatMap(([key, member]) => (isJsonSchema(member) ? [[key, member] as const] : []))
}

/** Returns the schemas in a keyword that contains an array, such as `prefixItems`. */
export function listSchemas(schema: SchemaObject, keyword: string): readonly JsonSchema[] {
  return ownList(schema, keyword).filter(isJsonSchema)
}

/** Returns the schemas that a value must match in addition to the keywords of a schema: `$ref` and `allOf`. */
export function intersectedSchemas(root: JsonSchema, schema: SchemaObject): readonly JsonSchema[] {
  const target = resolveReference(root, schema)
  const all = listSchemas(schema, 'allOf')
  return target === undefined ? all : [target, ...all]
}

/** Returns the unions of a schema: `anyOf` and `oneOf`. */
export function findUnions(schema: SchemaObject): readonly (readonly JsonSchema[])[] {
  return ['anyOf', 'oneOf'].map((keyword) => listSchemas(schema, keyword)).filter((branches) => branches.length > 0)
}

/** Returns the parts of a schema, through `$ref`, `allOf`, `anyOf` and `oneOf`; `false` for parts of unions, which may not apply. */
export function collectSchemas(root: JsonSchema, schema: JsonSchema = root): ReadonlyMap<SchemaObject, boolean> {
  const parts = new Map<SchemaObject, boolean>()
  const visit = (part: JsonSchema, isSure: boolean): void => {
    if (typeof part === 'boolean' || parts.has(part)) return
    parts.set(part, isSure)
    for (const next of intersectedSchemas(root, part)) visit(next, isSure)
    for (const branch of findUnions(part).flat()) visit(branch, false)
  }
  visit(schema, true)
  return parts
}

/** Returns the members of a part of a schema by name: `properties`, and other names that `propertyNames` lists. */
export function namedMembers(root: JsonSchema, part: SchemaObject): readonly (readonly [string, JsonSchema])[] {
  const members = schemasByKey(part, 'properties')
  const otherSchema = ownValue(part, 'additionalProperties')
  if (!isJsonSchema(otherSchema) || isNever(otherSchema)) return members
  const knownNames = new Set(members.map(([name]) => name))
  const otherNames = listedNames(root, part).filter((name) => !knownNames.has(name))
  return [...members, ...otherNames.map((name) => [name, otherSchema] as const)]
}

/** Returns the schema of members that a part of a schema does not name; `undefined` if it allows only named members. */
export function otherMembers(root: JsonSchema, part: SchemaObject): JsonSchema | undefined {
  const otherSchema = ownValue(part, 'additionalProperties')
  const hasOthers = isJsonSchema(otherSchema) && otherSchema !== false && listedNames(root, part).length === 0
  return hasOthers ? otherSchema : undefined
}

/** Returns the names of `propertyNames`; an empty list if it does not list all of them. */
function listedNames(root: JsonSchema, part: SchemaObject): readonly string[] {
  const names = ownValue(part, 'propertyNames')
  return isJsonSchema(names) ? (listLiterals(root, names, new Set()) ?? []) : []
}

function listLiterals(
  root: JsonSchema,
  schema: JsonSchema,
  seen: ReadonlySet<JsonSchema>,
): readonly string[] | undefined {
  if (typeof schema === 'boolean' || seen.has(schema)) return undefined
  const within = new Set(seen).add(schema)
  const literals = Object.hasOwn(schema, 'const') ? [schema['const']] : ownList(schema, 'enum')
  if (literals.length > 0) return literals.filter((literal) => typeof literal === 'string')
  const target = resolveReference(root, schema)
  const branches = target === undefined ? findUnions(schema)[0] : [target]
  const lists = branches?.map((branch) => listLiterals(root, branch, within)) ?? [undefined]
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined
}

/** Returns the names of the members in all parts of a schema. */
export function schemaMemberNames(root: JsonSchema): ReadonlySet<string> {
  const members = [...collectSchemas(root).keys()].flatMap((part) => schemasByKey(part, 'properties'))
  return new Set(members.map(([name]) => name))
}

/**
 * Returns the target of `$ref` (section 8.2.3): a JSON Pointer, the `$id` of a schema or an `$anchor`. Returns `undefined` if `root`
 * does not contain the target.
 */
export function resolveReference(root: JsonSchema, schema: SchemaObject): JsonSchema | undefined {
  const reference = ownValue(schema, '$ref')
  if (typeof reference !== 'string') return undefined
  if (!/^#(?:\/|$)/.test(reference)) return isObject(root) ? identifiedSchemas(root).get(reference) : undefined
  const fragment = reference.slice(1)
  const keys = parsePointer(valueOr(() => decodeURIComponent(fragment), fragment))
  const target = keys.reduce<unknown>((value, key) => (isObject(value) ? ownValue(value, key) : undefined), root)
  return isJsonSchema(target) ? target : undefined
}

/** Keywords that contain data instead of schemas. */
export const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])
const identified = new WeakMap<SchemaObject, ReadonlyMap<string, SchemaObject>>()

/** Returns the schemas that have `$id` or `$anchor`, by the reference to them. TypeBox uses `$id` in recursive schemas. */
function identifiedSchemas(root: SchemaObject): ReadonlyMap<string, SchemaObject> {
  const cachedAnchors = identified.get(root)
  if (cachedAnchors !== undefined) return cachedAnchors
  const anchors = new Map<string, SchemaObject>()
  const seen = new Set<unknown>()
  const visit = (part: unknown): void => {
    if (!isObject(part) || seen.has(part)) return
    seen.add(part)
    const { $id, $anchor } = part
    if (typeof $id === 'string' && !anchors.has($id)) anchors.set($id, part)
    if (typeof $anchor === 'string' && !anchors.has(`#${$anchor}`)) anchors.set(`#${$anchor}`, part)
    for (const [keyword, value] of Object.entries(part)) if (!VALUE_KEYWORDS.has(keyword)) visit(value)
  }
  visit(root)
  identified.set(root, anchors)
  return anchors
}
