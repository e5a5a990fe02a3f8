/** Heads of table columns that sort their table. */
import { h } from './h.js'
import { textButton } from './parts.js'

/** Column that a table is sorted by. Texts are ascending and numbers descending, unless `isReversed`. */
export interface Sorting<Key extends string> {
  readonly key: Key
  readonly isReversed: boolean
}

/** Key, label, class, and whether the column is ascending at the first click. */
export type SortColumn<Key extends string> = readonly [key: Key, label: string, className: string, isAscending: boolean]

/** Builds a head. A click sorts by its column, and a second click turns the order around. */
export function sortHead<Key extends string>(
  [key, label, className, isAscending]: SortColumn<Key>,
  sorting: Sorting<Key>,
  choose: (sorting: Sorting<Key>) => void,
): HTMLElement {
  const isSorted = sorting.key === key
  const direction = isAscending === (isSorted && sorting.isReversed) ? 'descending' : 'ascending'
  const arrow = h('span', { 'aria-hidden': 'true' }, isSorted ? { ascending: ' ↑', descending: ' ↓' }[direction] : '')
  const click = () => choose({ key, isReversed: isSorted && !sorting.isReversed })
  const attributes = { scope: 'col', class: className, 'aria-sort': isSorted ? direction : null }
  return h('th', attributes, textButton([label, arrow], click, ''))
}
