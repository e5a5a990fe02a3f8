/** Alternatives of two unions: which one of the other union each of them corresponds to. */
import { expandAlternatives, splitTypes, type Alternative } from './alternatives.js'
import { itemAt, schemasByName } from './properties.js'

/** An alternative of a union, with what identifies it. */
export interface Branch {
  readonly alternative: Alternative
  /** Position in the union. */
  readonly index: number
  /** Properties with a single value, as JSON: `kind` of a discriminated union, for example. */
  readonly constants: ReadonlyMap<string, string>
  /** Names of its properties, or of those of its items. */
  readonly names: readonly string[]
}

/** Returns one branch for each type and value of the alternatives. */
export function toBranches(alternatives: readonly Alternative[]): Branch[] {
  return alternatives.flatMap((whole, index) =>
    splitTypes(whole).map((alternative) => ({
      alternative,
      index,
      constants: constantsIn(alternative),
      names: memberNames(alternative),
    })),
  )
}

function constantsIn(alternative: Alternative): Map<string, string> {
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
  return expandAlternatives(itemAt(alternative, 0)).flatMap((item) => [...schemasByName(item).keys()])
}

/** Returns the sources that fit no target, and the targets that are left if each other source takes one. */
export function separateFitting(
  sources: readonly Branch[],
  targets: readonly Branch[],
  fits: (source: Branch, target: Branch) => boolean,
): { readonly lost: readonly Branch[]; readonly free: readonly Branch[] } {
  const free = new Set(targets)
  const lost = sources.filter((source) => {
    // Most alternatives stay where they are.
    const inOrder = targets.toSorted((a, b) => Number(b.index === source.index) - Number(a.index === source.index))
    const isFit = (target: Branch): boolean => fits(source, target)
    const counterpart = inOrder.filter((target) => free.has(target)).find(isFit)
    if (counterpart !== undefined) free.delete(counterpart)
    return counterpart === undefined && !inOrder.filter((target) => !free.has(target)).some(isFit)
  })
  return { lost, free: [...free] }
}

/**
 * Finds the counterpart of each source: the branch with the same constants, or else at the same position, or else with most property
 * names in common. No two sources have the same counterpart, and some have none.
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

/** Returns how well two branches correspond; 0 if they do not. */
function rankByConstants(source: Branch, target: Branch): number {
  const common = [...source.constants].filter(([name]) => target.constants.has(name))
  const isSame = common.length > 0 && common.every(([name, value]) => target.constants.get(name) === value)
  return isSame ? 1 + countCommonNames(source, target) : 0
}

function rankByPosition(source: Branch, target: Branch): number {
  return source.index === target.index ? rankByNames(source, target) : 0
}

/** Branches without names, such as strings, correspond to any of their type. */
function rankByNames(source: Branch, target: Branch): number {
  const hasNames = source.names.length > 0 && target.names.length > 0
  return countCommonNames(source, target) + (hasNames ? 0 : 0.5)
}

function countCommonNames(source: Branch, target: Branch): number {
  return source.names.filter((name) => target.names.includes(name)).length
}
