/** Drafts of components: collected while the document is made, named when all are known. */
import type { JsonSchema, SchemaObject, Side } from '../validation/json-schema.js'
import { isObject } from '../values/objects.js'
import type { Draft } from './draft.js'
import { freeName } from './naming.js'
import { firstOfSame } from './same-drafts.js'

/** What a draft is made of. */
export interface DraftParts {
  /** The name that it has of its own. */
  readonly own: string | undefined
  /** The name that it gets otherwise. */
  readonly name: string
  readonly side: Side
  /** The schema it belongs to. */
  readonly owner: object
}

const PLACE = '#/components/schemas/'

/** The components of a document, while it is being made. */
export class Drafts {
  readonly #drafts: Draft[] = []
  readonly #references = new Map<object, Draft>()

  /** Adds a component. */
  add({ own, name, side, owner }: DraftParts): Draft {
    const isOwn = own !== undefined
    const draft: Draft = { name: own ?? name, isOwn, side, group: own ?? owner, content: {}, isUsed: false }
    this.#drafts.push(draft)
    return draft
  }

  /** Refers to a component. */
  refTo(draft: Draft, beside: SchemaObject): SchemaObject {
    draft.isUsed = true
    const reference = { $ref: PLACE, ...beside }
    this.#references.set(reference, draft)
    return reference
  }

  /**
   * Names all components that a document needs, and completes the references to them. Those that are the same become
   * one.
   */
  finish(document: unknown, reserved: readonly string[]): Record<string, JsonSchema> {
    const needed = new Set<Draft>()
    this.#visit(document, needed)
    const used = this.#drafts.filter((draft) => needed.has(draft))
    const first = firstOfSame(used, (reference) => this.#references.get(reference))
    const names = namesOf(new Set(first.values()), reserved)
    for (const [reference, draft] of this.#references) {
      const one = first.get(draft)
      if (one !== undefined) Object.assign(reference, { $ref: PLACE + String(names.get(one)) })
    }
    const schemas = [...names].map(([draft, name]) => [name, draft.content] as const)
    return Object.fromEntries(schemas.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** What was described but not shown in the end, such as parameters of a path that does not have them, needs no components. */
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

/** Where several want a name, the side tells them apart, or else a number. */
function namesOf(drafts: ReadonlySet<Draft>, reserved: readonly string[]): ReadonlyMap<Draft, string> {
  const taken = new Set(reserved)
  const wanting = new Map<string, Draft[]>()
  for (const draft of drafts) wanting.set(draft.name, [...(wanting.get(draft.name) ?? []), draft])
  return new Map(
    [...wanting].flatMap(([name, rivals]) => {
      const isSplit = new Set(rivals.map(({ side }) => side)).size > 1
      return rivals.map((draft) => [draft, freeName(isSplit ? name + SUFFIXES[draft.side] : name, taken)] as const)
    }),
  )
}

const SUFFIXES: Readonly<Record<Side, string>> = { input: 'Input', output: 'Output' }
