/** What JSON Schema says of text, for a whole source by its keys; and text into such values: strictly, and never changing what is not understood. */
import { ownValue, ownEntries, ownList } from '../../values/objects.js'
import { isJsonSchema, joinReasons, collectSchemas, schemasBy, schemasIn, findUnions } from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import { findJsonShape, type JsonShape } from './json-shape.js'

export interface TextType {
  /** Text itself; then nothing is converted. */
  readonly text: boolean
  readonly integer: boolean
  readonly number: boolean
  /** `true` and `false`. */
  readonly truth: boolean
  readonly items: TextType | undefined
}

export interface TextMembers {
  readonly types: ReadonlyMap<string, TextType>
  /** The type of all other keys, where the description allows any. */
  readonly rest: TextType | undefined
  /** Members that text cannot express. */
  readonly json: ReadonlyMap<string, JsonShape>
  /** The same of all other keys. */
  readonly restJson: JsonShape | null
  /** True when the whole is a union, so that a key can mean one thing in one branch and another in the next. */
  readonly union: boolean
}

/** The type of a schema that says nothing of kinds: text stays, lists pass. */
export const ANY: TextType = { text: true, integer: true, number: true, truth: true, items: undefined }
const NONE: TextType = { text: false, integer: false, number: false, truth: false, items: undefined }
const KINDS: ReadonlyMap<unknown, TextType> = new Map([
  ['string', { ...NONE, text: true }],
  ['integer', { ...NONE, integer: true }],
  ['number', { ...NONE, integer: true, number: true }],
  ['boolean', { ...NONE, truth: true }],
])

/** Tells whether nothing is known of a type or of its items. */
export function hasGap(type: TextType): boolean {
  return type === ANY || (type.items !== undefined && hasGap(type.items))
}

/** Reads the members of a description, through `$ref`, `allOf`, `anyOf` and `oneOf`; undefined where it says nothing of them. */
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
  const patterns = schemasBy(part, 'patternProperties').map(([, schema]) => schema)
  return [...patterns, ownValue(part, 'additionalProperties')].filter(isJsonSchema).filter((schema) => schema !== false)
}

function isClosed(part: SchemaObject): boolean {
  return Object.hasOwn(part, 'properties') || ownValue(part, 'additionalProperties') === false
}

/** A schema, and those that are being looked into, so that recursive ones end. */
interface TypeWalk {
  readonly root: JsonSchema
  readonly path: readonly JsonSchema[]
}

// What holds for one key, put together as the schemas around it are: a list to be read like `allOf`.
function schemasOfKey({ root, path }: TypeWalk, schema: JsonSchema, key: string): readonly JsonSchema[] {
  if (typeof schema === 'boolean' || path.includes(schema)) return []
  const inner = { root, path: [...path, schema] }
  const ofUnion = (branches: readonly JsonSchema[]): readonly JsonSchema[] => {
    const schemas = branches.map((branch) => schemasOfKey(inner, branch, key)).filter((schemas) => schemas.length > 0)
    return schemas.length === 0 ? [] : [{ anyOf: schemas.map((allOf) => ({ allOf })) }]
  }
  return [
    ...schemasBy(schema, 'properties').flatMap(([name, member]) => (name === key ? [member] : [])),
    ...joinReasons(root, schema).flatMap((part) => schemasOfKey(inner, part, key)),
    ...findUnions(schema).flatMap(ofUnion),
  ]
}

/** The kinds of values a schema allows, looking through `$ref`, `allOf`, `anyOf` and `oneOf`. */
function typeWithin({ root, path }: TypeWalk, schema: JsonSchema): TextType {
  if (typeof schema === 'boolean' || path.includes(schema)) return ANY
  const inner = { root, path: [...path, schema] }
  const types = [
    literalType(schema),
    namedType(inner, schema),
    ...joinReasons(root, schema).map((part) => typeWithin(inner, part)),
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

// The places of a tuple are taken together: a place for text keeps its neighbours text.
function itemType(walk: TypeWalk, schema: SchemaObject): TextType {
  const items = [...schemasIn(schema, 'prefixItems'), ownValue(schema, 'items')].filter(isJsonSchema)
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

/** What a client sends under one key: text, or several texts in the order sent. */
export type TextValue = string | readonly string[]
const TRUTHS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }))
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Converts what was sent under one key. Text that is not exactly a value of the type stays text, for the validator to refuse. */
export function convertText(value: TextValue, type: TextType): unknown {
  if (type === ANY) return value
  if (typeof value === 'string') return convertOne(value, type)
  const { items } = type
  return items === undefined ? value : value.map((item) => convertText(item, items))
}

/** What was sent, where a list of one is the same as one text. */
export function unwrapType(value: TextValue): TextValue {
  return typeof value !== 'string' && value.length === 1 ? value.join() : value
}

/** Tells whether several values under one key are allowed. */
export function takesSeveral(type: TextType): boolean {
  return type === ANY || type.items !== undefined
}

/** The number or boolean that a text is, when nothing is known of what is wanted. */
export function parseScalar(text: string): boolean | number | undefined {
  return TRUTHS.get(text) ?? (INTEGER.test(text) ? parseInteger(text) : parseDecimal(text))
}

function convertOne(text: string, type: TextType): unknown {
  if (type.text) return text
  const scalar = scalarWithin(text, type)
  if (scalar !== undefined) return scalar
  const { items, integer, truth } = type
  return items !== undefined && !integer && !truth ? [convertText(text, items)] : text
}

function scalarWithin(text: string, type: TextType): boolean | number | undefined {
  const truth = type.truth ? TRUTHS.get(text) : undefined
  if (truth !== undefined) return truth
  if (type.number) return parseDecimal(text)
  return type.integer ? parseInteger(text) : undefined
}

// Adding 0 makes 0 of -0.
function parseInteger(text: string): number | undefined {
  const number = INTEGER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

function parseDecimal(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
