/** Merges the declared problems (`errors`) of contract, class, groups, providers and decorators. */
import type { ErrorsSpec } from '../injection/provide.js'
import { isSchema, type Schema } from '../validation/schema.js'

export interface DeclaredProblem {
  readonly words: string | undefined
  /** Alternative schemas of the extension members; empty without any. */
  readonly schemas: readonly Schema[]
}

const NO_PROBLEMS: DeclaredProblem = { words: undefined, schemas: [] }
const NONE: ReadonlyMap<number, DeclaredProblem> = new Map()

/** Merges problems by status. Levels start with the nearest to the endpoint. The first level with schemas for a status determines them. */
export function mergeProblems(levels: readonly (readonly ErrorsSpec[])[]): ReadonlyMap<number, DeclaredProblem> {
  const problems = new Map<number, DeclaredProblem>()
  for (const entries of levels.map((level) => level.flatMap(toEntries)).filter(({ length }) => length > 0)) {
    const nearer = new Map(problems)
    for (const [status, saying] of entries) {
      const { words, schemas } = problems.get(status) ?? NO_PROBLEMS
      const isTaken = nearer.get(status)?.schemas.length || schemas.some((schema) => schema === saying)
      problems.set(status, {
        words: words ?? (typeof saying === 'string' ? saying : undefined),
        schemas: isSchema(saying) && !isTaken ? [...schemas, saying] : schemas,
      })
    }
  }
  return problems.size === 0 ? NONE : problems
}

function toEntries(errors: ErrorsSpec): (readonly [status: number, saying: unknown])[] {
  if (Array.isArray(errors)) return errors.map((status: number) => [status, undefined])
  return Object.entries(errors).map(([status, saying]) => [Number(status), saying])
}
