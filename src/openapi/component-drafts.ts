/** Drafts of components. They are collected while the document is built, and named when all of them are known. */
import type { JsonSchema, SchemaObject, SchemaSide } from '../validation/json-schema.js'
import { isObject } from '../values/objects.js'
import { compareNames, freeName, joinedName, nameByUse, nameOfAll, type Use } from './schema-names.js'

/** A component that has no final name yet. */
export interface Draft {
  /** Name that the schema itself declares. */
  readonly own: string | undefined
  /** Name of the closest enclosing schema that has one; used if `own` is missing. */
  readonly within: string | undefined
  /** Keys that lead to the schema from `within`, or from its use; joined to one name. */
  readonly key: string
  /** Uses of the schema that contains it. Complete only when the document is. */
  readonly uses: readonly Use[]
  readonly side: SchemaSide
  /** Equal drafts are merged if they have the same group: the declared name, or the schema that contains them. */
  readonly group: unknown
  /** Complete when the schema has been read. A recursive schema refers to the draft before that. */
  content: SchemaObject
  isUsed: boolean
}

const PLACE = '#/components/schemas/'

export class Drafts {
  readonly #drafts: Draft[] = []
  readonly #references = new Map<Record<string, unknown>, Draft>()

  add(draft: Draft): Draft {
    this.#drafts.push(draft)
    return draft
  }

  /** Returns a reference to a component, with additional keywords. */
  refTo(draft: Draft, beside: SchemaObject): SchemaObject {
    draft.isUsed = true
    const reference = { $ref: PLACE, ...beside }
    this.#references.set(reference, draft)
    return reference
  }

  /** Names all components that a document uses, and completes the references to them. Equal drafts become one component. */
  finish(document: unknown, reserved: readonly string[]): Record<string, JsonSchema> {
    const needed = new Set<Draft>()
    this.#visit(document, needed)
    const used = this.#drafts.filter((draft) => needed.has(draft))
    const first = firstOfSame(used, this.#references)
    const names = assignNames(this.#wantedNames(first), reserved)
    for (const [reference, draft] of this.#references) {
      const one = first.get(draft)
      const name = one && names.get(one)
      if (name !== undefined) Object.assign(reference, { $ref: PLACE + name })
      else if (one !== undefined) showInPlace(reference, one.content)
    }
    return Object.fromEntries([...names].map(([draft, name]) => [name, draft.content] as const).toSorted(compareNames))
  }

  /** Chooses names. A schema without a name that several routes return is inlined instead, unless it is recursive. */
  #wantedNames(first: ReadonlyMap<Draft, Draft>): ReadonlyMap<Draft, string> {
    const uses = new Map<Draft, readonly Use[]>()
    for (const [draft, one] of first) uses.set(one, [...(uses.get(one) ?? []), ...draft.uses])
    return new Map(
      [...uses].flatMap(([draft, all]) => {
        const { own, within, key } = draft
        const base = within ?? nameByUse(all) ?? (this.#leadsToItself(draft, first) ? nameOfAll(all) : undefined)
        const preferredName = own ?? (base && key ? joinedName(base, key) : base)
        return preferredName === undefined ? [] : [[draft, preferredName] as const]
      }),
    )
  }

  /** Whether a draft refers to itself, or to one that is merged into it. */
  #leadsToItself(draft: Draft, first: ReadonlyMap<Draft, Draft>): boolean {
    const below = new Set<Draft>()
    this.#visit(draft.content, below)
    return [...below].some((each) => first.get(each) === draft)
  }

  /** Collects the drafts that a value refers to. Schemas that the document omits, such as unknown path parameters, need no components. */
  #visit(value: unknown, needed: Set<Draft>): void {
    if (!isObject(value)) return
    const draft = this.#references.get(value)
    if (draft !== undefined && !needed.has(draft)) {
      needed.add(draft)
      this.#visit(draft.content, needed)
    }
    for (const member of Object.values(value)) this.#visit(member, needed)
  }
}

/** Replaces a reference by its schema. */
function showInPlace(reference: Record<string, unknown>, content: SchemaObject): void {
  delete reference['$ref']
  const isPlain = Object.keys(reference).length === 0 && !Object.hasOwn(content, '$ref')
  Object.assign(reference, isPlain ? content : { allOf: [content] })
}

/** Makes names unique, with the side as a suffix, or with a number. */
function assignNames(wanted: ReadonlyMap<Draft, string>, reserved: readonly string[]): ReadonlyMap<Draft, string> {
  const takenNames = new Set(reserved)
  const wanting = new Map<string, Draft[]>()
  for (const [draft, name] of wanted) wanting.set(name, [...(wanting.get(name) ?? []), draft])
  return new Map(
    [...wanting].flatMap(([name, rivals]) => {
      const isSplit = new Set(rivals.map(({ side }) => side)).size > 1
      return rivals.map((draft) => [draft, freeName(isSplit ? name + SUFFIXES[draft.side] : name, takenNames)] as const)
    }),
  )
}

const SUFFIXES: Readonly<Record<SchemaSide, string>> = { input: 'Input', output: 'Output' }

type References = ReadonlyMap<object, Draft>
type ReferenceNumber = (reference: object) => number | undefined

/** Maps each draft to the first equal one. Treats all references as equal at first, and refines that until nothing changes. */
function firstOfSame(drafts: readonly Draft[], references: References): ReadonlyMap<Draft, Draft> {
  let first = deduplicate(drafts, (reference) => (references.has(reference) ? 0 : undefined))
  for (let count = 0; new Set(first.values()).size > count;) {
    const classes = [...new Set(first.values())]
    count = classes.length
    const numberOf = new Map(classes.map((draft, number) => [draft, number]))
    const numbers = new Map([...first].map(([draft, one]) => [draft, numberOf.get(one)]))
    first = deduplicate(drafts, (reference) => {
      const target = references.get(reference)
      return target && numbers.get(target)
    })
  }
  return first
}

function deduplicate(drafts: readonly Draft[], numberOf: ReferenceNumber): Map<Draft, Draft> {
  const groups = new Map<unknown, Map<string, Draft>>()
  const sizes = new Map<unknown, number>()
  for (const { group } of drafts) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  return new Map(
    drafts.map((draft) => {
      if (sizes.get(draft.group) === 1) return [draft, draft]
      const byText = groups.get(draft.group) ?? new Map<string, Draft>()
      groups.set(draft.group, byText)
      const text = JSON.stringify(comparable(draft.content, numberOf))
      const first = byText.get(text) ?? draft
      byText.set(text, first)
      return [draft, first]
    }),
  )
}

/** Sorts the keys of objects, because their order makes no difference. */
function comparable(value: unknown, numberOf: ReferenceNumber): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, numberOf))
  if (!isObject(value)) return value
  const number = numberOf(value)
  const reference = number === undefined ? value : { ...value, $ref: number }
  return Object.entries(reference)
    .map(([key, member]) => [key, comparable(member, numberOf)] as const)
    .toSorted(compareNames)
}
