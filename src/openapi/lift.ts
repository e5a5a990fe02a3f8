/** Lifting: the definitions inside of a description become components, and its references lead to them. */
import type { JsonSchema, SchemaObject, Side } from '../validation/json-schema.js'
import { keysOf } from '../values/json-pointer.js'
import { own } from '../values/objects.js'
import { referenced } from '../validation/json-schema.js'
import type { Draft } from './draft.js'
import type { Drafts } from './drafts.js'
import { idOf, joinedName, ownName } from './naming.js'
import { isComposed, mapKeyword, type MapSchema } from './schema-walk.js'

/** A description that is lifted. */
export interface Description {
  /** The whole of it. */
  readonly root: JsonSchema
  readonly side: Side
  /** The schema that it describes; what has no name is the same only within one. */
  readonly owner: object
}

/** Takes a reference that leads nowhere. */
export type DanglingListener = (reference: string) => void

// What makes sense in a whole description only, and `id`, which JSON Schema does not know.
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['$schema', '$defs', 'definitions', '$id', 'id', '$anchor', '$dynamicAnchor', '$comment', '$ref'],
])
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
/** More would be a circle of references without anything in it. */
const MOST_HOPS = 20

/** Lifts one description. */
export class Lift {
  readonly #description: Description
  readonly #drafts: Drafts
  readonly #dangling: DanglingListener
  readonly #known = new Map<SchemaObject, Draft>()

  constructor(description: Description, drafts: Drafts, dangling: DanglingListener) {
    this.#description = description
    this.#drafts = drafts
    this.#dangling = dangling
  }

  /** Lifts the whole. */
  whole(name: string): JsonSchema {
    const { root } = this.#description
    const { target, key } = this.#targetOf(root)
    if (typeof target === 'boolean') return this.part(target, name)
    const draft = this.#draftOf(target, key, name)
    return draft.isUsed || draft.isOwn || isComposed(target) ? this.#drafts.refTo(draft, {}) : draft.content
  }

  /** Lifts one of the schemas inside. */
  part(schema: JsonSchema, name: string): JsonSchema {
    if (typeof schema === 'boolean') return schema ? {} : { not: {} }
    const kept = Object.entries(schema).filter(([keyword, value]) => !this.#isLeftOut(keyword, value))
    const inner: MapSchema = (part, key) => this.#inner(part, joinedName(name, key ?? ''))
    const copy = Object.fromEntries(kept.map(([keyword, value]) => [keyword, mapKeyword(keyword, value, inner)]))
    return this.#withReference(schema, copy, name)
  }

  #inner(schema: JsonSchema, name: string): JsonSchema {
    if (typeof schema === 'boolean' || idOf(schema) === undefined || !isComposed(schema)) return this.part(schema, name)
    return this.#drafts.refTo(this.#draftOf(schema, undefined, name), {})
  }

  // Answers never have more than is described, whatever a library says of it; and their clients must bear with more.
  #isLeftOut(keyword: string, value: unknown): boolean {
    if (LEFT_OUT.has(keyword)) return true
    if (keyword === 'additionalProperties') return value === false && this.#description.side === 'output'
    return keyword === 'required' && Array.isArray(value) && value.length === 0
  }

  #withReference(schema: SchemaObject, copy: SchemaObject, name: string): JsonSchema {
    const reference = own(schema, '$ref')
    if (typeof reference !== 'string') return copy
    if (!reference.startsWith('#')) return { $ref: reference, ...copy }
    const { target, key } = this.#targetOf({ $ref: reference })
    if (typeof target === 'object' && !Object.hasOwn(target, '$ref')) {
      return this.#drafts.refTo(this.#draftOf(target, key, name), copy)
    }
    if (typeof target === 'object') this.#dangling(reference)
    return copy
  }

  /** Where a schema that is nothing but a reference leads, and the key under which that is defined. */
  #targetOf(schema: JsonSchema): { target: JsonSchema; key: string | undefined } {
    let target = schema
    let key: string | undefined
    for (let hops = 0; hops < MOST_HOPS && isReference(target); hops++) {
      const next = referenced(this.#description.root, target)
      if (next === undefined) break
      key = definedAs(String(target['$ref']))
      target = next
    }
    return { target, key }
  }

  #draftOf(target: SchemaObject, key: string | undefined, name: string): Draft {
    const known = this.#known.get(target)
    if (known !== undefined) return known
    const { side, owner } = this.#description
    const draft = this.#drafts.add({ own: ownName(target, key), name, side, owner })
    this.#known.set(target, draft)
    Object.assign(draft.content, this.part(target, draft.name))
    return draft
  }
}

/** The key of a definition, from a reference to it. */
function definedAs(reference: string): string | undefined {
  const [place = '', key, ...further] = keysOf(reference)
  return DEFINITIONS.has(place) && further.length === 0 ? key : undefined
}

function isReference(schema: JsonSchema): schema is SchemaObject {
  if (typeof schema === 'boolean' || typeof schema['$ref'] !== 'string') return false
  return Object.keys(schema).every((key) => LEFT_OUT.has(key))
}
