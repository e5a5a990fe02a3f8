/** Table headings that sort by their column. */
import { h } from './h.js'
import { textButton } from './parts.js'

/** Column by which a table is sorted. Strings are ascending and numbers descending, unless `isReversed`. */
export interface Sorting<Key extends string> {
  readonly key: Key
  readonly isReversed: boolean
}

/** Key, label, class, and whether the first click sorts the column ascending. */
export type SortColumn<Key extends string> = readonly [key: Key, label: string, className: string, isAscending: boolean]

/** Creates a heading. A click sorts by its column, and a second click reverses the order. */
export function sortHead<Key extends string>(
  [key, label, className, isAscending]: SortColumn<Key>,
  sorting: Sorting<Key>,
  choose: (sorting: Sorting<Key>) => void,
): HTMLElement {
  const isSorted = sorting.key === key
  const direction = isAscending === (isSorted && sorting.isReversed) ? 'descending' : 'ascending'
  const click = () => choose({ key, isReversed: isSorted && !sorting.isReversed })
  const attributes = { scope: 'col', class: className, 'aria-sort': isSorted ? direction : null }
  return h('th', attributes, textButton(label, click, ''))
}
