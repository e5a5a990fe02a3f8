/** What kinds of values JSON Schema allows, as far as text can become one of them. */
import { isJsonSchema, type JsonSchema, type SchemaObject } from './json-schema.js'
import { own, ownList } from '../values/objects.js'
import { joined, unionsOf } from './reference.js'

/** The kinds of values that a schema allows. */
export interface TextType {
  /** Text itself; then nothing is converted. */
  readonly text: boolean
  /** Integers. */
  readonly integer: boolean
  /** Any numbers. */
  readonly number: boolean
  /** `true` and `false`. */
  readonly truth: boolean
  /** The type of the items where lists are allowed. */
  readonly items: TextType | undefined
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

/** The kinds of values a schema allows, looking through `$ref`, `allOf`, `anyOf` and `oneOf`. */
export function textTypeOf(root: JsonSchema, schema: JsonSchema): TextType {
  return typeWithin({ root, path: new Set() }, schema)
}

/** Tells whether nothing is known of a type or of its items. */
export function hasGap(type: TextType): boolean {
  return type === ANY || (type.items !== undefined && hasGap(type.items))
}

interface Walk {
  readonly root: JsonSchema
  /** The schemas being looked into, so that recursive ones end. */
  readonly path: ReadonlySet<JsonSchema>
}

function typeWithin(walk: Walk, schema: JsonSchema): TextType {
  if (typeof schema === 'boolean' || walk.path.has(schema)) return ANY
  const inner: Walk = { root: walk.root, path: new Set(walk.path).add(schema) }
  const types = [
    literalType(schema),
    namedType(inner, schema),
    ...joined(walk.root, schema).map((part) => typeWithin(inner, part)),
    ...unionsOf(schema).map((branches) => branches.map((branch) => typeWithin(inner, branch)).reduce(either)),
  ]
  return types.reduce(both)
}

function literalType(schema: SchemaObject): TextType {
  const literals = Object.hasOwn(schema, 'const') ? [schema['const']] : ownList(schema, 'enum')
  return literals.length === 0 ? ANY : literals.map(typeOfLiteral).reduce(either)
}

function typeOfLiteral(literal: unknown): TextType {
  return KINDS.get(typeof literal) ?? NONE
}

function namedType(walk: Walk, schema: SchemaObject): TextType {
  const type = own(schema, 'type')
  if (type === undefined) return ANY
  const names: readonly unknown[] = Array.isArray(type) ? type : [type]
  return names
    .map((name) => (name === 'array' ? { ...NONE, items: itemType(walk, schema) } : (KINDS.get(name) ?? NONE)))
    .reduce(either, NONE)
}

// The places of a tuple are taken together: a place for text keeps its neighbours text.
function itemType(walk: Walk, schema: SchemaObject): TextType {
  const items = [...ownList(schema, 'prefixItems'), own(schema, 'items')].filter(isJsonSchema)
  const described = items.filter((item) => item !== false)
  return described.length === 0 ? ANY : described.map((item) => typeWithin(walk, item)).reduce(either)
}

function either(one: TextType, other: TextType): TextType {
  if (one === ANY || other === ANY) return ANY
  return {
    text: one.text || other.text,
    integer: one.integer || other.integer,
    number: one.number || other.number,
    truth: one.truth || other.truth,
    items: one.items && other.items ? either(one.items, other.items) : (one.items ?? other.items),
  }
}

function both(one: TextType, other: TextType): TextType {
  if (one === ANY) return other
  if (other === ANY) return one
  return {
    text: one.text && other.text,
    integer: one.integer && other.integer,
    number: one.number && other.number,
    truth: one.truth && other.truth,
    items: one.items && other.items ? both(one.items, other.items) : undefined,
  }
}
