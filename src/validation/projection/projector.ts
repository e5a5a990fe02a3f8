/** Projection: of a validated value only what its JSON Schema describes is kept. Compiled once, run for each answer. */
import { isObject, toJsonValue, type BareRecord, type Known } from '../../values/objects.js'
import type { JsonSchema } from '../json-schema.js'
import { branchTests, type BranchTest } from './branch.js'
import { schemasOfItem, schemasOfMember, takeApart, type Leaf, type Parts } from './parts.js'

/** Keeps what a schema describes of a value; gives the same reference where nothing is dropped. */
export type Project = (value: unknown) => unknown
const keep: Project = (value) => value

interface Compiler {
  readonly root: JsonSchema
  readonly testOf: (schema: JsonSchema) => BranchTest
  readonly slots: Map<string, Slot>
  readonly names: Map<JsonSchema, string>
  /** How often the projection has entered a recursive schema and not yet left it. */
  depth: number
}

interface Slot {
  project: Project
  /** False while the schema is being compiled: then it refers to itself. */
  finished: boolean
}

// JSON.stringify gives up between 4,000 and 8,000 levels; a level takes up to eight frames here.
const MAX_DEPTH = 500

/** Prepares a projection; undefined when there is nothing to drop. It throws a RangeError for more than 500 levels of recursion. */
export function projector(root: JsonSchema): Project | undefined {
  const compiler: Compiler = { root, testOf: branchTests(root), slots: new Map(), names: new Map(), depth: 0 }
  const project = compile(compiler, [root])
  return project === keep ? undefined : project
}

function compile(compiler: Compiler, schemas: readonly JsonSchema[]): Project {
  const name = nameOf(compiler, schemas)
  const known = compiler.slots.get(name)
  if (known !== undefined) return known.finished ? known.project : recursive(compiler, known)
  const slot: Slot = { project: keep, finished: false }
  compiler.slots.set(name, slot)
  slot.project = compileParts(compiler, takeApart(compiler.root, schemas))
  slot.finished = true
  return slot.project
}

// The same schemas in any order have one name, so that recursion comes to an end.
function nameOf({ names }: Compiler, schemas: readonly JsonSchema[]): string {
  for (const schema of schemas) if (!names.has(schema)) names.set(schema, String(names.size))
  return [...new Set(schemas.map((schema) => names.get(schema)))].toSorted().join()
}

function recursive(compiler: Compiler, slot: Slot): Project {
  return (value) => {
    if (!isObject(value)) return value
    if (compiler.depth === MAX_DEPTH) {
      throw new RangeError(`Cannot project a value: it is nested more than ${MAX_DEPTH} times or contains itself`)
    }
    compiler.depth++
    try {
      return slot.project(value)
    } finally {
      compiler.depth--
    }
  }
}

// Schemas that hold together (`allOf`, `$ref`, branches of a union) describe together: where one says nothing, the others decide.
function compileParts(compiler: Compiler, parts: Parts): Project {
  const members = memberProjects(compiler, parts.leaves)
  const items = itemProjects(compiler, parts.leaves)
  const base = members === null && items === null ? keep : projectStructure(members, items)
  const unions = parts.unions.map((union) =>
    union.map((schema) => ({ schema, holds: compiler.testOf(schema), project: compile(compiler, [schema]) })),
  )
  const decisive = unions.filter((union) => union.some(({ project }) => project !== keep))
  return decisive.length === 0 ? base : unionProject(compiler, decisive, parts)
}

interface MemberProjects {
  /** The members that are kept whole, in the order of the description. */
  readonly kept: readonly string[]
  /** The projection of a member; undefined for one that is not described. */
  readonly of: (key: string) => Project | undefined
}

/** Returns `null` where all members are kept. */
function memberProjects(compiler: Compiler, leaves: readonly Leaf[]): MemberProjects | null {
  const rules = leaves.flatMap(({ members }) => members ?? [])
  if (rules.length === 0) return null
  // A member that no schema describes is dropped.
  const projectOf = (schemas: readonly JsonSchema[]): Project | undefined =>
    schemas.length === 0 ? undefined : compile(compiler, schemas)
  const keys = new Set(rules.flatMap(({ properties }) => [...properties.keys()]))
  const fields = new Map([...keys].map((key) => [key, projectOf(schemasOfMember(rules, key))]))
  const rest = projectOf(rules.map((rule) => rule.rest).filter((schema) => schema !== undefined))
  const isPatterned = rules.some(({ patterns }) => patterns.length > 0)
  const kept = [...keys].filter((key) => fields.get(key) === keep)
  if (!isPatterned && rest === keep && kept.length === keys.size) return null
  const other = isPatterned ? (key: string) => projectOf(schemasOfMember(rules, key)) : () => rest
  // A field is undefined where a rule says that it is never there.
  return { kept, of: (key) => fields.get(key) ?? (fields.has(key) ? undefined : other(key)) }
}

