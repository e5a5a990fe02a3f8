/** Reads the types of keys from JSON Schema. */
import { ownValue, ownList } from '../../values/objects.js'
import {
  isJsonSchema,
  isPlainScalar,
  isScalar,
  intersectedSchemas,
  collectSchemas,
  schemasByKey,
  listSchemas,
  findUnions,
  namedMembers,
  otherMembers,
  plainMembers,
} from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import { FLAGGED_PATTERN } from '../flagged-patterns.js'
import { findJsonShape, type JsonShape } from './json-shape.js'

export interface TextType {
  /** Whether strings are allowed that are not literals. Then nothing is converted at first. */
  readonly text: boolean
  /** Whether all of these strings have a condition: a format, a pattern or a length. */
  readonly isConditional: boolean
  /** Literal strings, which are not converted. */
  readonly literals: ReadonlySet<string>
  readonly integer: boolean
  readonly number: boolean
  /** Whether `true` and `false` are allowed. */
  readonly truth: boolean
  /** Type of the items after `positions`; `undefined` if arrays are not allowed. */
  readonly items: TextType | undefined
  /** Types of the first items of a tuple. */
  readonly positions: readonly TextType[]
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

const NO_LITERALS: ReadonlySet<string> = new Set()
const NONE: TextType = {
  ...{ text: false, isConditional: false, literals: NO_LITERALS },
  ...{ integer: false, number: false, truth: false, items: undefined, positions: [] },
}
/** Unknown type: strings are not converted, and arrays are allowed. */
export const ANY: TextType = { ...NONE, text: true, integer: true, number: true, truth: true }
/** Type of a schema that has only conditions of strings. */
const CONDITION: TextType = { ...ANY, isConditional: true, items: ANY }
const STRING_CONDITIONS = ['format', 'pattern', FLAGGED_PATTERN, 'minLength', 'maxLength'] as const
const KINDS: ReadonlyMap<unknown, TextType> = new Map([
  ['string', { ...NONE, text: true }],
  ['integer', { ...NONE, integer: true }],
  ['number', { ...NONE, integer: true, number: true }],
  ['boolean', { ...NONE, truth: true }],
])

/** Whether a type or the type of an item is unknown. */
export function hasGap(type: TextType): boolean {
  return type === ANY || itemTypes(type).some(hasGap)
}

/** Whether only arrays are allowed. */
export function isListOnly({ text, literals, integer, truth, items }: TextType): boolean {
  return items !== undefined && !text && !integer && !truth && literals.size === 0
}

/** Returns the types of all items. */
export function itemTypes({ items, positions }: TextType): readonly TextType[] {
  return items === undefined ? positions : [...positions, items]
}

/** Reads the members of a schema, through `$ref`, `allOf`, `anyOf` and `oneOf`; `undefined` if it does not describe them. */
export function findTextMembers(root: JsonSchema): TextMembers | undefined {
  const plain = plainMembers(root)
  if (plain !== null)
    return readMembers(
      { root, path: [] },
      plain.map(([key, member]) => [key, { allOf: [member] }]),
    )
  const parts = [...collectSchemas(root).keys()]
  const keys = new Set(parts.flatMap((part) => namedMembers(root, part).map(([key]) => key)))
  const rests = parts.flatMap((part) => restSchemas(root, part))
  if (keys.size === 0 && rests.length === 0 && !parts.some(isClosed)) return undefined
  const walk: TypeWalk = { root, path: [] }
  const members = [...keys].map((key) => [key, { allOf: schemasOfKey(walk, root, key) }] as const)
  return {
    ...readMembers(walk, members),
    rest: rests.length === 0 ? undefined : settleType(typeWithin(walk, { anyOf: rests })),
    restJson: rests.length === 0 ? null : findJsonShape(root, { anyOf: rests }),
    union: parts.some((part) => findUnions(part).length > 0),
  }
}

type MergedMembers = readonly (readonly [key: string, schema: { readonly allOf: readonly JsonSchema[] }])[]

function readMembers(walk: TypeWalk, members: MergedMembers): TextMembers {
  return {
    types: new Map(members.map(([key, schema]) => [key, memberType(walk, schema)])),
    rest: undefined,
    json: new Map(
      members.flatMap(([key, schema]) => {
        if (schema.allOf.some(isScalar)) return []
        const shape = findJsonShape(walk.root, schema)
        return shape === null ? [] : [[key, shape]]
      }),
    ),
    restJson: null,
    union: false,
  }
}

const plainTypes = new Map<string, TextType>()

function memberType(walk: TypeWalk, schema: { readonly allOf: readonly JsonSchema[] }): TextType {
  const [only = true, another] = schema.allOf
  const isPlain =
    another === undefined && isPlainScalar(only) && !Object.hasOwn(only, 'const') && !Object.hasOwn(only, 'enum')
  if (!isPlain) return settleType(typeWithin(walk, schema))
  const name = `${String(only['type'])} ${isConditional(only)}`
  const type = plainTypes.get(name) ?? settleType(typeWithin(walk, schema))
  plainTypes.set(name, type)
  return type
}

function isConditional(schema: SchemaObject): boolean {
  return STRING_CONDITIONS.some((keyword) => Object.hasOwn(schema, keyword))
}

function restSchemas(root: JsonSchema, part: SchemaObject): readonly JsonSchema[] {
  const patterns = schemasByKey(part, 'patternProperties').map(([, schema]) => schema)
  return [...patterns, otherMembers(root, part)].filter(isJsonSchema).filter((schema) => schema !== false)
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
    ...namedMembers(root, schema).flatMap(([name, member]) => (name === key ? [member] : [])),
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
    isConditional(schema) ? CONDITION : ANY,
    ...intersectedSchemas(root, schema).map((part) => typeWithin(inner, part)),
    ...findUnions(schema).map((branches) => branches.map((branch) => typeWithin(inner, branch)).reduce(eitherType)),
  ]
  return types.reduce(bothTypes)
}

