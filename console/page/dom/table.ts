/** Plain tables. */
import { h, type Child } from './h.js'

export function table(
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
  isNumeric: boolean = false,
): HTMLElement {
  const cell = (tag: 'td' | 'th') => (content: Child, index: number) =>
    h(tag, { class: isNumeric && index > 0 ? 'r' : null, scope: tag === 'th' ? 'col' : null }, content)
  const body = rows.map((cells) => h('tr', null, cells.map(cell('td'))))
  const head = h('thead', null, h('tr', null, heads.map(cell('th'))))
  return h('table', { class: isNumeric ? 'simple num' : 'simple' }, head, h('tbody', null, body))
}
