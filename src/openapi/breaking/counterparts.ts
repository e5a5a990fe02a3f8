/** Pairs the alternatives of two unions that correspond to each other. */
import { expandAlternatives, splitTypes, type Alternative } from './alternatives.js'
import { itemSchemasAt, schemasByName } from './properties.js'

/** An alternative of a union, with the properties that identify it. */
export interface Branch {
  readonly alternative: Alternative
  /** Position in the union. */
  readonly index: number
  /** Properties with a single possible value, as JSON, such as `kind` of a discriminated union. */
  readonly constants: ReadonlyMap<string, string>
  /** Names of the properties of the object, or of the items of the array. */
  readonly names: readonly string[]
}

/** Returns one branch for each type and value of the alternatives. */
export function toBranches(alternatives: readonly Alternative[]): Branch[] {
  return alternatives.flatMap((whole, index) =>
    splitTypes(whole).map((alternative) => ({
      alternative,
      index,
      constants: constantMembers(alternative),
      names: memberNames(alternative),
    })),
  )
}

function constantMembers(alternative: Alternative): Map<string, string> {
  if (!alternative.types.has('object')) return new Map()
  const entries = [...schemasByName(alternative)].flatMap(([name, schemas]): [string, string][] => {
    const values = expandAlternatives(schemas).map((each) => each.values)
    const [value, ...others] = values.flatMap((list) => list ?? [])
    return value === undefined || others.length > 0 || values.includes(null) ? [] : [[name, value]]
  })
  return new Map(entries)
}

function memberNames(alternative: Alternative): string[] {
  if (alternative.types.has('object')) return [...schemasByName(alternative).keys()]
  if (!alternative.types.has('array')) return []
  return expandAlternatives(itemSchemasAt(alternative, 0)).flatMap((item) => [...schemasByName(item).keys()])
}

/** Assigns each source to a target that it fits. Returns the sources that fit no target, and the targets without a source. */
export function separateFitting(
  sources: readonly Branch[],
  targets: readonly Branch[],
  fits: (source: Branch, target: Branch) => boolean,
): { readonly lost: readonly Branch[]; readonly free: readonly Branch[] } {
  const free = new Set(targets)
  const lost = sources.filter((source) => {
    // Tries the target at the same position first, because most alternatives are not moved.
    const inOrder = targets.toSorted((a, b) => Number(b.index === source.index) - Number(a.index === source.index))
    const isFit = (target: Branch): boolean => fits(source, target)
    const counterpart = inOrder.filter((target) => free.has(target)).find(isFit)
    if (counterpart !== undefined) free.delete(counterpart)
    return counterpart === undefined && !inOrder.filter((target) => !free.has(target)).some(isFit)
  })
  return { lost, free: [...free] }
}

/**
 * Finds the counterpart of each source: the branch with the same constants, else the branch at the same position, else the branch with
 * the most property names in common. Two sources never share a counterpart, and a source can have none.
 */
export function findCounterparts(sources: readonly Branch[], targets: readonly Branch[]): Map<Branch, Branch> {
  const counterparts = new Map<Branch, Branch>()
  const free = new Set(targets)
  for (const rank of [rankByConstants, rankByPosition, rankByNames]) {
    for (const source of sources) {
      if (counterparts.has(source)) continue
      const [best] = [...free]
        .filter((target) => [...source.alternative.types].every((type) => target.alternative.types.has(type)))
        .map((target) => ({ target, score: rank(source, target) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
      if (best === undefined) continue
      free.delete(best.target)
      counterparts.set(source, best.target)
    }
  }
  return counterparts
}

/** Returns how well two branches match; 0 if they do not. */
function rankByConstants(source: Branch, target: Branch): number {
  const common = [...source.constants].filter(([name]) => target.constants.has(name))
  const isSame = common.length > 0 && common.every(([name, value]) => target.constants.get(name) === value)
  return isSame ? 1 + countCommonNames(source, target) : 0
}

function rankByPosition(source: Branch, target: Branch): number {
  return source.index === target.index ? rankByNames(source, target) : 0
}

/** Branches without property names, such as strings, match any branch of the same type. */
function rankByNames(source: Branch, target: Branch): number {
  const hasNames = source.names.length > 0 && target.names.length > 0
  return countCommonNames(source, target) + (hasNames ? 0 : 0.5)
}

function countCommonNames(source: Branch, target: Branch): number {
  return source.names.filter((name) => target.names.includes(name)).length
}
