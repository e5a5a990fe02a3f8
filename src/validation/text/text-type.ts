/** Reads the types of keys from JSON Schema. */
import { ownValue, ownEntries, ownList } from '../../values/objects.js'
import {
  isJsonSchema,
  intersectedSchemas,
  collectSchemas,
  schemasByKey,
  listSchemas,
  findUnions,
} from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import { findJsonShape, type JsonShape } from './json-shape.js'

export interface TextType {
  /** Whether any string is allowed, so that nothing is converted. */
  readonly text: boolean
  readonly integer: boolean
  readonly number: boolean
  /** Whether `true` and `false` are allowed. */
  readonly truth: boolean
  readonly items: TextType | undefined
}

export interface TextMembers {
  readonly types: ReadonlyMap<string, TextType>
  /** Type of all other keys; `undefined` if they are not described. */
  readonly rest: TextType | undefined
  /** Members that strings cannot express. */
  readonly json: ReadonlyMap<string, JsonShape>
  /** JSON shape of all other keys; `null` if strings can express them. */
  readonly restJson: JsonShape | null
  /** Whether the schema has a union, so that a key can have different types in its branches. */
  readonly union: boolean
}

/** Unknown type: strings are not converted, and arrays are allowed. */
export const ANY: TextType = { text: true, integer: true, number: true, truth: true, items: undefined }
const NONE: TextType = { text: false, integer: false, number: false, truth: false, items: undefined }
const KINDS: ReadonlyMap<unknown, TextType> = new Map([
  ['string', { ...NONE, text: true }],
  ['integer', { ...NONE, integer: true }],
  ['number', { ...NONE, integer: true, number: true }],
  ['boolean', { ...NONE, truth: true }],
])

/** Whether a type or the type of its items is unknown. */
export function hasGap(type: TextType): boolean {
  return type === ANY || (type.items !== undefined && hasGap(type.items))
}

/** Reads the members of a schema, through `$ref`, `allOf`, `anyOf` and `oneOf`; `undefined` if it does not describe them. */
export function findTextMembers(root: JsonSchema): TextMembers | undefined {
  const parts = [...collectSchemas(root).keys()]
  const keys = new Set(parts.flatMap((part) => ownEntries(part, 'properties').map(([key]) => key)))
  const rests = parts.flatMap(restSchemas)
  if (keys.size === 0 && rests.length === 0 && !parts.some(isClosed)) return undefined
  const walk: TypeWalk = { root, path: [] }
  const members = [...keys].map((key) => [key, { allOf: schemasOfKey(walk, root, key) }] as const)
  return {
    types: new Map(members.map(([key, schema]) => [key, typeWithin(walk, schema)])),
    rest: rests.length === 0 ? undefined : typeWithin(walk, { anyOf: rests }),
    json: new Map(
      members.flatMap(([key, schema]) => {
        const shape = findJsonShape(root, schema)
        return shape === null ? [] : [[key, shape]]
      }),
    ),
    restJson: rests.length === 0 ? null : findJsonShape(root, { anyOf: rests }),
    union: parts.some((part) => findUnions(part).length > 0),
  }
}

function restSchemas(part: SchemaObject): readonly JsonSchema[] {
  const patterns = schemasByKey(part, 'patternProperties').map(([, schema]) => schema)
  return [...patterns, ownValue(part, 'additionalProperties')].filter(isJsonSchema).filter((schema) => schema !== false)
}

function isClosed(part: SchemaObject): boolean {
  return Object.hasOwn(part, 'properties') || ownValue(part, 'additionalProperties') === false
}

/** The root schema, and the schemas that are being read. A recursive schema ends when it is found in `path`. */
interface TypeWalk {
  readonly root: JsonSchema
  readonly path: readonly JsonSchema[]
}

// Returns the schemas of one key. They apply together like `allOf`; unions are preserved.
function schemasOfKey({ root, path }: TypeWalk, schema: JsonSchema, key: string): readonly JsonSchema[] {
  if (typeof schema === 'boolean' || path.includes(schema)) return []
  const inner = { root, path: [...path, schema] }
  const ofUnion = (branches: readonly JsonSchema[]): readonly JsonSchema[] => {
    const schemas = branches.map((branch) => schemasOfKey(inner, branch, key)).filter((schemas) => schemas.length > 0)
    return schemas.length === 0 ? [] : [{ anyOf: schemas.map((allOf) => ({ allOf })) }]
  }
  return [
    ...schemasByKey(schema, 'properties').flatMap(([name, member]) => (name === key ? [member] : [])),
    ...intersectedSchemas(root, schema).flatMap((part) => schemasOfKey(inner, part, key)),
    ...findUnions(schema).flatMap(ofUnion),
  ]
}

/** Returns the types that a schema allows, through `$ref`, `allOf`, `anyOf` and `oneOf`. */
function typeWithin({ root, path }: TypeWalk, schema: JsonSchema): TextType {
  if (typeof schema === 'boolean' || path.includes(schema)) return ANY
  const inner = { root, path: [...path, schema] }
  const types = [
    literalType(schema),
    namedType(inner, schema),
    ...intersectedSchemas(root, schema).map((part) => typeWithin(inner, part)),
    ...findUnions(schema).map((branches) => branches.map((branch) => typeWithin(inner, branch)).reduce(eitherType)),
  ]
  return types.reduce(bothTypes)
}

function literalType(schema: SchemaObject): TextType {
  const literals = Object.hasOwn(schema, 'const') ? [schema['const']] : ownList(schema, 'enum')
  return literals.length === 0 ? ANY : literals.map((literal) => KINDS.get(typeof literal) ?? NONE).reduce(eitherType)
}

function namedType(walk: TypeWalk, schema: SchemaObject): TextType {
  const type = ownValue(schema, 'type')
  if (type === undefined) return ANY
  const typeOf = (name: unknown): TextType =>
    name === 'array' ? { ...NONE, items: itemType(walk, schema) } : (KINDS.get(name) ?? NONE)
  return [type].flat().map(typeOf).reduce(eitherType, NONE)
}

// All positions of a tuple share one type. If one position is a string, no position is converted.
function itemType(walk: TypeWalk, schema: SchemaObject): TextType {
  const items = [...listSchemas(schema, 'prefixItems'), ownValue(schema, 'items')].filter(isJsonSchema)
  const described = items.filter((item) => item !== false)
  return described.length === 0 ? ANY : described.map((item) => typeWithin(walk, item)).reduce(eitherType)
}

function eitherType(one: TextType, other: TextType): TextType {
  if (one === ANY || other === ANY) return ANY
  const items = one.items && other.items ? eitherType(one.items, other.items) : (one.items ?? other.items)
  return combineTypes((kind) => one[kind] || other[kind], items)
}

function bothTypes(one: TextType, other: TextType): TextType {
  if (one === ANY) return other
  if (other === ANY) return one
  const items = one.items && other.items ? bothTypes(one.items, other.items) : undefined
  return combineTypes((kind) => one[kind] && other[kind], items)
}

function combineTypes(holds: (kind: Exclude<keyof TextType, 'items'>) => boolean, items: TextType['items']): TextType {
  return { text: holds('text'), integer: holds('integer'), number: holds('number'), truth: holds('truth'), items }
}
