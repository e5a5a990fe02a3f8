/** Projection: drops all members that the JSON Schema does not describe. It is compiled once, and runs for each response. */
import { isObject, isObjectOrFunction, toJsonForm, type UnknownRecord } from '../../values/objects.js'
import { isScalar, type JsonSchema } from '../json-schema.js'
import type { BranchTest } from './branch.js'
import { createCompiler, schemaName, unionCompiler, type Compiler, type Passing, type Slot } from './compiler.js'
import {
  schemasOfItem,
  schemasOfMember,
  schemasOfRest,
  splitSchema,
  type SchemaLeaf,
  type SchemaParts,
} from './parts.js'
import { plainProject } from './plain-project.js'
import { passObjects, passRecord, visibleMembers } from './pass-value.js'
import {
  isPlainDate,
  keep,
  MemberProjects,
  projectList,
  projectStructure,
  rejectAll,
  rejectStructure,
  rejectUndescribed,
} from './project-value.js'
import type { ItemProjects, Project } from './project-value.js'
import { HELD, UNDESCRIBED } from './sides.js'
import { BOTH_STRUCTURES, intersectStructures, toStructure, uniteStructures, type Structures } from './structures.js'

// `JSON.stringify` fails between 4,000 and 8,000 levels. A projection needs up to eight stack frames per level.
const MAX_DEPTH = 500

/** Compiles a projection; `undefined` if it would drop nothing. The projection throws a RangeError after 500 levels of recursion. */
export function projector(root: JsonSchema): Project | undefined {
  const project = compileOne(createCompiler(root, null), root)
  return project === keep ? undefined : project
}

/** A value for a validator. */
interface PassedValue {
  readonly value: unknown
  /** Objects that JSON Schema cannot express. A function may read them, but they may not be sent. */
  readonly held: readonly UnknownRecord[]
}

export type Pass = (value: unknown) => PassedValue

/** Compiles a projection of the values that a validator receives. */
export function passer(root: JsonSchema): Pass {
  const passing: Passing = { sending: createCompiler(root, null), held: [] }
  const project = compileOne(createCompiler(root, passing), root)
  return (value) => {
    passing.held = []
    return { value: project(value), held: passing.held }
  }
}

interface StructurePlan {
  readonly parts: SchemaParts
  readonly structures: Structures
  readonly areAlternatives: boolean
}

/** Schemas that describe the same value together. */
interface MergedSchemas {
  readonly schemas: readonly JsonSchema[]
  /** Whether the schemas belong to several branches of a union, so that a value need not match all of them. */
  readonly areAlternatives: boolean
}

function compileSchema(compiler: Compiler, { schemas, areAlternatives }: MergedSchemas): Project {
  const isLoose = areAlternatives && schemas.length > 1
  const only = schemas.length === 1 ? schemas[0] : undefined
  const simple = only === undefined ? undefined : simpleProject(compiler, only)
  if (simple !== undefined) return simple
  const name = `${isLoose ? '?' : ''}${schemaName(compiler, schemas)}`
  const slotIndex = compiler.slots.get(name)
  if (slotIndex !== undefined) return slotIndex.finished ? slotIndex.project : recursiveProject(compiler, slotIndex)
  const slot: Slot = { project: keep, finished: false }
  compiler.slots.set(name, slot)
  const isPlain = compiler.passing === null && only !== undefined
  const plain = isPlain ? plainProject(only, (part) => compileOne(compiler, part)) : null
  slot.project = plain ?? compileAny(compiler, { schemas, areAlternatives: isLoose })
  slot.finished = true
  return slot.project
}

function compileOne(compiler: Compiler, schema: JsonSchema): Project {
  return compileSchema(compiler, { schemas: [schema], areAlternatives: false })
}

function compileAny(compiler: Compiler, { schemas, areAlternatives: isLoose }: MergedSchemas): Project {
  const parts = splitSchema(compiler.root, schemas)
  const structures = isLoose
    ? uniteStructures(schemas.map((schema) => structuresOfSchema(compiler, schema)))
    : structuresOfParts(compiler, parts)
  return compileParts(compiler, { parts, structures, areAlternatives: isLoose })
}

/** Returns the projection of a schema without a compilation; `undefined` for others. Two thirds of all schemas have only scalar types. */
function simpleProject(compiler: Compiler, schema: JsonSchema): Project | undefined {
  if (schema === UNDESCRIBED) return undescribedProject(compiler)
  if (schema === HELD) return holdProject(compiler)
  return compiler.passing === null && isScalar(schema) ? rejectAll : undefined
}

