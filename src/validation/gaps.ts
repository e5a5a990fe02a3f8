/** Marks of values that JSON Schema cannot express. The conversion of a schema leaves them in its result. */
import { isObject, isRecord, ownEntries, ownList, ownValue, type UnknownRecord } from '../values/objects.js'
import { FlaggedPatterns } from './flagged-patterns.js'
import {
  mapParts,
  NAMED_KEYWORDS,
  VALUE_KEYWORDS,
  type JsonSchema,
  type SchemaObject,
  type SchemaSide,
} from './json-schema.js'

/**
 * Kinds of values that JSON Schema cannot express: `undefined` (`never`), a value whose JSON form is a scalar, the result of a function, or
 * any other value, such as an instance of a class.
 */
export type GapKind = 'never' | 'scalar' | 'result' | 'value'
/** The places of a JSON Schema that the library could not describe. Each is a schema without keywords. */
export type SchemaGaps = ReadonlyMap<JsonSchema, GapKind>

/** Keyword of a mark. A string, because libraries may copy their result. */
const MARK = 'x-verbena-gap'
const DATE: SchemaObject = { type: 'string', format: 'date-time' }
/** Kinds by the type of a schema in its library. */
const KINDS: ReadonlyMap<unknown, GapKind> = new Map<unknown, GapKind>([
  ...(['undefined', 'void'] as const).map((type) => [type, 'never'] as const),
  ...(['bigint', 'symbol', 'nan', 'date', 'literal', 'picklist', 'enum'] as const).map(
    (type) => [type, 'scalar'] as const,
  ),
  ...(['custom', 'function', 'map', 'set'] as const).map((type) => [type, 'value'] as const),
  ['transform', 'result'],
])
const ANYTHING: ReadonlySet<unknown> = new Set(['any', 'unknown'])
/** Steps of kind `transformation` that do not change the value. */
const UNCHANGED: ReadonlySet<unknown> = new Set(['readonly', 'brand', 'flavor'])

/** Options of one conversion. A library calls some of these functions, and ignores the others. */
export class GapMarks {
  readonly #side: SchemaSide
  readonly #isAccepted: boolean
  readonly #patterns = new FlaggedPatterns()
  #count = 0
  /** Whether the result lacks a value or a condition. */
  isIncomplete = false
  /** Whether the library has called a function, so that each gap has a mark. */
  isMarked = false

  /** @param isAccepted whether a value that a function of the schema reads first, as for a coercion, is described as anything */
  constructor(schema: object, side: SchemaSide, isAccepted: boolean) {
    this.#patterns.addJson(schema)
    this.#side = side
    this.#isAccepted = isAccepted
  }

  /** Options with which libraries fail if JSON Schema cannot express a schema. */
  get strictOptions(): UnknownRecord {
    return {
      fallback: { default: (gap: unknown) => this.#fillStrictly(gap) },
      override: (step: unknown) => this.#readDefinition(step),
    }
  }

  get lenientOptions(): UnknownRecord {
    return {
      ...{ unrepresentable: 'any', errorMode: 'ignore' },
      fallback: { default: (gap: unknown) => this.#fill(gap) },
      override: (step: unknown) => this.#override(step),
      overrideSchema: (step: unknown) => this.#replaceSchema(step),
      overrideAction: (step: unknown) => this.#replaceAction(step),
    }
  }

  /** Returns the result of the conversion without its marks and without patterns that have flags. */
  read(converted: JsonSchema): { readonly schema: JsonSchema; readonly gaps: SchemaGaps } {
    const gaps = new Map<JsonSchema, GapKind>()
    const schema = this.#patterns.hide(converted)
    return { schema: this.#count === 0 ? schema : readMarks(schema, gaps), gaps }
  }

  #mark(kind: GapKind): SchemaObject {
    this.#count++
    if (kind !== 'never') this.isIncomplete = true
    return { [MARK]: kind }
  }

  #date(): SchemaObject {
    return this.#side === 'output' ? DATE : this.#mark('scalar')
  }

  #fillStrictly(gap: unknown): unknown {
    const filled = this.#fillKnown(gap)
    if (filled !== undefined) return filled.value
    throw new Error(`JSON Schema cannot express "${String(Object(gap).code)}"`)
  }

