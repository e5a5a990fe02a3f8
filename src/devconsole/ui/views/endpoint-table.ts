/** Table of endpoints: the figures of the charts as numbers. Each row links to the requests of its endpoint. */
import type { EndpointStats } from '../../wire/feed-types.js'
import { fill, h, s, type Child } from '../dom/h.js'
import { secondaryText, methodMark, textButton } from '../dom/parts.js'
import { showDirection } from '../dom/sort-head.js'
import { formatAddress } from '../pure/address.js'
import { int, ms, rate } from '../pure/format.js'
import { bandStart } from '../pure/histogram.js'
import { endpointRows, SMALL_BANDS, SMALL_RANGE, sortRows, type EndpointRow, type SortKey } from '../pure/endpoints.js'
import { serverNow } from '../pure/server-clock.js'

const COLUMNS: readonly (readonly [key: SortKey, label: string, className: string])[] = [
  ['endpoint', 'Endpoint', ''],
  ['calls', 'Calls', ''],
  ['rate', 'Rate', 'opt'],
  ['errors', 'Errors', 'opt2'],
  ['p50', 'p50', 'opt'],
  ['p90', 'p90', 'opt'],
  ['p99', 'p99', ''],
  ['max', 'Max', 'opt'],
]

export class EndpointTable {
  readonly element: HTMLElement
  readonly #body: HTMLElement = h('tbody', null)
  readonly #heads: ReadonlyMap<SortKey, HTMLElement>
  #sort: SortKey = 'p99'
  #stats: readonly EndpointStats[] = []
  #slow = 0

  constructor() {
    this.#heads = new Map(COLUMNS.map(([key, label, className]) => [key, this.#head(key, label, className)]))
    const chartHead = h('th', { scope: 'col', class: 'opt' }, 'Distribution, 1 ms to 3 s')
    const row = h('tr', null, [...this.#heads.values()], chartHead)
    const caption = h('caption', { class: 'vh' }, 'Endpoints')
    const table = h('table', { class: 'pt' }, caption, h('thead', null, row), this.#body)
    this.element = h('div', { class: 'tbl', tabindex: '0', role: 'region', 'aria-label': 'Endpoints' }, table)
  }

  update(stats: readonly EndpointStats[], slow: number): void {
    if (stats === this.#stats) return
    this.#stats = stats
    this.#slow = slow
    this.#draw()
  }

  #head(key: SortKey, label: string, className: string): HTMLElement {
    const click = () => {
      this.#sort = key
      this.#draw()
    }
    const arrow = h('span', { 'aria-hidden': 'true' })
    return h('th', { scope: 'col', class: className }, textButton([label, arrow], click, ''))
  }

  #draw(): void {
    for (const [key, head] of this.#heads) {
      showDirection(head, key === this.#sort && (key === 'endpoint' ? 'ascending' : 'descending'))
    }
    const rows = sortRows(endpointRows(this.#stats, serverNow()), this.#sort)
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
  const { handler, method, template } = stats
  const path = h('span', { class: 'pth' }, template)
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
