/** JSON Schema (draft 2020-12): asked of schemas, by the standard or by a converter of the app, and read. */
import { parsePointer } from '../values/json-pointer.js'
import { isObject, isRecord, ownValue, ownEntries, ownList } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { valueOr } from '../values/quietly.js'
import type { Schema } from './schema.js'

/** An object of JSON Schema: its keywords. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** JSON Schema: keywords, or `true` for anything and `false` for nothing. */
export type JsonSchema = SchemaObject | boolean

/**
 * Functions that describe the schemas of libraries which do not do it themselves, by the vendor name of the library.
 * They are called with the schema and `{ io, typeMode, target }`: libraries name the side differently and ignore what
 * they do not know. The parameters are `never` because each function takes the schemas of its own library only.
 */
export type Converters = Readonly<Record<string, (schema: never, options?: never) => unknown>>

/** What a schema accepts, or what it gives. */
export type SchemaSide = 'input' | 'output'

export interface Description {
  readonly schema: JsonSchema | undefined
  /** True when members that JSON Schema cannot express stand in it as `{}`. */
  readonly lenient: boolean
  /** Why there is no description, or none without gaps; undefined when all went well. */
  readonly reason: string | undefined
}

type Describe = (lenient: boolean) => unknown
const TARGET = 'draft-2020-12'
/** A library that asks what to put where it has nothing to say is told to fail. */
const STRICT: Readonly<Record<string, unknown>> = { fallback: { default: refuseGap } }
/** The options of all known libraries at once: each ignores those that it does not know. */
const LENIENT = { unrepresentable: 'any', errorMode: 'ignore', overrideAction: openTransformation }

/** Describes one side of a schema: strictly by the schema itself or by a converter, else leniently by them. Never throws. */
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
  const missing = `The schema (${vendor}) does not describe itself as JSON Schema, and the app has no converter for ${vendor}`
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
    if (discardPromise(schema)) return { schema: undefined, reason: 'The description of the schema is a promise' }
    if (isJsonSchema(schema)) return { schema, reason: undefined }
    return { schema: undefined, reason: 'The description of the schema is not JSON Schema' }
  } catch (error) {
    return { schema: undefined, reason: error instanceof Error ? error.message : 'Describing the schema failed' }
  }
}

// A check that JSON Schema has no word for leaves the rest of the description; an empty rest describes nothing.
function refuseGap(gap: unknown): unknown {
  const { code, base } = isObject(gap) ? gap : {}
  if (isObject(base) && Object.keys(base).length > 0) return base
  throw new Error(`JSON Schema has no word for what is meant by "${String(code)}"`)
}

// A library that ignores a transformation describes the value before it as if it were the one after it, and projection
// would drop what the transformation added. So nothing is said of the result of such a step.
function openTransformation(step: unknown): SchemaObject | undefined {
  if (!isObject(step) || ownValue(step, 'errors') === undefined) return undefined
  const transforms = Object.values(step).some((part) => isObject(part) && part['kind'] === 'transformation')
  return transforms ? {} : undefined
}

/** Tells whether a value can be JSON Schema: an object of keywords or a boolean. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value)
}

/** Whether no value matches a schema: `false`, or `not` with a schema that every value matches. */
export function isNever(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return !schema
  const excluded = ownValue(schema, 'not')
  return excluded === true || (isRecord(excluded) && Object.keys(excluded).length === 0)
}

/** The schemas that stand in a keyword by name, such as `properties`. */
export function schemasBy(schema: SchemaObject, keyword: string): readonly (readonly [string, JsonSchema])[] {
  return ownEntries(schema, keyword).flatMap(([key, member]) => (isJsonSchema(member) ? [[key, member] as const] : []))
}

/** The schemas that stand in a keyword as a list, such as `prefixItems`. */
export function schemasIn(schema: SchemaObject, keyword: string): readonly JsonSchema[] {
  return ownList(schema, keyword).filter(isJsonSchema)
}

/** The schemas that must all hold beside the own keywords of a schema: `$ref` and `allOf`. */
export function joinReasons(root: JsonSchema, schema: SchemaObject): readonly JsonSchema[] {
  const target = resolveReference(root, schema)
  const all = schemasIn(schema, 'allOf')
  return target === undefined ? all : [target, ...all]
}

/** The unions of a schema: `anyOf` and `oneOf`. */
export function findUnions(schema: SchemaObject): readonly (readonly JsonSchema[])[] {
  return ['anyOf', 'oneOf'].map((keyword) => schemasIn(schema, keyword)).filter((branches) => branches.length > 0)
}

/** A description taken apart, through `$ref`, `allOf`, `anyOf` and `oneOf`; true for parts that always hold, which those of unions do not. */
export function collectSchemas(root: JsonSchema): ReadonlyMap<SchemaObject, boolean> {
  const parts = new Map<SchemaObject, boolean>()
  const visit = (part: JsonSchema, isSure: boolean): void => {
    if (typeof part === 'boolean' || parts.has(part)) return
    parts.set(part, isSure)
    for (const next of joinReasons(root, part)) visit(next, isSure)
    for (const branch of findUnions(part).flat()) visit(branch, false)
  }
  visit(root, true)
  return parts
}

/** The members that a description names, in any of its parts. */
export function schemaMemberNames(root: JsonSchema): ReadonlySet<string> {
  const members = [...collectSchemas(root).keys()].flatMap((part) => schemasBy(part, 'properties'))
  return new Set(members.map(([name]) => name))
}

/**
 * The schema that `$ref` means (section 8.2.3): a JSON Pointer, the `$id` of a schema or an `$anchor`. Returns `undefined` where the
 * description does not hold it.
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

/** Keywords with values, in which `$id` is a member like any other. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])
const identified = new WeakMap<SchemaObject, ReadonlyMap<string, SchemaObject>>()

/** Returns the schemas of a description by the references to their `$id` or `$anchor`. TypeBox writes recursive schemas this way. */
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
