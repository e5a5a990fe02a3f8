/** Projection at unions: the branches that the value can belong to decide what is kept of it. */
import type { BranchTest } from './branch.js'
import type { JsonSchema } from './json-schema.js'
import type { Project } from './members.js'
import { NO_PARTS, type Parts } from './parts.js'
import { isObject, type Known } from '../values/objects.js'
import { shownAs } from './shown.js'

/** One branch of a union. */
export interface Branch {
  readonly schema: JsonSchema
  readonly holds: BranchTest
  /** The projection by this branch alone. */
  readonly project: Project
}

/** Unions with what is around them. */
export interface Choice {
  readonly unions: readonly (readonly Branch[])[]
  /** What holds beside the unions. */
  readonly parts: Parts
  /** Takes schemas apart, in addition to other parts. */
  readonly join: (schemas: readonly JsonSchema[], before: Parts) => Parts
  /** Compiles the projection of schemas that hold together. */
  readonly compile: (parts: Parts) => Project
}

/** A node of the tree of decisions: one step a branch, so that the same decisions find the same projection. */
interface Decision {
  yes?: Decision
  no?: Decision
  project?: Project
}

/**
 * The projection of a value at unions. Each combination of branches is compiled when it first occurs.
 *
 * The fields of all branches would leak those of a private branch, so only branches that the value can belong to count.
 * When it can belong to none, although it was validated, the description is not exact: then only what every branch
 * keeps is kept, so that nothing of a private branch is sent by mistake.
 */
export function chooser(choice: Choice): Project {
  const branches = choice.unions.flat()
  const lists: Decision = {}
  const records: Decision = {}
  return (value) => {
    const shown = shownAs(value)
    if (!isObject(shown)) return value
    let decision = Array.isArray(shown) ? lists : records
    for (const branch of branches) decision = branch.holds(shown) ? (decision.yes ??= {}) : (decision.no ??= {})
    decision.project ??= decide(choice, shown)
    return decision.project(shown)
  }
}

function decide(choice: Choice, value: Known): Project {
  const isSilent = Array.isArray(value) ? saysNothingOfLists : saysNothingOfRecords
  const held = choice.unions.map((union) => union.filter((branch) => branch.holds(value)))
  // A union says nothing when the value can belong to a branch that says nothing.
  const telling = held.filter((branches) => !branches.some(({ schema }) => isSilent(choice.join([schema], NO_PARTS))))
  const joined = choice.join(
    telling.flat().map((branch) => branch.schema),
    choice.parts,
  )
  const unheld = choice.unions.filter((_, index) => held[index]?.length === 0)
  if (unheld.length > 0 && isSilent(joined)) return inTurn(unheld.flat().map((branch) => branch.project))
  return choice.compile(joined)
}

function saysNothingOfLists(parts: Parts): boolean {
  return parts.unions.length === 0 && parts.leaves.every((leaf) => leaf.items === undefined)
}

function saysNothingOfRecords(parts: Parts): boolean {
  return parts.unions.length === 0 && parts.leaves.every((leaf) => leaf.members === undefined)
}

// One projection after the other keeps what all of them keep, at every depth.
function inTurn(projects: readonly Project[]): Project {
  return (value) => projects.reduce((kept, project) => project(kept), value)
}
