/** Finds out whether strings can express a value. Queries, headers, cookies and forms cannot express objects or arrays of arrays. */
import { isObject, ownValue, ownList } from '../../values/objects.js'
import {
  isJsonSchema,
  intersectedSchemas,
  listSchemas,
  findUnions,
  type JsonSchema,
  type SchemaObject,
} from '../json-schema.js'

/** Structure of a value that strings cannot express. */
export interface JsonShape {
  /** Whether the value is always an array, so that a single value is its only item. */
  readonly isList: boolean
  /** Whether the value can be an array. */
  readonly canBeList: boolean
}

/** The kinds of values that a schema allows. `texts` is an array of scalars, `list` any array. */
type Forms = Readonly<Record<'scalar' | 'texts' | 'list' | 'object', boolean>>

const ANY: Forms = { scalar: true, texts: true, list: true, object: true }
const NONE: Forms = { scalar: false, texts: false, list: false, object: false }
const OBJECT: Forms = { ...NONE, object: true }
const SCALAR: Forms = { ...NONE, scalar: true }

interface ShapeWalk {
  readonly root: JsonSchema
  readonly path: readonly JsonSchema[]
}

/** Returns the JSON shape of a schema; `null` if strings can express one of its values, or if no value matches. */
export function findJsonShape(root: JsonSchema, schema: JsonSchema): JsonShape | null {
  const { scalar, texts, list, object } = possibleForms({ root, path: [] }, schema)
  if (scalar || texts || (!list && !object)) return null
  return { isList: !object, canBeList: list }
}

function possibleForms({ root, path }: ShapeWalk, schema: JsonSchema): Forms {
  if (typeof schema === 'boolean' || path.includes(schema)) return ANY
  const inner = { root, path: [...path, schema] }
  const forms = [
    literalForms(schema),
    namedForms(inner, schema),
    ...intersectedSchemas(root, schema).map((part) => possibleForms(inner, part)),
    ...findUnions(schema).map((branches) => uniteForms(branches.map((branch) => possibleForms(inner, branch)))),
  ]
  return combineForms((kind) => forms.every((each) => each[kind]))
}

function literalForms(schema: SchemaObject): Forms {
  const literals = Object.hasOwn(schema, 'const') ? [schema['const']] : ownList(schema, 'enum')
  if (literals.length === 0) return ANY
  return uniteForms(
    literals.map((literal) =>
      Array.isArray(literal) ? arrayForms(literal.every(isScalarLiteral)) : literalForm(literal),
    ),
  )
}

function literalForm(literal: unknown): Forms {
  if (literal === null) return NONE
  return isScalarLiteral(literal) ? SCALAR : OBJECT
}

function isScalarLiteral(literal: unknown): boolean {
  return literal !== null && !isObject(literal)
}

function namedForms(walk: ShapeWalk, schema: SchemaObject): Forms {
  const type = ownValue(schema, 'type')
  if (type === undefined) return ANY
  const named = [type].flat().map((name) => {
    if (name === 'object') return OBJECT
    // No string is null, so a nullable object is JSON.
    if (name === 'null') return NONE
    return name === 'array' ? arrayForms(itemSchemas(schema).every((item) => possibleForms(walk, item).scalar)) : SCALAR
  })
  return uniteForms(named)
}

function arrayForms(areTexts: boolean): Forms {
  return { ...NONE, texts: areTexts, list: true }
}

function itemSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const positions = [...listSchemas(schema, 'prefixItems'), ...listSchemas(schema, 'items')]
  return [...positions, ownValue(schema, 'items')].filter(isJsonSchema)
}

function uniteForms(all: readonly Forms[]): Forms {
  return combineForms((kind) => all.some((each) => each[kind]))
}

function combineForms(holds: (kind: keyof Forms) => boolean): Forms {
  return { scalar: holds('scalar'), texts: holds('texts'), list: holds('list'), object: holds('object') }
}
