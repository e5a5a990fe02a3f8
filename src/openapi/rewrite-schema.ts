/** Turns the definitions of a JSON Schema into components, and changes its references accordingly. */
import {
  isJsonSchema,
  isPlainScalar,
  resolveReference,
  listSchemas,
  type JsonSchema,
  type SchemaObject,
} from '../validation/json-schema.js'
import { FLAGGED_PATTERN } from '../validation/flagged-patterns.js'
import { parsePointer } from '../values/json-pointer.js'
import { isObject, ownValue } from '../values/objects.js'
import type { Draft, Drafts } from './component-drafts.js'
import { schemaId, joinedName, ownName, type Use } from './schema-names.js'

interface LiftParts {
  /** The JSON Schema that the library returned. */
  readonly root: JsonSchema
  readonly side: Draft['side']
  /** The schema that was converted. Components without a name are merged only within it. */
  readonly owner: object
  readonly drafts: Drafts
  /** Called with each reference that has no target. */
  readonly dangling: (reference: string) => void
  /** Called with each pattern that has flags, and is omitted. */
  readonly flagged: (pattern: string) => void
}

/** Keywords that make sense only in a complete document, and `id`, which is not a keyword. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['$schema', '$defs', 'definitions', '$id', 'id', '$anchor', '$dynamicAnchor', '$comment', '$ref'],
])
const DEFINITIONS = ['$defs', 'definitions']
/** Longer chains of references are treated as a cycle. */
const MAX_REFERENCES = 20

/** Position of a part: the name of the closest enclosing schema that has one, and the keys that lead from there to the part. */
interface SchemaLocation {
  readonly within: string | undefined
  readonly key: string
}

const TOP_LEVEL: SchemaLocation = { within: undefined, key: '' }

export class SchemaRewrite {
  readonly root: JsonSchema
  /** Uses of the schema. A schema without a name is named after them. */
  readonly uses: Use[] = []
  readonly #parts: LiftParts
  readonly #known = new Map<SchemaObject, Draft>()
  #top: SchemaLocation = TOP_LEVEL

  constructor(parts: LiftParts) {
    this.root = parts.root
    this.#parts = parts
  }

  /** Returns the complete schema. `name` is the name of a schema that declares none and is used everywhere. */
  whole(name?: string): SchemaObject {
    this.#top = { ...TOP_LEVEL, within: name }
    const { target, key } = this.#targetOf(this.root)
    if (typeof target === 'boolean') return this.#part(target, this.#top)
    const draft = this.#draftOf(target, key, this.#top)
    return draft.isUsed || draft.own !== undefined || isComposed(target)
      ? this.#parts.drafts.refTo(draft, {})
      : draft.content
  }

  /** Returns a part of the schema. `key` is the name of its property. */
  part(schema: JsonSchema, key: string = ''): SchemaObject {
    return this.#part(schema, { ...TOP_LEVEL, key })
  }

  #part(schema: JsonSchema, place: SchemaLocation): SchemaObject {
    if (typeof schema === 'boolean') return schema ? {} : { not: {} }
    if (isPlainScalar(schema) && !Object.entries(schema).some((entry) => this.#isLeftOut(...entry))) return schema
    const entries = Object.entries(schema).filter(([keyword, value]) => !this.#isLeftOut(keyword, value))
    const inner = (part: JsonSchema, key: string): JsonSchema =>
      isPlainScalar(part) ? this.#part(part, place) : this.#inner(part, { ...place, key: joinedName(place.key, key) })
    const copy = Object.fromEntries(entries.map(([keyword, value]) => [keyword, mapKeyword(keyword, value, inner)]))
    return this.#withReference(schema, copy, place)
  }

  #inner(schema: JsonSchema, place: SchemaLocation): SchemaObject {
    if (typeof schema === 'boolean' || schemaId(schema) === undefined || !isComposed(schema)) {
      return this.#part(schema, place)
    }
    return this.#parts.drafts.refTo(this.#draftOf(schema, undefined, place), {})
  }

  // Omits `additionalProperties: false` in responses, so that new properties do not break clients.
  #isLeftOut(keyword: string, value: unknown): boolean {
    if (LEFT_OUT.has(keyword)) return true
    if (keyword === FLAGGED_PATTERN) {
      this.#parts.flagged(String(value))
      return true
    }
    if (keyword === 'additionalProperties') return value === false && this.#parts.side === 'output'
    // Libraries write it for frozen values. In a request it means "do not send" (OpenAPI 3.1.1 section 4.8.24.1).
    if (keyword === 'readOnly') return this.#parts.side === 'input'
    return keyword === 'required' && Array.isArray(value) && value.length === 0
  }