  #fill(gap: unknown): unknown {
    this.isMarked = true
    const filled = this.#fillKnown(gap)
    if (filled !== undefined) return filled.value
    const isScalar = ['domain', 'unit', 'date'].includes(String(Object(gap).code))
    return this.#mark(isScalar ? 'scalar' : 'value')
  }

  /** Returns the replacement of a gap that can be described; `undefined` for others. Omits a check that JSON Schema cannot express. */
  #fillKnown(gap: unknown): { readonly value: unknown } | undefined {
    const { code, base, unit, elements } = isObject(gap) ? gap : {}
    if (code === 'defaultValue') return { value: undefined }
    if (code === 'date' && this.#side === 'output') return { value: { ...Object(base), ...DATE } }
    if (code === 'unit' && unit === undefined) return { value: this.#mark('never') }
    if (!isRecord(base) || Object.keys(base).length === 0) return undefined
    if (code !== 'arrayPostfix' || !Array.isArray(elements)) return { value: base }
    // JSON Schema describes only the first and the other items of an array. So each of the others may be one of the last.
    return { value: { ...base, items: { anyOf: [base['items'], ...elements] } } }
  }

  /** Changes `jsonSchema` in place. Called for each schema, after its inner schemas. */
  #override(step: unknown): void {
    const { jsonSchema, def } = this.#readDefinition(step) ?? {}
    if (jsonSchema === undefined || def === undefined) return
    this.isMarked = true
    const { type } = def
    if (this.#isAccepted && readsAnything(def)) return clear(jsonSchema)
    if (!isBare(jsonSchema)) return
    if (type === 'date') Object.assign(jsonSchema, this.#date())
    const kind = isUndefined(def) ? 'never' : KINDS.get(type)
    if (type !== 'date' && kind !== undefined) Object.assign(jsonSchema, this.#mark(kind))
  }

  /** Returns the schema and the definition in a step, and changes what every conversion of the definition lacks. */
  #readDefinition(
    step: unknown,
  ): { readonly jsonSchema: Record<string, unknown>; readonly def: UnknownRecord } | undefined {
    const { jsonSchema } = Object(step)
    // Without a copy of the step, because a conversion has a step for each of its schemas.
    const found = Object.values(Object(step)).find(
      (part) => part !== jsonSchema && isObject(part) && isObject(part['def']),
    )
    if (!isRecord(jsonSchema) || !isObject(found)) return undefined
    const def: UnknownRecord = Object(found['def'])
    this.#patterns.addChecks(def)
    // JSON has no undefined, so the names that a schema lists can be missing if their value is optional.
    const value = Object(Object(def['valueType'])['_zod'])
    const isOptional = this.#side === 'output' && value.optout === 'optional'
    if (isOptional || ANYTHING.has(Object(value.def).type)) Reflect.deleteProperty(jsonSchema, 'required')
    return { jsonSchema, def }
  }

  #replaceSchema(step: unknown): SchemaObject | undefined {
    this.isMarked = true
    const { jsonSchema, errors, ...others } = Object(step)
    if (errors === undefined || !isRecord(jsonSchema)) return undefined
    const { type } = readPart(others)
    if (type === 'date') return this.#date()
    if (isBare(jsonSchema)) return this.#mark(KINDS.get(type) ?? 'value')
    this.isIncomplete = true
    return undefined
  }

  // A library that ignores a transformation describes the value before it instead of its result, and projection would drop members that
  // the transformation adds.
  #replaceAction(step: unknown): SchemaObject | undefined {
    this.isMarked = true
    const { jsonSchema, errors, ...others } = Object(step)
    if (errors === undefined || !isRecord(jsonSchema)) return undefined
    const { kind, type, requirement } = readPart(others)
    if (type === 'regex') return this.#addPattern(jsonSchema, requirement)
    if (kind === 'transformation') return UNCHANGED.has(type) ? jsonSchema : this.#mark('result')
    this.isIncomplete = true
    return undefined
  }

  /** Adds a pattern of a library that rejects flags, and a second pattern. */
  #addPattern(jsonSchema: SchemaObject, pattern: unknown): SchemaObject {
    const { source } = Object(pattern)
    this.#patterns.add(pattern)
    if (jsonSchema['pattern'] === source) return jsonSchema
    return { ...jsonSchema, allOf: [...ownList(jsonSchema, 'allOf'), { pattern: source }] }
  }
}

