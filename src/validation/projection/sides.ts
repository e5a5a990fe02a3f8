/**
 * Compares the two sides of a response schema. Where the output is not described, the input side projects the value of the method before
 * its validation.
 *
 * @see docs/decisions/0049-undescribed-output.md
 */
import { isObject, isRecord } from '../../values/objects.js'
import type { Description } from '../describe-schema.js'
import { isBare, type GapKind, type SchemaGaps } from '../gaps.js'
import {
  collectSchemas,
  findUnions,
  intersectedSchemas,
  isJsonSchema,
  isPlainScalar,
  listSchemas,
  plainMembers,
  NAMED_KEYWORDS,
  resolveReference,
  schemasByKey,
  type JsonSchema,
  type SchemaObject,
} from '../json-schema.js'
import { describesItems, describesMembers } from './structures.js'

/** In place of a schema that neither side describes: only values whose JSON form is a scalar are sent. */
export const UNDESCRIBED: SchemaObject = { type: ['string', 'number', 'boolean', 'null'] }
/** In place of an input that JSON Schema cannot express: the function of the schema reads it, but may not return it. */
export const HELD: SchemaObject = { description: 'Read by a function of the schema' }

/** A place of a response that the output side does not describe. */
export interface OpenPlace {
  /** Names of properties, such as `/owner` or `/items/*`; `''` for the whole response. */
  readonly place: string
  /** Whether an object at this place is a 500. Otherwise it is sent whole. */
  readonly isRejected: boolean
}

export interface Sides {
  /** JSON Schema by which values are projected before their validation; `undefined` if they are not. */
  readonly before: JsonSchema | undefined
  /** JSON Schema by which values are projected that are not validated, in addition to `after`. */
  readonly unvalidated: JsonSchema
  /** JSON Schema by which values are projected after their validation. */
  readonly after: JsonSchema
  readonly places: readonly OpenPlace[]
}

interface DescribedSide {
  readonly schema: JsonSchema
  readonly gaps: SchemaGaps
}

/** Describes the input side; `isAccepted` as in `describeSchema`. */
type DescribeInput = (isAccepted: boolean) => Pick<Description, 'schema' | 'gaps'>

/** Calls `describeInput` only if the output has a place without a description. */
export function compareSides(schema: JsonSchema, gaps: SchemaGaps, describeInput: DescribeInput): Sides {
  if (describesAll(schema, new Set())) return { before: undefined, unvalidated: true, after: schema, places: [] }
  const accepted = toSide(describeInput(true))
  const { isProjectedBefore, after, places } = new Comparison({ schema, gaps }, accepted)
  if (accepted === null || !isProjectedBefore) return { before: undefined, unvalidated: true, after, places }
  // In a union, an object belongs to a branch that describes objects.
  const before = replaceGaps(accepted, (kind, isBranch) => (kind === 'scalar' || isBranch ? UNDESCRIBED : HELD))
  const unvalidated = replaceGaps(toSide(describeInput(false)) ?? accepted, () => UNDESCRIBED)
  return { before, unvalidated, after, places }
}

function toSide({ schema, gaps }: Pick<Description, 'schema' | 'gaps'>): DescribedSide | null {
  return schema === undefined ? null : { schema, gaps }
}

class Comparison {
  readonly #output: DescribedSide
  readonly #input: DescribedSide | null
  readonly #seen = new Map<JsonSchema, Set<string>>()
  readonly #places = new Map<string, OpenPlace>()
  /** Schemas of the output that neither side describes. */
  readonly #rejected = new Set<JsonSchema>()
  /** Schemas of the output that a function returns. */
  readonly #results = new Set<JsonSchema>()
  readonly #ids = new Map<JsonSchema, number>()
  isProjectedBefore = false

  constructor(output: DescribedSide, input: DescribedSide | null) {
    this.#output = output
    this.#input = input
    this.#visit(output.schema, input === null ? [] : [input.schema], '')
  }