  #withReference(schema: SchemaObject, copy: SchemaObject, place: SchemaLocation): SchemaObject {
    const reference = ownValue(schema, '$ref')
    if (typeof reference !== 'string') return copy
    const isForeign = !reference.startsWith('#') && resolveReference(this.root, schema) === undefined
    if (isForeign) return { $ref: reference, ...copy }
    const { target, key } = this.#targetOf({ $ref: reference })
    if (typeof target === 'object' && !hasReference(target)) {
      return this.#parts.drafts.refTo(this.#draftOf(target, key, place), copy)
    }
    if (typeof target === 'object') this.#parts.dangling(reference)
    return copy
  }

  /** Follows a schema that is only a reference. Returns its target, and the key of the target among the definitions. */
  #targetOf(schema: JsonSchema): { target: JsonSchema; key: string | undefined } {
    let target = schema
    let key: string | undefined
    for (let hops = 0; hops < MAX_REFERENCES && isReference(target); hops++) {
      const next = resolveReference(this.root, target)
      if (next === undefined) break
      key = definedAs(String(target['$ref']))
      target = next
    }
    return { target, key }
  }

  #draftOf(target: SchemaObject, key: string | undefined, place: SchemaLocation): Draft {
    const rewritten = this.#known.get(target)
    if (rewritten !== undefined) return rewritten
    const { side, owner, drafts } = this.#parts
    const name = ownName(target, key)
    // The root schema keeps its name, even if a part references it first.
    const at = target === this.#targetOf(this.root).target ? this.#top : place
    const draft = drafts.add({
      own: name,
      ...at,
      uses: this.uses,
      group: name ?? owner,
      side,
      content: {},
      isUsed: false,
    })
    this.#known.set(target, draft)
    draft.content = this.#part(target, name === undefined ? at : { within: name, key: '' })
    return draft
  }
}

function definedAs(reference: string): string | undefined {
  const [place = '', key, ...further] = parsePointer(reference)
  return DEFINITIONS.includes(place) && further.length === 0 ? key : undefined
}

function isReference(schema: JsonSchema): schema is SchemaObject {
  if (typeof schema === 'boolean' || typeof schema['$ref'] !== 'string') return false
  return Object.keys(schema).every((key) => LEFT_OUT.has(key))
}

/** Keywords with schemas inside (JSON Schema 2020-12, core section 10 and content section 8). */
const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas']
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
/** Keywords that keep `false`, because tools understand it here. Elsewhere it becomes `{ not: {} }`. */
const CLOSING_KEYWORDS = ['items', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']
const SINGLE_SCHEMA_KEYWORDS = [
  ...CLOSING_KEYWORDS,
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]

/** The key is the name of the property that has the schema; `''` for other schemas. */
type MapSchema = (schema: JsonSchema, key: string) => JsonSchema

/** Maps the schemas inside a keyword. Does not change data (`default`, `enum`, `examples`), even if it looks like a schema. */
function mapKeyword(keyword: string, value: unknown, map: MapSchema): unknown {
  const mapOne = (inner: unknown, key = ''): unknown => (isJsonSchema(inner) ? map(inner, key) : inner)
  if (Array.isArray(value)) return SCHEMA_LIST_KEYWORDS.includes(keyword) ? value.map((item) => mapOne(item)) : value
  if (SINGLE_SCHEMA_KEYWORDS.includes(keyword))
    return CLOSING_KEYWORDS.includes(keyword) && value === false ? value : mapOne(value)
  if (!SCHEMA_MAP_KEYWORDS.includes(keyword) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapOne(member, key)]))
}

/** Whether a schema becomes a component: it has properties, or alternatives that have properties or are references. */
function isComposed(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listSchemas(schema, keyword))
  return Object.hasOwn(schema, 'properties') || branches.some((branch) => isComposed(branch) || hasReference(branch))
}

function hasReference(schema: JsonSchema): boolean {
  return typeof schema === 'object' && Object.hasOwn(schema, '$ref')
}
