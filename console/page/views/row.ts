/** Rows of the list of requests. */
import { PHASES, type RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { h, s } from '../dom/h.js'
import { methodMark, pathMark, statusMark } from '../dom/parts.js'
import { formatAddress, type Address } from '../pure/address.js'
import { formatBytes, clock, ms } from '../pure/format.js'
import { barLength, barPieces } from '../pure/geometry.js'
import { isRunning, flagTags, type ListItem, type SortableColumn } from '../pure/list.js'

interface ListColumn extends SortableColumn {
  readonly headClass: string
  readonly cellClass: string
  readonly show: (record: RequestSummary, address: Address) => Node | string
}

/** The columns of the list, from left to right. */
export const COLUMNS: readonly ListColumn[] = [
  {
    label: 'Status',
    headClass: 'c-st',
    cellClass: 'k-st',
    sortValue: (record) => record['http.response.status_code'],
    show: statusCell,
  },
  {
    label: 'Method',
    headClass: 'c-m',
    cellClass: 'k-m',
    sortValue: (record) => record['http.request.method'],
    show: (record) => methodMark(record['http.request.method']),
  },
  { label: 'Path', headClass: '', cellClass: 'k-p', sortValue: (record) => record['url.path'], show: pathCell },
  {
    label: 'Handler',
    headClass: 'c-h k-h',
    cellClass: 'k-h sub',
    sortValue: readHandler,
    show: readHandler,
  },
  { label: 'Phases, log scale', headClass: 'c-b k-b', cellClass: 'k-b', show: phaseBar },
  {
    label: 'Duration',
    headClass: 'c-d r',
    cellClass: 'k-d r num',
    sortValue: (record) => record['dev.duration'],
    show: (record) => ms(record['dev.duration']),
  },
  {
    label: 'Size',
    headClass: 'c-sz k-sz r',
    cellClass: 'k-sz r num sub',
    sortValue: (record) => record['http.response.body.size'],
    show: (record) => (isRunning(record) ? '' : formatBytes(record['http.response.body.size'])),
  },
  { label: 'Time', headClass: 'c-w r', cellClass: 'k-w r num dim', sortValue: ({ time }) => time, show: timeCell },
]

/** Lines of the grid behind a bar, in ms. */
const BAR_TICKS = [1, 10, 100, 1_000]

export function listRow(item: ListItem, address: Address): HTMLTableRowElement {
  if (item.kind === 'divider') {
    return h('tr', { class: 'divider' }, h('td', null, h('span', null, item.text)))
  }
  const { record, isOld } = item
  const cells = COLUMNS.map(({ cellClass, show }) => h('td', { class: cellClass }, show(record, address)))
  return h('tr', { class: `row${isOld ? ' old' : ''}`, 'data-id': record.id }, cells)
}

/** Creates a row with the height of the rows out of view. */
export function gapRow(): HTMLTableRowElement {
  return h('tr', { class: 'gap', 'aria-hidden': 'true' }, h('td', null))
}

/** Opens the request of a clicked row. Links handle their clicks, and a click that selects text is ignored. */
export function openClickedRow(event: MouseEvent, open: (id: string) => void): void {
  if (!(event.target instanceof Element) || event.target.closest('a') !== null) return
  const id = event.target.closest('tr')?.dataset['id']
  if (id !== undefined && getSelection()?.isCollapsed !== false) open(id)
}

function statusCell(record: RequestSummary): HTMLElement {
  if (isRunning(record)) return h('span', { class: 'st s0' }, '…')
  return statusMark(record['http.response.status_code'])
}

function readHandler(record: RequestSummary): string {
  return record['code.function.name'] ?? ''
}

function pathCell(record: RequestSummary, address: Address): HTMLElement {
  const path = pathMark(record['url.path'], record['http.route'], record['url.query'])
  const link = isRunning(record)
    ? h('span', { class: 'pth' }, path)
    : h('a', { class: 'pth', href: formatAddress({ ...address, id: record.id }) }, path)
  const tags = flagTags(record).map(({ text, className, hint }) =>
    h('span', { class: `tag ${className}`, title: hint }, text),
  )
  return h('span', null, link, tags.length > 0 && h('span', { class: 'flags' }, tags))
}

function timeCell({ time }: RequestSummary): HTMLElement {
  const [seconds, fraction] = clock(time)
  return h('time', { datetime: new Date(time).toISOString() }, seconds, h('span', { class: 'fr' }, fraction))
}

function phaseBar(record: RequestSummary): SVGSVGElement {
  const length = barLength(record['dev.duration'])
  const ticks = BAR_TICKS.map((tick) => {
    return s('rect', { x: barLength(tick), y: 0, width: 0.35, height: 8, fill: 'var(--line-2)' })
  })
  const wholeBar = s('rect', { x: 0, y: 0, width: length, height: 8, fill: 'var(--p-rest)' })
  const pieces = barPieces(record['dev.phases'], record['dev.duration'], length)
    .filter((piece) => piece.length > 0.4)
    .map(({ index, start, length }) => {
      const fill = `var(--p-${PHASES[index] ?? 'rest'})`
      return s('rect', { x: start, y: 0, width: Math.max(0.6, length - 0.3), height: 8, fill })
    })
  return s(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    s('rect', { x: 0, y: 3.5, width: 100, height: 1, fill: 'var(--line)' }),
    ticks,
    wholeBar,
    pieces,
  )
}
