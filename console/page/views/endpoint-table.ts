/** Table of endpoints: the figures of the charts as numbers. Each row links to the requests of its endpoint. */
import type { EndpointStats } from '../../../src/devconsole/wire/feed-types.js'
import { keepFocus } from '../dom/focus.js'
import { fill, h, s, type Child } from '../dom/h.js'
import { secondaryText, methodMark } from '../dom/parts.js'
import { sortHead, type SortColumn, type Sorting } from '../dom/sort-head.js'
import { formatAddress } from '../pure/address.js'
import { int, ms, rate } from '../pure/format.js'
import { bandStart } from '../pure/histogram.js'
import { endpointRows, SMALL_BANDS, SMALL_RANGE, sortRows, type EndpointRow, type SortKey } from '../pure/endpoints.js'
import { serverNow } from '../pure/server-clock.js'

const COLUMNS: readonly SortColumn<SortKey>[] = [
  ['endpoint', 'Endpoint', '', true],
  ['calls', 'Calls', '', false],
  ['rate', 'Rate', 'opt', false],
  ['errors', 'Errors', 'opt2', false],
  ['p50', 'p50', 'opt', false],
  ['p90', 'p90', 'opt', false],
  ['p99', 'p99', '', false],
  ['max', 'Max', 'opt', false],
]

export class EndpointTable {
  readonly element: HTMLElement
  readonly #heads: HTMLElement = h('tr', null)
  readonly #body: HTMLElement = h('tbody', null)
  #sorting: Sorting<SortKey> = { key: 'p99', isReversed: false }
  #stats: readonly EndpointStats[] = []
  #slow = 0

  constructor() {
    const caption = h('caption', { class: 'vh' }, 'Endpoints')
    const table = h('table', { class: 'pt' }, caption, h('thead', null, this.#heads), this.#body)
    this.element = h('div', { class: 'tbl', tabindex: '0', role: 'region', 'aria-label': 'Endpoints' }, table)
    this.#sort(this.#sorting)
  }

  update(stats: readonly EndpointStats[], slow: number): void {
    if (stats === this.#stats) return
    this.#stats = stats
    this.#slow = slow
    this.#draw()
  }

  #sort(sorting: Sorting<SortKey>): void {
    this.#sorting = sorting
    const heads = COLUMNS.map((column) => sortHead(column, sorting, (chosen) => this.#sort(chosen)))
    const last = h('th', { scope: 'col', class: 'opt' }, 'Distribution, 1 ms to 3 s')
    keepFocus(this.#heads, () => fill(this.#heads, heads, last))
    this.#draw()
  }

  #draw(): void {
    const { key, isReversed } = this.#sorting
    const sorted = sortRows(endpointRows(this.#stats, serverNow()), key)
    const rows = isReversed ? sorted.toReversed() : sorted
    const emptyRow = h('tr', null, h('td', { colspan: COLUMNS.length + 1 }, 'No endpoint was called yet.'))
    fill(this.#body, rows.length === 0 ? emptyRow : rows.map((row) => endpointRow(row, this.#slow)))
  }
}

function endpointRow(row: EndpointRow, slow: number): HTMLElement {
  const errors = row.errors === 0 ? secondaryText('0') : rate(row.errors)
  const cells: readonly (readonly [Child, string])[] = [
    [int(row.calls), ''],
    [`${row.rate.toFixed(2)}/s`, 'opt'],
    [errors, row.errors > 0.05 ? 'opt2 hot' : 'opt2'],
    [ms(row.p50), 'opt'],
    [ms(row.p90), 'opt'],
    [ms(row.p99), row.p99 > slow ? 'hot' : ''],
    [ms(row.max), 'opt'],
    [smallChart(row, slow), 'opt'],
  ]
  return h(
    'tr',
    null,
    h('td', null, endpointName(row)),
    cells.map(([value, className]) => h('td', { class: className }, value)),
  )
}

function endpointName({ stats }: EndpointRow): HTMLElement {
  const { handler, method, template, version } = stats
  const path = h('span', { class: 'pth' }, template, version !== null && [' ', secondaryText(version)])
  if (handler === null) return h('span', null, methodMark(method), ' ', path)
  const q = `handler:${handler} method:${method}`
  return h('a', { href: formatAddress({ q }) }, methodMark(method), ' ', path)
}

function smallChart({ bands }: EndpointRow, slow: number): SVGSVGElement {
  const highest = Math.max(1, ...bands)
  const bars = bands.map((count, index) => {
    const height = Math.max(1, (count / highest) * 20)
    const isSlow = bandStart(index + 1, SMALL_RANGE, SMALL_BANDS) > slow
    const fill = isSlow ? 'var(--g-warn)' : 'var(--accent)'
    return count > 0 && s('rect', { x: index * 5, y: 21 - height, width: 4, height, fill, opacity: 0.85 })
  })
  const base = s('line', { class: 'grid-l', x1: 0, x2: 125, y1: 21.5, y2: 21.5 })
  return s('svg', { viewBox: '0 0 125 22', 'aria-hidden': 'true' }, base, bars)
}
