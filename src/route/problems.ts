/** The problems that an endpoint answers on purpose: what contract, class, groups, providers and decorators say, taken together. */
import type { ErrorsSpec } from '../injection/provide.js'
import { isSchema, type Schema } from '../validation/schema.js'

/** What is said of the problems of one status. */
export interface DeclaredProblem {
  /** `undefined` where nobody has any. */
  readonly words: string | undefined
  /** What the members follow, one of these; empty where nobody says it. */
  readonly schemas: readonly Schema[]
}

const NOTHING: DeclaredProblem = { words: undefined, schemas: [] }

/** By status. The levels begin with the nearest: the first that describes the members counts, and all that stand on it. */
export function mergeProblems(levels: readonly (readonly ErrorsSpec[])[]): ReadonlyMap<number, DeclaredProblem> {
  const problems = new Map<number, DeclaredProblem>()
  for (const level of levels) {
    const nearer = new Map(problems)
    for (const [status, saying] of level.flatMap(toEntries)) {
      const { words, schemas } = problems.get(status) ?? NOTHING
      const isTaken = nearer.get(status)?.schemas.length || schemas.some((schema) => schema === saying)
      problems.set(status, {
        words: words ?? (typeof saying === 'string' ? saying : undefined),
        schemas: isSchema(saying) && !isTaken ? [...schemas, saying] : schemas,
      })
    }
  }
  return problems
}

function toEntries(errors: ErrorsSpec): (readonly [status: number, saying: unknown])[] {
  if (Array.isArray(errors)) return errors.map((status: number) => [status, undefined])
  return Object.entries(errors).map(([status, saying]) => [Number(status), saying])
}
