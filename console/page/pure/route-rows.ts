/** Rows of the list of routes. An app can have thousands of endpoints, so only the rows in view are created. */
import { groupBy } from '../../../src/devconsole/wire/group-by.js'
import type { RouteInfo } from '../../../src/devconsole/wire/view-types.js'
import type { RowRange } from './json-lines.js'

export interface RouteRow {
  readonly route: RouteInfo
  /** Whether the name of the class is above the row. */
  readonly isFirst: boolean
}

/** Returns a search over method, path, class and decorators. Its strings are built once, not at each keystroke. */
export function routeSearch(routes: readonly RouteInfo[]): (text: string) => readonly RouteInfo[] {
  const texts = routes.map(({ id, method, template, decorators, class: name }) =>
    [id, method, template, name, ...decorators].join(' ').toLowerCase(),
  )
  return (text) => {
    const word = text.trim().toLowerCase()
    return routes.filter((_, index) => texts[index]?.includes(word))
  }
}

/** Groups endpoints by class, in the order of their first endpoints. */
export function groupByClass(routes: readonly RouteInfo[]): readonly RouteRow[] {
  const groups = groupBy(routes, (route) => route.class)
  return [...groups.values()].flatMap((group) => group.map((route, index) => ({ route, isFirst: index === 0 })))
}

/** Returns the start of each row in px, and the end of the last one. */
export function rowOffsets(
  rows: readonly RouteRow[],
  heights: { readonly row: number; readonly heading: number },
): readonly number[] {
  let end = 0
  return [0, ...rows.map(({ isFirst }) => (end += heights.row + (isFirst ? heights.heading : 0)))]
}

/** Returns the rows in view, with spare rows on both sides. */
export function rowsInView(
  offsets: readonly number[],
  scroll: { readonly top: number; readonly height: number },
  spare: number,
): RowRange {
  const count = offsets.length - 1
  const firstRow = findRow(offsets, scroll.top)
  const lastRow = findRow(offsets, scroll.top + scroll.height)
  return { first: Math.max(0, firstRow - spare), end: Math.min(count, lastRow + 1 + spare) }
}

/** Returns the row at a position; the first or the last one for a position outside of the list. */
function findRow(offsets: readonly number[], position: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