  get places(): readonly OpenPlace[] {
    return [...this.#places.values()]
  }

  get after(): JsonSchema {
    return replaceSchemas(this.#output.schema, (part) => this.#replaceOutput(part))
  }

  /** @param inputs the schemas of the input side at the same place */
  #visit(schema: JsonSchema, inputs: readonly JsonSchema[], place: string): void {
    if (allowsAnything(schema)) return this.#judge(schema, inputs, place)
    if (typeof schema === 'boolean' || this.#isSeen(schema, inputs)) return
    for (const part of besideSchemas(this.#output.schema, schema)) this.#visit(part, inputs, place)
    const parts = this.#partsOf(inputs)
    for (const [key, member] of schemasByKey(schema, 'properties')) {
      this.#visit(
        member,
        parts.flatMap((part) => memberSchemas(part, key)),
        `${place}/${key}`,
      )
    }
    for (const rest of otherMemberSchemas(schema)) this.#visit(rest, parts.flatMap(otherMemberSchemas), `${place}/*`)
    for (const item of anyItemSchemas(schema)) this.#visit(item, parts.flatMap(anyItemSchemas), `${place}/*`)
  }

  /** A recursive schema is compared once with the same inputs. */
  #isSeen(schema: JsonSchema, inputs: readonly JsonSchema[]): boolean {
    const name = inputs.map((each) => this.#idOf(each)).join()
    const seen = this.#seen.get(schema) ?? new Set()
    if (seen.has(name)) return true
    this.#seen.set(schema, seen.add(name))
    return false
  }

  #idOf(schema: JsonSchema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  #judge(schema: JsonSchema, inputs: readonly JsonSchema[], place: string): void {
    const kind = this.#output.gaps.get(schema)
    const input = this.#inputState(inputs)
    const isRejected = kind === 'scalar' || (kind === 'value' && input !== 'described')
    // A place at which both sides accept anything is open on purpose.
    if (!isRejected && kind === undefined && input === 'open') return
    if (isRejected) this.#rejected.add(schema)
    else if (input !== 'open') this.isProjectedBefore = true
    if (!isRejected) this.#results.add(schema)
    const isOther = this.#places.get(place)?.isRejected === false
    this.#places.set(place, { place, isRejected: isRejected && !isOther })
  }

  /** Returns whether the input side describes a place, allows anything on purpose, or has a gap there. */
  #inputState(inputs: readonly JsonSchema[]): 'described' | 'open' | 'unknown' {
    if (this.#input === null) return 'open'
    const { schema, gaps } = this.#input
    // The function of a schema around it moves values to a place that its input does not have.
    if (inputs.length === 0) return allowsAnything(schema) && !gaps.has(schema) ? 'open' : 'unknown'
    const parts = this.#partsOf(inputs)
    const kinds = parts.map((part) => gaps.get(part))
    if (kinds.includes('value') || kinds.includes('result')) return 'unknown'
    const isAnything =
      inputs.includes(true) || parts.some((part, at) => kinds[at] === undefined && allowsAnything(part))
    return isAnything ? 'open' : 'described'
  }

  #partsOf(inputs: readonly JsonSchema[]): readonly SchemaObject[] {
    const root = this.#input?.schema ?? true
    return inputs.flatMap((each) => [...collectSchemas(root, each).keys()])
  }

  /** A part of an intersection that a function returns makes the whole intersection its result. */
  #replaceOutput(schema: SchemaObject): JsonSchema | undefined {
    if (this.#rejected.has(schema)) return UNDESCRIBED
    return listSchemas(schema, 'allOf').some((part) => this.#results.has(part)) ? {} : undefined
  }
}

/** Replaces the gaps of a description, and references to them. */
function replaceGaps(
  { schema: root, gaps }: DescribedSide,
  replace: (kind: GapKind, isBranch: boolean) => SchemaObject,
): JsonSchema {
  return replaceSchemas(root, (schema, isBranch) => {
    const target = resolveReference(root, schema)
    const kind = gaps.get(schema) ?? (target === undefined ? undefined : gaps.get(target))
    return kind === undefined ? undefined : replace(kind, isBranch)
  })
}

/** Whether a schema allows objects or arrays with anything inside. */
function allowsAnything(schema: JsonSchema): boolean {
  if (isBare(schema)) return true
  if (typeof schema === 'boolean' || Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return false
  const types: readonly unknown[] = [schema['type']].flat()
  const isFree =
    (types.includes('object') && !describesMembers(schema)) || (types.includes('array') && !describesItems(schema))
  return isFree && OTHERS.every((keyword) => !Object.hasOwn(schema, keyword))
}

/** Keywords by which a schema describes objects and arrays with other schemas. */
const OTHERS: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'dependentSchemas',
  'not',
]

/** Returns the schemas that describe the same value. */
function besideSchemas(root: JsonSchema, schema: SchemaObject): readonly JsonSchema[] {
  const conditional = [schema['then'], schema['else']].filter(isJsonSchema)
  const dependent = schemasByKey(schema, 'dependentSchemas').map(([, part]) => part)
  return [...intersectedSchemas(root, schema), ...findUnions(schema).flat(), ...conditional, ...dependent]
}

function memberSchemas(schema: SchemaObject, key: string): readonly JsonSchema[] {
  const named = schemasByKey(schema, 'properties').filter(([name]) => name === key)
  return named.length > 0 ? named.map(([, member]) => member) : otherMemberSchemas(schema)
}

function otherMemberSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const rests = [schema['additionalProperties'], schema['unevaluatedProperties']].filter(isJsonSchema)
  return [...rests, ...schemasByKey(schema, 'patternProperties').map(([, member]) => member)]
}

function anyItemSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const rests = [schema['items'], schema['additionalItems'], schema['unevaluatedItems']].filter(isJsonSchema)
  return [...rests, ...listSchemas(schema, 'prefixItems'), ...listSchemas(schema, 'items')]
}

