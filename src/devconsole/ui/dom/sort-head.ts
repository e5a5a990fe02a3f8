/** Table headings that sort by their column. */
import { h, setAttribute } from './h.js'
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
  const arrow = h('span', { 'aria-hidden': 'true' })
  const head = h('th', { scope: 'col', class: className }, textButton([label, arrow], click, ''))
  showDirection(head, isSorted && direction)
  return head
}

const ARROWS = { ascending: ' ↑', descending: ' ↓' }

/** Shows the order of a column in its heading; `false` if the table is not sorted by this column. */
export function showDirection(head: Element, direction: keyof typeof ARROWS | false): void {
  setAttribute(head, 'aria-sort', direction)
  const arrow = head.querySelector('span')
  if (arrow !== null) arrow.textContent = direction ? ARROWS[direction] : ''
}
