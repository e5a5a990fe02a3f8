/** Order of the tables of statements and of service methods. */
import type { ServiceStats, StatementStats } from '../../../src/devconsole/wire/view-types.js'

export type StatementSort = 'text' | 'count' | 'mean' | 'max' | 'total' | 'rows' | 'errors'

export type ServiceSort = 'name' | 'count' | 'own' | 'total' | 'max' | 'errors'

/** Sorts statements: text ascending, numbers descending. `isReversed` reverses the order. */
export function sortStatements(
  statements: readonly StatementStats[],
  sort: StatementSort,
  isReversed: boolean = false,
): readonly StatementStats[] {
  const compare = (a: StatementStats, b: StatementStats) =>
    sort === 'text' ? a.text.localeCompare(b.text) : statementFigure(b, sort) - statementFigure(a, sort)
  return statements.toSorted((a, b) => (isReversed ? -compare(a, b) : compare(a, b)))
}

function statementFigure(statement: StatementStats, sort: Exclude<StatementSort, 'text'>): number {
  return sort === 'mean' ? meanDuration(statement) : (statement[sort] ?? -1)
}

/** Sorts service methods: name ascending, numbers descending. `isReversed` reverses the order. */
export function sortServices(
  services: readonly ServiceStats[],
  sort: ServiceSort,
  isReversed: boolean = false,
): readonly ServiceStats[] {
  const compare = (a: ServiceStats, b: ServiceStats) =>
    sort === 'name' ? a.name.localeCompare(b.name) : b[sort] - a[sort]
  return services.toSorted((a, b) => (isReversed ? -compare(a, b) : compare(a, b)))
}

/** Returns the mean duration in ms; 0 without calls. */
export function meanDuration({ total, count }: { readonly total: number; readonly count: number }): number {
  return count === 0 ? 0 : total / count
}