/** Keywords that contain one schema, or a list of schemas. */
const SINGLE = [
  ...['items', 'additionalItems', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties'],
  ...['if', 'then', 'else'],
]
const LISTED = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf']

/** Whether no place of a schema allows objects or arrays with anything inside. */
function describesAll(schema: JsonSchema, seen: Set<JsonSchema>): boolean {
  if (isPlainScalar(schema) || seen.has(schema)) return true
  const plain = plainMembers(schema)
  if (plain !== null) {
    seen.add(schema)
    return plain.every(([, member]) => describesAll(member, seen))
  }
  if (allowsAnything(schema)) return false
  if (typeof schema === 'boolean') return true
  seen.add(schema)
  return Object.entries(schema).every(([keyword, value]) =>
    keywordSchemas(keyword, value).every((part) => describesAll(part, seen)),
  )
}

function keywordSchemas(keyword: string, value: unknown): readonly JsonSchema[] {
  if (NAMED_KEYWORDS.includes(keyword)) return isObject(value) ? Object.values(value).filter(isJsonSchema) : []
  if (Array.isArray(value)) return LISTED.includes(keyword) ? value.filter(isJsonSchema) : []
  return SINGLE.includes(keyword) && isJsonSchema(value) ? [value] : []
}

type ReplaceSchema = (schema: SchemaObject, isBranch: boolean) => JsonSchema | undefined

/** Returns a copy of a schema, in which some schemas are replaced. References have the same targets. */
function replaceSchemas(schema: JsonSchema, replace: ReplaceSchema, isBranch = false): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const replacement = replace(schema, isBranch)
  if (replacement !== undefined) return replacement
  const read = (part: unknown, isOfUnion = false): unknown =>
    isJsonSchema(part) ? replaceSchemas(part, replace, isOfUnion) : part
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (NAMED_KEYWORDS.includes(keyword) && isRecord(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]))]
    }
    if (LISTED.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map((part) => read(part, keyword.endsWith('Of') && keyword !== 'allOf'))]
    }
    return [keyword, SINGLE.includes(keyword) ? read(value) : value]
  })
  return Object.fromEntries(entries)
}
