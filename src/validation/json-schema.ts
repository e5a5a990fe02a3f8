/** JSON Schema (draft 2020-12): converts schemas with the standard or a converter of the app, and reads the result. */
import { parsePointer } from '../values/json-pointer.js'
import { isObject, isRecord, ownValue, ownEntries, ownList } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { valueOr } from '../values/value-or.js'
import type { Schema } from './schema.js'

/** A JSON Schema with keywords. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** JSON Schema: an object with keywords, `true` for any value, or `false` for no value. */
export type JsonSchema = SchemaObject | boolean

/**
 * Functions that convert schemas to JSON Schema, by the vendor name of the library; for libraries whose schemas cannot do it.
 * They are called with the schema and `{ io, typeMode, target }`, because libraries use different names for the side. Each library
 * ignores unknown options. The parameters are `never` because each function accepts only schemas of its library.
 */
export type Converters = Readonly<Record<string, (schema: never, options?: never) => unknown>>

/** The values that a schema accepts (`input`) or returns (`output`). */
export type SchemaSide = 'input' | 'output'

export interface Description {
  readonly schema: JsonSchema | undefined
  /** Whether members that JSON Schema cannot express are included as `{}`. */
  readonly lenient: boolean
  /** Why the JSON Schema is missing or incomplete; `undefined` if it is complete. */
  readonly reason: string | undefined
}

type Describe = (lenient: boolean) => unknown
const TARGET = 'draft-2020-12'
/** Makes libraries with the option `fallback` fail if JSON Schema cannot express a schema. */
const STRICT: Readonly<Record<string, unknown>> = { fallback: { default: rejectGap } }
/** Options of all known libraries. Each library ignores unknown options. */
const LENIENT = { unrepresentable: 'any', errorMode: 'ignore', overrideAction: openTransformation }

/** Converts one side of a schema with its own method or a converter: first strictly, and if that fails, leniently. Never throws. */
export function describeSchema(schema: Schema, side: SchemaSide, converters: Converters): Description {
  const ways = [standardWay(schema, side), converterWay(schema, side, converters)].filter((way) => way !== undefined)
  let reason: string | undefined
  for (const lenient of [false, true]) {
    for (const way of ways) {
      const converted = convertSchema(way, lenient)
      if (converted.schema !== undefined) return { schema: converted.schema, lenient, reason }
      reason ??= converted.reason
    }
  }
  const { vendor } = schema['~standard']
  const missing = `The schema (${vendor}) does not provide JSON Schema, and the app has no converter for ${vendor}`
  return { schema: undefined, lenient: false, reason: reason ?? missing }
}

function standardWay(schema: Schema, side: SchemaSide): Describe | undefined {
  const describer = schema['~standard'].jsonSchema
  if (typeof describer?.[side] !== 'function') return undefined
  return (lenient) => describer[side]({ target: TARGET, libraryOptions: { ...(lenient ? LENIENT : STRICT) } })
}

function converterWay(schema: Schema, side: SchemaSide, converters: Converters): Describe | undefined {
  const { vendor } = schema['~standard']
  const convert = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  if (convert === undefined) return undefined
  return (lenient) => {
    const options = { io: side, typeMode: side, target: TARGET, ...(lenient ? LENIENT : STRICT) }
    // Proof: the vendor of the schema is the key under which the app put the function for such schemas and options.
    return convert(schema as never, options as never)
  }
}

function convertSchema(way: Describe, lenient: boolean): Pick<Description, 'schema' | 'reason'> {
  try {
    const schema = way(lenient)
    if (discardPromise(schema)) return { schema: undefined, reason: 'The conversion to JSON Schema returned a promise' }
    if (isJsonSchema(schema)) return { schema, reason: undefined }
    return { schema: undefined, reason: 'The conversion did not return JSON Schema' }
  } catch (error) {
    return {
      schema: undefined,
      reason: error instanceof Error ? error.message : 'The conversion to JSON Schema failed',
    }
  }
}

// A check that JSON Schema cannot express is omitted, but only if something else is known about the value.
function rejectGap(gap: unknown): unknown {
  const { code, base } = isObject(gap) ? gap : {}
  if (isObject(base) && Object.keys(base).length > 0) return base
  throw new Error(`JSON Schema cannot express "${String(code)}"`)
}

// A library that ignores a transformation describes the value before it instead of its result, and projection would drop members that
// the transformation adds. So the result of a transformation is `{}`, which allows anything.
function openTransformation(step: unknown): SchemaObject | undefined {
  if (!isObject(step) || ownValue(step, 'errors') === undefined) return undefined
  const transforms = Object.values(step).some((part) => isObject(part) && part['kind'] === 'transformation')
  return transforms ? {} : undefined
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
export function collectSchemas(root: JsonSchema): ReadonlyMap<SchemaObject, boolean> {
  const parts = new Map<SchemaObject, boolean>()
  const visit = (part: JsonSchema, isSure: boolean): void => {
    if (typeof part === 'boolean' || parts.has(part)) return
    parts.set(part, isSure)
    for (const next of intersectedSchemas(root, part)) visit(next, isSure)
    for (const branch of findUnions(part).flat()) visit(branch, false)
  }
  visit(root, true)
  return parts
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

/** Keywords that contain data, in which `$id` has no meaning. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])
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