/** The projection of a list, by the position of an item. */
type ItemProjects = (index: number) => Project

/** Returns `null` where all items are kept. */
function itemProjects(compiler: Compiler, leaves: readonly Leaf[]): ItemProjects | null {
  const rules = leaves.flatMap(({ items }) => items ?? [])
  if (rules.length === 0) return null
  const length = Math.max(...rules.map((rule) => rule.first.length))
  const first = Array.from({ length }, (_, index) => compile(compiler, schemasOfItem(rules, index)))
  const rest = compile(compiler, schemasOfItem(rules, length))
  if (rest === keep && first.every((project) => project === keep)) return null
  return (index) => first[index] ?? rest
}

/** Projects records and lists as far as something is said of them: own enumerable members, as `JSON.stringify` sends them. */
function projectStructure(members: MemberProjects | null, items: ItemProjects | null): Project {
  return (value) => {
    if (!isObject(value)) return value
    const shown = typeof value['toJSON'] === 'function' ? value['toJSON']('') : value
    if (!isObject(shown)) return value
    if (Array.isArray(shown)) return items === null ? shown : projectList(shown, items)
    if (members === null) return shown
    const { kept } = members
    let count = 0
    let at = 0
    // `for-in` takes a third less time than a list of keys. It also gives what is inherited, but only after all own members.
    for (const key in shown) {
      while (kept[at] !== key) if (++at >= kept.length) return projectFrom(count, shown, Object.keys(shown), members)
      at++
      count++
    }
    return shown
  }
}

function projectFrom(first: number, record: Known, keys: readonly string[], members: MemberProjects): Known {
  let copy: BareRecord | undefined
  let at = first - 1
  // Counted by hand: an iterator of entries takes twice as long.
  for (const key of keys.slice(first)) {
    at++
    const project = members.of(key)
    if (project === keep && copy === undefined) continue
    const value = record[key]
    // Once only: looking again when something has to go would double the work with every level.
    const kept = project === undefined ? undefined : project(value)
    if (project === undefined || kept !== value) copy ??= copyOf(record, keys.slice(0, at))
    if (copy !== undefined && project !== undefined) put(copy, key, kept)
  }
  return copy ?? record
}

function copyOf(record: Known, keys: readonly string[]): BareRecord {
  const copy: BareRecord = {}
  for (const key of keys) put(copy, key, record[key])
  return copy
}

// Assigning to `__proto__` of an ordinary object would change its prototype.
function put(record: BareRecord, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
}

function projectList(list: readonly unknown[], items: ItemProjects): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const value = list[at]
    const kept = items(at)(value)
    if (kept !== value) copy ??= [...list]
    if (copy !== undefined) copy[at] = kept
  }
  return copy ?? list
}

type Union = readonly { readonly schema: JsonSchema; readonly holds: BranchTest; readonly project: Project }[]

/** A node of the tree of decisions: one step a branch, so that the same decisions find the same projection. */
interface Decision {
  yes?: Decision
  no?: Decision
  project?: Project
}

/** Of a union only the branches that the value can belong to count: what others describe may be private. */
function unionProject(compiler: Compiler, unions: readonly Union[], parts: Parts): Project {
  const branches = unions.flat()
  const lists: Decision = {}
  const records: Decision = {}
  return (value) => {
    const shown = toJsonValue(value)
    if (!isObject(shown)) return value
    let decision = Array.isArray(shown) ? lists : records
    for (const branch of branches) decision = branch.holds(shown) ? (decision.yes ??= {}) : (decision.no ??= {})
    decision.project ??= decide(compiler, unions, parts, shown)
    return decision.project(shown)
  }
}

function decide(compiler: Compiler, unions: readonly Union[], parts: Parts, value: Known): Project {
  const aspect = Array.isArray(value) ? 'items' : 'members'
  const isSilent = (said: Parts): boolean =>
    said.unions.length === 0 && said.leaves.every((leaf) => leaf[aspect] === undefined)
  const held = unions.map((union) => union.filter((branch) => branch.holds(value)))
  // A union says nothing when the value can belong to a branch that says nothing.
  const telling = held.filter((union) => !union.some(({ schema }) => isSilent(takeApart(compiler.root, [schema]))))
  const schemas = telling.flat().map(({ schema }) => schema)
  const together = takeApart(compiler.root, schemas, parts)
  const unheld = unions.filter((_, index) => held[index]?.length === 0).flat()
  if (unheld.length === 0 || !isSilent(together)) return compileParts(compiler, together)
  // The description is not exact: one projection after the other keeps what all branches keep, at every depth.
  return (each) => unheld.reduce<unknown>((kept, { project }) => project(kept), each)
}