function undescribedProject({ passing }: Compiler): Project {
  if (passing === null) return rejectUndescribed
  return (value) => {
    rejectUndescribed(value)
    return value
  }
}

/** Notes an object that JSON Schema cannot express. */
function holdProject({ passing }: Compiler): Project {
  if (passing === null) return keep
  return (value) => {
    if (isObjectOrFunction(value) && isObject(toJsonForm(value))) passing.held.push(value)
    return value
  }
}

function recursiveProject(compiler: Compiler, slot: Slot): Project {
  return (value) => {
    if (!isObjectOrFunction(value)) return value
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

// Combines schemas that apply together (`allOf`, `$ref`, branches of a union). If one describes no members, the others decide.
function compileParts(compiler: Compiler, plan: StructurePlan): Project {
  const { parts, structures, areAlternatives } = plan
  const members = structures.object ? memberProjects(compiler, parts.leaves, areAlternatives) : null
  const items = structures.array ? itemProjects(compiler, parts.leaves, areAlternatives) : null
  const isOpen = structures.object && structures.array && members === null && items === null
  const base = isOpen ? keep : structureProject(compiler, plan, { members, items })
  if (parts.unions.length === 0 || (!structures.object && !structures.array)) return base
  const kept = unionCompiler(compiler)
  const unions = parts.unions.map((union) => union.map((schema) => compileBranch(kept, schema)))
  const decisive = unions.filter((union) => union.some(({ project }) => project !== keep))
  return decisive.length === 0 ? base : unionProject(kept, { ...plan, unions: decisive })
}

function compileBranch(compiler: Compiler, schema: JsonSchema): ProjectionBranch {
  return {
    schema,
    holds: compiler.testOf(schema),
    structures: structuresOfSchema(compiler, schema),
    project: compileOne(compiler, schema),
  }
}

function structureProject(
  compiler: Compiler,
  plan: StructurePlan,
  { members, items }: Readonly<{ members: MemberProjects | null; items: ItemProjects | null }>,
): Project {
  const { structures } = plan
  if (compiler.passing === null) return projectStructure({ members, items, structures })
  const send = sendProject(compiler.passing, plan)
  return passObjects(structures, send, (value) => {
    if (Array.isArray(value)) return items === null ? value : projectList(value, items)
    return members === null ? value : passRecord(value, members, send)
  })
}

/** Returns the projection of the JSON form of a value. It is compiled when it is first needed, for an object with `toJSON`. */
function sendProject({ sending }: Passing, { parts, structures, areAlternatives }: StructurePlan): Project {
  let project: Project | undefined
  return (value) => (project ??= compileParts(sending, { parts, structures, areAlternatives }))(value)
}

/** Returns the structures that schemas describe. Ignores branches that only refer back to their union. */
function structuresOfParts(compiler: Compiler, { leaves, unions }: SchemaParts): Structures {
  const ofUnions = unions.flatMap((union) => {
    const branches = union.filter((schema) => !compiler.pending.has(schema))
    return branches.length === 0 ? [] : [uniteStructures(branches.map((each) => structuresOfSchema(compiler, each)))]
  })
  return intersectStructures([...leaves.flatMap(({ structures }) => structures ?? []), ...ofUnions])
}

function structuresOfSchema(compiler: Compiler, schema: JsonSchema): Structures {
  const structure = compiler.structures.get(schema)
  if (structure !== undefined) return structure
  compiler.pending.add(schema)
  const structures = structuresOfParts(compiler, splitSchema(compiler.root, [schema]))
  compiler.pending.delete(schema)
  compiler.structures.set(schema, structures)
  return structures
}

/** Returns `null` if all members are kept. */
function memberProjects(
  compiler: Compiler,
  leaves: readonly SchemaLeaf[],
  areAlternatives: boolean,
): MemberProjects | null {
  const rules = leaves.flatMap(({ members }) => members ?? [])
  if (rules.length === 0) return null
  // A member that no schema describes is dropped.
  const projectOf = (schemas: readonly JsonSchema[]): Project | undefined =>
    schemas.length === 0 ? undefined : compileSchema(compiler, { schemas, areAlternatives })
  const names = new Set(rules.flatMap(({ properties }) => [...properties.keys()]))
  const named = new Map([...names].map((key) => [key, projectOf(schemasOfMember(rules, key))]))
  const projectRest = projectOf(schemasOfRest(rules))
  const isPatterned = rules.some(({ patterns, isName }) => patterns.length > 0 || isName !== null)
  if (!isPatterned && projectRest === keep && [...named.values()].every((project) => project === keep)) return null
  return new MemberProjects(
    [...named],
    projectRest,
    isPatterned ? (key) => projectOf(schemasOfMember(rules, key)) : null,
  )
}

/** Returns `null` if all items are kept. */
function itemProjects(
  compiler: Compiler,
  leaves: readonly SchemaLeaf[],
  areAlternatives: boolean,
): ItemProjects | null {
  const rules = leaves.flatMap(({ items }) => items ?? [])
  if (rules.length === 0) return null
  const length = Math.max(...rules.map((rule) => rule.first.length))
  const projectOf = (index: number): Project | undefined => {
    const schemas = schemasOfItem(rules, index)
    return schemas.length === 0 ? undefined : compileSchema(compiler, { schemas, areAlternatives })
  }
  const first = Array.from({ length }, (_, index) => projectOf(index))
  const projectRest = projectOf(length)
  if (projectRest === keep && first.every((project) => project === keep)) return null
  return { first, rest: projectRest }
}

interface ProjectionBranch {
  readonly schema: JsonSchema
  readonly holds: BranchTest
  readonly structures: Structures
  readonly project: Project
}

interface UnionPlan extends StructurePlan {
  readonly unions: readonly (readonly ProjectionBranch[])[]
}

/** Node of a decision tree with one level per branch. Values with the same decisions share a projection. */
interface Decision {
  yes?: Decision
  no?: Decision
  project?: Project
}

/** Projects by the branches that the value can belong to. Members that only other branches describe may be private. */
function unionProject(compiler: Compiler, plan: UnionPlan): Project {
  const branches = plan.unions.flat()
  const lists: Decision = {}
  const records: Decision = {}
  const choose = (value: UnknownRecord): Project => {
    let decision = Array.isArray(value) ? lists : records
    for (const branch of branches) decision = branch.holds(value) ? (decision.yes ??= {}) : (decision.no ??= {})
    return (decision.project ??= chooseProjection(compiler, plan, value))
  }
  if (compiler.passing !== null) {
    const names = unionMemberNames(compiler, plan)
    return passObjects(plan.structures, sendProject(compiler.passing, plan), (value) =>
      choose(visibleMembers(value, names))(value),
    )
  }
  return (value) => {
    if (!isObjectOrFunction(value)) return value
    const json = toJsonForm(value)
    if (!isObject(json)) return isPlainDate(value) ? value : json
    if (!plan.structures[toStructure(json)]) return rejectStructure(json)
    return choose(json)(json)
  }
}

/** Returns the names of the members in all branches. */
function unionMemberNames({ root }: Compiler, { parts, unions }: UnionPlan): readonly string[] {
  const leaves = unions.flat().flatMap(({ schema }) => splitSchema(root, [schema]).leaves)
  return [...new Set([...parts.leaves, ...leaves].flatMap(({ members }) => [...(members?.properties.keys() ?? [])]))]
}

function chooseProjection(
  compiler: Compiler,
  { unions, parts, areAlternatives }: UnionPlan,
  value: UnknownRecord,
): Project {
  const structure = toStructure(value)
  const aspect = structure === 'array' ? 'items' : 'members'
  const isSilent = (said: SchemaParts): boolean =>
    said.unions.length === 0 && said.leaves.every((leaf) => leaf[aspect] === undefined)
  const possible = unions.map((union) => union.filter(({ structures }) => structures[structure]))
  const matching = possible.map((union) => union.filter((branch) => branch.holds(value)))
  // Ignores a union if the value can belong to a branch that describes no members or items.
  const telling = matching.filter(
    (union) => !union.some(({ schema }) => isSilent(splitSchema(compiler.root, [schema]))),
  )
  const schemas = telling.flat().map(({ schema }) => schema)
  const together = splitSchema(compiler.root, schemas, parts)
  const isUndescribed = unions.some(
    (union, index) => matching[index]?.length === 0 && union.some(({ schema }) => schema === UNDESCRIBED),
  )
  if (isUndescribed) return undescribedProject(compiler)
  const unheld = possible.filter((_, index) => matching[index]?.length === 0).flat()
  if (unheld.length === 0 || !isSilent(together)) {
    // A value that can belong to several branches may not match all of them.
    const isAmbiguous = areAlternatives || telling.some(({ length }) => length > 1)
    const structures = isAmbiguous ? BOTH_STRUCTURES : structuresOfParts(compiler, together)
    return compileParts(compiler, { parts: together, structures, areAlternatives: isAmbiguous })
  }
  // The validator accepted the value although it matches no branch, so the JSON Schema is inexact. Only members that all branches keep are kept.
  return (each) => unheld.reduce<unknown>((kept, { project }) => project(kept), each)
}