function literalType(schema: SchemaObject): TextType {
  const literals = Object.hasOwn(schema, 'const') ? [schema['const']] : ownList(schema, 'enum')
  return literals.length === 0 ? ANY : literals.map(typeOfLiteral).reduce(eitherType)
}

function typeOfLiteral(literal: unknown): TextType {
  return typeof literal === 'string' ? { ...NONE, literals: new Set([literal]) } : (KINDS.get(typeof literal) ?? NONE)
}

function namedType(walk: TypeWalk, schema: SchemaObject): TextType {
  const type = ownValue(schema, 'type')
  if (type === undefined) return ANY
  const typeOf = (name: unknown): TextType =>
    name === 'array' ? { ...NONE, ...arrayTypes(walk, schema) } : (KINDS.get(name) ?? NONE)
  return [type].flat().map(typeOf).reduce(eitherType, NONE)
}

function arrayTypes(walk: TypeWalk, schema: SchemaObject): Pick<TextType, 'items' | 'positions'> {
  const positions = listSchemas(schema, 'prefixItems').map((position) => typeWithin(walk, position))
  const items = ownValue(schema, 'items')
  if (items === false && positions.length > 0) return { items: NONE, positions }
  return { items: isJsonSchema(items) && items !== false ? typeWithin(walk, items) : ANY, positions }
}

/** Completes a combined type: any type if there are only conditions of strings, and no conversion if there are only literals. */
function settleType(type: TextType): TextType {
  if (type === ANY || type === CONDITION) return ANY
  const items = type.items && settleType(type.items)
  const isText = type.literals.size > 0 && !type.integer && !type.truth && items === undefined
  return { ...type, text: type.text || isText, items, positions: type.positions.map(settleType) }
}

function eitherType(one: TextType, other: TextType): TextType {
  if (isUnknown(one) || isUnknown(other)) return ANY
  return {
    ...combineKinds((kind) => one[kind] || other[kind]),
    isConditional: (one.isConditional || !one.text) && (other.isConditional || !other.text),
    literals: new Set([...one.literals, ...other.literals]),
    items: one.items && other.items ? eitherType(one.items, other.items) : (one.items ?? other.items),
    positions: combinePositions(one, other, eitherType),
  }
}

function bothTypes(one: TextType, other: TextType): TextType {
  if (one === ANY || one === other) return other
  if (other === ANY) return one
  return {
    ...combineKinds((kind) => one[kind] && other[kind]),
    isConditional: one.isConditional || other.isConditional,
    literals: new Set([...commonLiterals(one, other), ...commonLiterals(other, one)]),
    items: one.items && other.items ? bothTypes(one.items, other.items) : undefined,
    positions: one.items && other.items ? combinePositions(one, other, bothTypes) : [],
  }
}

function isUnknown(type: TextType): boolean {
  return type === ANY || type === CONDITION
}

function commonLiterals({ literals }: TextType, other: TextType): string[] {
  return [...literals].filter((literal) => other.text || other.literals.has(literal))
}

/** Combines the types of each position. In an array without a type for a position, the type of further items applies. */
function combinePositions(one: TextType, other: TextType, combine: typeof eitherType): readonly TextType[] {
  const longest = one.positions.length > other.positions.length ? one.positions : other.positions
  return longest.map((_, at) =>
    [one, other].flatMap(({ positions, items }) => positions[at] ?? items ?? []).reduce((a, b) => combine(a, b)),
  )
}

type KindFlags = Pick<TextType, 'text' | 'integer' | 'number' | 'truth'>

function combineKinds(holds: (kind: keyof KindFlags) => boolean): KindFlags {
  return { text: holds('text'), integer: holds('integer'), number: holds('number'), truth: holds('truth') }
}
