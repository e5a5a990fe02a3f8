/** Lists the fields of a JSON Schema by path. */
import {
  collectSchemas,
  isNever,
  listSchemas,
  namedMembers,
  otherMembers,
  schemasByKey,
  type JsonSchema,
  type SchemaObject,
} from '../validation/json-schema.js'
import { isRecord, ownList, ownValue } from '../values/objects.js'
import { formatName } from './surface-text.js'

/** A field whose value is not an object with fields. */
export interface SchemaField {
  /** For example `users[].email`; empty for the value itself. */
  readonly path: string
  /** Last name of the path, or `*` for names that the schema does not contain; empty for the value itself. */
  readonly name: string
  /** `personal` and `secret`, which apply to everything inside of a marked value, and `undescribed`, `recursive` or `incomplete`. */
  readonly notes: readonly string[]
}

/** Bounds of schemas that contain each other. */
const MAX_DEPTH = 12
const MAX_FIELDS = 1_000
/** Keywords of a JSON Schema that mark fields, such as from `.meta({ personal: true })`. */
export const MARKS: readonly string[] = ['personal', 'secret']

/** Returns the fields of a schema in the order of the schema. If there are too many, the last one is the value itself as `incomplete`. */
export function listFields(root: JsonSchema): SchemaField[] {
  const fields: SchemaField[] = []
  visit({ root, fields }, { schema: root, path: '', name: '', marks: [], trail: [] })
  return fields
}

interface FieldWalk {
  readonly root: JsonSchema
  readonly fields: SchemaField[]
}

interface SurfacePlace {
  readonly schema: JsonSchema
  readonly path: string
  readonly name: string
  readonly marks: readonly string[]
  /** The parts of the schema that contain it. */
  readonly trail: readonly SchemaObject[]
}

function visit(walk: FieldWalk, { schema, path, name, marks: outer, trail }: SurfacePlace): void {
  const { root, fields } = walk
  if (isNever(schema) || fields.length > MAX_FIELDS) return
  if (fields.length === MAX_FIELDS) return void fields.push({ path: '', name: '', notes: ['incomplete'] })
  const parts = [...collectSchemas(root, schema)].filter(([part]) => !isNever(part))
  const marks = MARKS.filter((mark) => outer.includes(mark) || parts.some(([part]) => ownValue(part, mark) === true))
  const inner = parts.map(([part]) => part).filter(hasFields)
  const fresh = trail.length < MAX_DEPTH ? inner.filter((part) => !trail.includes(part)) : []
  const places = fresh.flatMap((part) => innerPlaces(root, part, { path, name, marks, trail: [...trail, part] }))
  const state = findState(schema, parts, { isCut: fresh.length < inner.length, isDeep: trail.length === MAX_DEPTH })
  const isLeaf = places.length === 0 || parts.some(([part]) => allowsScalar(part))
  if (state !== null || isLeaf) fields.push({ path, name, notes: state === null ? marks : [...marks, state] })
  for (const place of places) visit(walk, place)
}

/** Returns why the fields of a value are not all listed; `null` if they are. */
function findState(
  schema: JsonSchema,
  parts: FieldParts,
  { isCut, isDeep }: { readonly isCut: boolean; readonly isDeep: boolean },
): string | null {
  if (isCut) return isDeep ? 'incomplete' : 'recursive'
  return isUndescribed(schema, parts) ? 'undescribed' : null
}

/** Returns the properties and items of a part of a schema. */
function innerPlaces(root: JsonSchema, part: SchemaObject, at: Omit<SurfacePlace, 'schema'>): SurfacePlace[] {
  const prefix = at.path === '' ? '' : `${at.path}.`
  const named = namedMembers(root, part).map(([name, schema]) => {
    return { ...at, schema, path: prefix + formatName(name), name }
  })
  const rest = otherMembers(root, part)
  const others = [
    ...(rest === undefined ? [] : [rest]),
    ...schemasByKey(part, 'patternProperties').map(([, each]) => each),
  ]
  const items = [ownValue(part, 'items'), ...listSchemas(part, 'prefixItems')].filter(isSchemaValue)
  return [
    ...named,
    ...others.map((schema) => ({ ...at, schema, path: `${prefix}*`, name: '*' })),
    ...items.map((schema) => ({ ...at, schema, path: `${at.path}[]` })),
  ]
}

function isSchemaValue(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value)
}

const OF_OBJECTS = ['properties', 'additionalProperties', 'patternProperties']
const OF_ARRAYS = ['items', 'prefixItems']

function hasFields(part: SchemaObject): boolean {
  return [...OF_OBJECTS, ...OF_ARRAYS].some((keyword) => Object.hasOwn(part, keyword))
}

/** Whether a part accepts a value without fields: a string, a number or a boolean. */
function allowsScalar(part: SchemaObject): boolean {
  if (Object.hasOwn(part, 'const') || Object.hasOwn(part, 'enum')) return true
  return listTypes(part).some((type) => type !== 'object' && type !== 'array' && type !== 'null')
}

function listTypes(part: SchemaObject): readonly unknown[] {
  const type = ownValue(part, 'type')
  return typeof type === 'string' ? [type] : ownList(part, 'type')
}

type FieldParts = readonly (readonly [part: SchemaObject, isSure: boolean])[]

/** Whether a schema accepts values that it does not describe. One such part of a union is enough; otherwise no part may describe them. */
function isUndescribed(schema: JsonSchema, parts: FieldParts): boolean {
  if (schema === true) return true
  const open = parts.filter(([part]) => !describes(part))
  return open.length === parts.length || open.some(([, isSure]) => !isSure)
}

/** Keywords that combine other schemas, whose own parts are read instead. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum', 'not']

/** Whether a part describes its values. An object needs its properties, and an array its items. */
function describes(part: SchemaObject): boolean {
  if (hasFields(part) || COMBINING.some((keyword) => Object.hasOwn(part, keyword))) return true
  const types = listTypes(part)
  return types.length > 0 && !types.includes('object') && !types.includes('array')
}