/** Returns the schema or step of a library among the values that it passes. */
function readPart(parts: UnknownRecord): UnknownRecord {
  return Object(Object.values(parts).find((part) => isObject(part) && typeof part['kind'] === 'string'))
}

function isUndefined({ type, values }: UnknownRecord): boolean {
  return KINDS.get(type) === 'never' || (type === 'literal' && Array.isArray(values) && values[0] === undefined)
}

/** Whether a function of a schema reads the value before its type is known: a coercion, or a pipe that starts with a function. */
function readsAnything(def: UnknownRecord): boolean {
  const { type, coerce, in: first } = def
  return coerce === true || type === 'transform' || (isObject(first) && Object(first['def']).type === 'transform')
}

function clear(record: Record<string, unknown>): void {
  for (const key of Object.keys(record)) delete record[key]
}

/** Keywords that do not constrain values. */
const WORDS: ReadonlySet<string> = new Set(
  '$schema $id $defs title description default examples deprecated readOnly writeOnly'.split(' '),
)

/** Whether a schema has no keyword that constrains values. */
export function isBare(schema: JsonSchema): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).every((keyword) => WORDS.has(keyword)))
}

const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf'])

/** Returns a schema without marks. Branches without a JSON value are removed, and members that may be one are not required. */
function readMarks(schema: JsonSchema, gaps: Map<JsonSchema, GapKind>): JsonSchema {
  if (!isRecord(schema)) return schema
  const { [MARK]: kind, ...rest } = schema
  if (kind === 'never') return { not: {} }
  const entries = Object.entries(rest).map(([keyword, value]) => [keyword, readKeyword(keyword, value, gaps)] as const)
  const read: Record<string, unknown> = Object.fromEntries(entries)
  if (Object.hasOwn(read, 'required')) read['required'] = expressibleNames(schema)
  // Proof: only this file writes the keyword.
  if (kind !== undefined) gaps.set(read, kind as GapKind)
  return read
}

function readKeyword(keyword: string, value: unknown, gaps: Map<JsonSchema, GapKind>): unknown {
  const isUnion = UNIONS.has(keyword) && Array.isArray(value)
  const expressible = isUnion ? value.filter((each) => !isNeverMark(each)) : value
  return mapParts(keyword, expressible, (part) => (isRecord(part) ? readMarks(part, gaps) : part))
}

function isNeverMark(part: unknown): boolean {
  return isRecord(part) && part[MARK] === 'never'
}

function expressibleNames(schema: SchemaObject): readonly unknown[] {
  const members = ownEntries(schema, 'properties')
  const missing = new Set<unknown>(members.filter(([, member]) => mayBeNever(member)).map(([name]) => name))
  const isOtherMissing = mayBeNever(ownValue(schema, 'additionalProperties'))
  const named = new Set<unknown>(members.map(([name]) => name))
  return ownList(schema, 'required').filter((name) => !missing.has(name) && (!isOtherMissing || named.has(name)))
}

function mayBeNever(member: unknown): boolean {
  if (isNeverMark(member)) return true
  return isRecord(member) && [...UNIONS].some((union) => ownList(member, union).some(isNeverMark))
}

/** Returns the gaps of a JSON Schema whose library leaves no marks: all schemas without keywords. */
export function findBare(root: JsonSchema): SchemaGaps {
  const gaps = new Map<JsonSchema, GapKind>()
  const seen = new Set<unknown>()
  const visit = (schema: unknown): void => {
    if (!isRecord(schema) || seen.has(schema)) return
    seen.add(schema)
    if (isBare(schema)) gaps.set(schema, 'value')
    for (const part of Object.entries(schema).flatMap(([keyword, value]) => keywordParts(keyword, value))) visit(part)
  }
  visit(root)
  return gaps
}

function keywordParts(keyword: string, value: unknown): readonly unknown[] {
  if (VALUE_KEYWORDS.has(keyword)) return []
  return NAMED_KEYWORDS.includes(keyword) && isObject(value) ? Object.values(value) : [value].flat()
}
