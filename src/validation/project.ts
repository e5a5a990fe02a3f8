/** Projection: of a validated value only what its JSON Schema describes is kept. Compiled once, run for each answer. */
import { branchTests, type BranchTests } from './branch.js'
import { chooser } from './choose.js'
import type { JsonSchema } from './json-schema.js'
import { schemasOfItem, schemasOfMember, type ItemRules, type Leaf, type MemberRules } from './leaf.js'
import { keep, projectList, projectRecord, type MemberProject, type Order, type Project } from './members.js'
import { NO_PARTS, takeApart, type Parts } from './parts.js'
import { isObject, type Known } from '../values/objects.js'
import { shownAs } from './shown.js'

export type { Project } from './members.js'

interface Slot {
  project: Project
  /** False while the schema is being compiled: then it refers to itself. */
  finished: boolean
}

interface Compiler {
  readonly root: JsonSchema
  readonly tests: BranchTests
  readonly slots: Map<string, Slot>
  readonly names: Map<JsonSchema, string>
  /** How often the projection has entered a recursive schema and not yet left it. */
  depth: number
}

// JSON.stringify gives up between 4,000 and 8,000 levels; a level takes up to eight frames here.
const MAX_DEPTH = 500

/**
 * Prepares the projection of a description.
 *
 * Kept are the described members of records (own and enumerable) and everything of what nothing is said about. Schemas
 * that hold together (`allOf`, `$ref`, and the branches of a union that the value can belong to) describe together:
 * where one says nothing of a value, the others decide. What shows itself by `toJSON` is a scalar, or is projected as
 * what it shows. The value is copied only where something has to go. Returns the projection; undefined when there is nothing to drop. It throws a RangeError for a value that is nested more than 500 times in a recursive schema, a cyclic one among them, and whatever `toJSON` throws.
 */
export function projector(schema: JsonSchema): Project | undefined {
  const compiler: Compiler = {
    root: schema,
    tests: branchTests(schema),
    slots: new Map(),
    names: new Map(),
    depth: 0,
  }
  const project = compile(compiler, [schema])
  return project === keep ? undefined : project
}

function compile(compiler: Compiler, schemas: readonly JsonSchema[]): Project {
  const name = nameOf(compiler, schemas)
  const known = compiler.slots.get(name)
  if (known !== undefined) return known.finished ? known.project : recursive(compiler, known)
  const slot: Slot = { project: keep, finished: false }
  compiler.slots.set(name, slot)
  slot.project = compileParts(compiler, takeApart(compiler.root, schemas, NO_PARTS))
  slot.finished = true
  return slot.project
}

// The same schemas in any order have one name, so that recursion comes to an end.
function nameOf(compiler: Compiler, schemas: readonly JsonSchema[]): string {
  const { names } = compiler
  for (const schema of schemas) if (!names.has(schema)) names.set(schema, String(names.size))
  return [...new Set(schemas.map((schema) => names.get(schema)))].toSorted().join()
}

function recursive(compiler: Compiler, slot: Slot): Project {
  return (value) => {
    if (!isObject(value)) return value
    if (compiler.depth === MAX_DEPTH) throw tooDeep()
    compiler.depth++
    try {
      return slot.project(value)
    } finally {
      compiler.depth--
    }
  }
}

function tooDeep(): RangeError {
  return new RangeError(`Cannot project a value: it is nested more than ${MAX_DEPTH} times or contains itself`)
}

function compileParts(compiler: Compiler, parts: Parts): Project {
  const base = leafProject(compiler, parts.leaves)
  const unions = parts.unions.map((union) =>
    union.map((schema) => ({ schema, holds: compiler.tests(schema), project: compile(compiler, [schema]) })),
  )
  const decisive = unions.filter((union) => union.some((branch) => branch.project !== keep))
  if (decisive.length === 0) return base
  return chooser({
    unions: decisive,
    parts,
    join: (schemas, before) => takeApart(compiler.root, schemas, before),
    compile: (joined) => compileParts(compiler, joined),
  })
}

function leafProject(compiler: Compiler, leaves: readonly Leaf[]): Project {
  const record = recordProject(
    compiler,
    leaves.flatMap((leaf) => leaf.members ?? []),
  )
  const list = listProject(
    compiler,
    leaves.flatMap((leaf) => leaf.items ?? []),
  )
  if (record === keep && list === keep) return keep
  return (value) => {
    const shown = shownAs(value)
    if (!isObject(shown)) return value
    return Array.isArray(shown) ? list(shown) : record(shown)
  }
}

function recordProject(compiler: Compiler, rules: readonly MemberRules[]): (record: Known) => unknown {
  if (rules.length === 0) return keep
  const keys = new Set(rules.flatMap((rule) => [...rule.properties.keys()]))
  const fields = new Map([...keys].map((key) => [key, memberProject(compiler, schemasOfMember(rules, key))]))
  const rests = rules.map((rule) => rule.rest).filter((schema) => schema !== undefined)
  const rest = memberProject(compiler, rests)
  const patterned = rules.some((rule) => rule.patterns.length > 0)
  const keepsAll = rest === keep && [...fields.values()].every((field) => field === keep)
  if (keepsAll && !patterned) return keep
  const other: MemberProject = patterned ? (key) => memberProject(compiler, schemasOfMember(rules, key)) : () => rest
  // A field is undefined where a rule says that it is never there.
  const projectOf: MemberProject = (key) => fields.get(key) ?? (fields.has(key) ? undefined : other(key))
  const order = patterned ? [] : keptFirst(fields)
  return (record) => projectRecord(record, order, projectOf)
}

function keptFirst(fields: ReadonlyMap<string, Project | undefined>): Order {
  const names = [...fields.keys()]
  const end = names.findIndex((name) => fields.get(name) !== keep)
  return end < 0 ? names : names.slice(0, end)
}

// A member that no schema describes is dropped.
function memberProject(compiler: Compiler, schemas: readonly JsonSchema[]): Project | undefined {
  return schemas.length === 0 ? undefined : compile(compiler, schemas)
}

function listProject(compiler: Compiler, rules: readonly ItemRules[]): (list: readonly unknown[]) => unknown {
  if (rules.length === 0) return keep
  const length = Math.max(...rules.map((rule) => rule.first.length))
  const first = Array.from({ length }, (_, index) => compile(compiler, schemasOfItem(rules, index)))
  const rest = compile(compiler, schemasOfItem(rules, length))
  if (rest === keep && first.every((project) => project === keep)) return keep
  return (list) => projectList(list, (index) => first[index] ?? rest)
}
