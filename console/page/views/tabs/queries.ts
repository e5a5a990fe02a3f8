/** Queries tab: timeline, and a table of statements with their share of the time. */
import { keepFocus } from '../../dom/focus.js'
import { fill, h, type Child } from '../../dom/h.js'
import { copyText } from '../../dom/notice.js'
import { emptyMessage, iconButton, section, statusMark, textButton } from '../../dom/parts.js'
import { sortHead, type SortColumn, type Sorting } from '../../dom/sort-head.js'
import { formatCount, int, ms, percent } from '../../pure/format.js'
import {
  busyShare,
  durationText,
  groupQueries,
  querySpan,
  sortGroups,
  summarizeQueries,
  type NumberedQuery,
  type QueryGroup,
  type QuerySort,
} from '../../pure/queries.js'
import type { Query } from '../../../../src/devconsole/wire/request-types.js'
import { placeText } from '../../pure/editor.js'
import { placeMark } from '../place.js'
import { compactText, paramList, wholeText } from '../query-parts.js'
import type { RecordSource } from './panel-source.js'

/** Maximum number of statements before "Show all". */
const MAX_GROUPS = 50

/** Approximate number of characters in three lines. */
const MAX_TEXT_LENGTH = 180

/** Maximum number of distinct parameters in a closed group. */
const MAX_PARAMS = 5

const COLUMNS: readonly SortColumn<QuerySort>[] = [
  ['order', '#', 'qn', true],
  ['query', 'Query', '', true],
  ['rows', 'Result', 'r', false],
  ['time', 'Time', 'r', false],
]

/** Order and open rows of each record, which survive when the tab is drawn again. */
const states = new WeakMap<object, TableState>()

interface TableState {
  sorting: Sorting<QuerySort>
  readonly open: Set<number>
  isWhole: boolean
}

interface Drawing extends RecordSource {
  readonly total: number
  readonly state: TableState
  readonly draw: () => void
}

export function queriesPanel(source: RecordSource): Child {
  const { summary, record } = source
  if (record.queries.length === 0) return emptyMessage('The queries of this request were counted and not kept.')
  const total = Math.max(summary['dev.duration'], 1e-6)
  const longest = Math.max(...record.queries.map(({ duration }) => duration ?? 0))
  const more = record.queriesMore > 0 && emptyMessage(`${int(record.queriesMore)} more were counted and not kept.`)
  const note = record.queries.length !== 1 && h('span', { class: 'num' }, `longest ${ms(longest)}`)
  const title = summarizeQueries(summary, record)
  return [section(title, note, timeline(record.queries, total), queryTable(source, total), more)]
}

function timeline(queries: readonly Query[], total: number): HTMLElement {
  const pieces = queries.map((query) => {
    const { start, length } = querySpan(query, total)
    const color = query.error === null ? 'var(--p-query)' : 'var(--g-bad)'
    return h('span', { css: { '--x': `${start * 100}%`, '--w': `${length * 100}%`, '--c': color } })
  })
  return h('div', { class: 'tr qline', 'aria-hidden': 'true' }, pieces)
}

function queryTable(source: RecordSource, total: number): HTMLElement {
  const { record } = source
  const state = states.get(record) ?? { sorting: { key: 'order', isReversed: false }, open: new Set(), isWhole: false }
  states.set(record, state)
  const groups = groupQueries(record.queries, record.repeated)
  const [head, body, more] = [h('tr', null), h('tbody', null), h('p', { class: 'more' })]
  const draw = () => {
    const sorted = sortGroups(groups, state.sorting.key, state.sorting.isReversed)
    const listed = state.isWhole ? sorted : sorted.slice(0, MAX_GROUPS)
    const choose = (sorting: Sorting<QuerySort>) => {
      state.sorting = sorting
      redraw()
    }
    fill(
      head,
      COLUMNS.map((column) => sortHead(column, state.sorting, choose)),
    )
    fill(
      body,
      listed.map((group) => groupRows(group, { ...source, total, state, draw: redraw })),
    )
    const moreText = formatCount(sorted.length - listed.length, 'more statement')
    more.hidden = listed.length === sorted.length
    fill(more, `${moreText} not shown.`, textButton('Show all', showAll))
  }
  const showAll = () => {
    state.isWhole = true
    redraw()
  }
  const table = h('table', { class: 'qtab' }, h('caption', { class: 'vh' }, 'Queries'), h('thead', null, head), body)
  const box = h('div', { class: 'qbox' }, table, more)
  const redraw = () => keepFocus(box, draw)
  draw()
  return box
}

function groupRows(group: QueryGroup, drawing: Drawing): Child {
  const { first, index, members, total, rows } = group
  const isOpen = drawing.state.open.has(index)
  const isSingle = members.length === 1
  const status = isSingle ? first.status : null
  const duration = isSingle ? first.duration : total
  const share = busyShare(
    members.map(({ query }) => query),
    drawing.total,
  )
  const row = h(
    'tr',
    { class: group.errors > 0 ? 'bad' : null },
    h('td', { class: 'qn' }, openButton(group, drawing)),
    h(
      'td',
      null,
      headLine(group, drawing),
      isOpen ? wholeText(first.kind, first.text) : clampedText(group, drawing),
      isSingle ? queryFacts(first, isOpen, drawing) : groupFacts(group, drawing),
    ),
    h('td', { class: 'r num' }, outcome(rows, status)),
    h('td', { class: 'r num' }, timeCell(durationText({ duration }), share)),
  )
  if (isSingle || !isOpen) return row
  return [row, members.map((member) => memberRow(member, group, drawing))]
}

function openButton({ index, members }: QueryGroup, { state, draw }: Drawing): HTMLElement {
  const isOpen = state.open.has(index)
  const toggle = () => {
    if (!state.open.delete(index)) state.open.add(index)
    draw()
  }
  const label = members.length === 1 ? `Query ${index + 1}` : `${members.length} queries like query ${index + 1}`
  const attributes = { type: 'button', 'aria-expanded': String(isOpen), 'aria-label': label, on: { click: toggle } }
  return h('button', attributes, h('span', { 'aria-hidden': 'true' }, isOpen ? '▾' : '▸'), String(index + 1))
}

/** Creates the line above the text: number of queries, kind, target and service calls. */
function headLine({ first, index, members, isRepeated }: QueryGroup, { record }: Drawing): HTMLElement {
  const calls = members.flatMap(({ query }) => (query.call === null ? [] : (record.calls[query.call]?.name ?? [])))
  const origin = [...(first.target === null ? [] : [first.target]), ...new Set(calls)]
  const copy = () => void copyText(first.text, `the text of query ${index + 1}`)
  return h(
    'div',
    { class: 'qh' },
    members.length > 1 && h('b', { class: 'num' }, `${members.length} ×`),
    h('span', { class: 'tag' }, first.kind),
    isRepeated && h('span', { class: 'tag note', title: 'Looks like one query per row' }, 'N+1'),
    h('span', { class: 'qv' }, origin.join(', ')),
    iconButton('copy', `Copy the text of query ${index + 1}`, { class: 'btn icon ghost', on: { click: copy } }),
  )
}

/** Creates the first three lines of the text, and a button that shows all. */
function clampedText({ first, index }: QueryGroup, { state, draw }: Drawing): Child {
  const show = () => {
    state.open.add(index)
    draw()
  }
  const isLong = first.text.length > MAX_TEXT_LENGTH
  return [compactText(first.kind, first.text), isLong && textButton('Show all', show, 'link')]
}

function queryFacts(query: Query, isWhole: boolean, { context }: Drawing): Child {
  const { params, error, site } = query
  return [
    params !== null && h('div', { class: isWhole ? 'qp whole' : 'qp' }, isWhole ? paramList(params) : params),
    error !== null && h('p', { class: 'err' }, error),
    site && h('div', { class: 'qsite' }, placeMark(site, context.store.state)),
  ]
}

/** Whether all queries of a group were sent from the same line. */
function hasOneSite(members: readonly NumberedQuery[]): boolean {
  return new Set(members.map(({ query }) => query.site && placeText(query.site))).size === 1
}

/** Creates the facts of a group: parameters, errors and place in the code. */
function groupFacts({ first, params, members, errors }: QueryGroup, { context }: Drawing): Child {
  const [only] = params
  const moreCount = params.length - MAX_PARAMS
  const text =
    params.length === 1
      ? ['always with the same parameters: ', h('code', null, only)]
      : [
          `${int(params.length)} different parameters: `,
          h('code', null, params.slice(0, MAX_PARAMS).join(' · ')),
          moreCount > 0 && ` and ${int(moreCount)} more`,
        ]
  return [
    params.length > 0 && h('div', { class: 'qp' }, text),
    errors > 0 && h('p', { class: 'err' }, `${int(errors)} of ${int(members.length)} failed`),
    first.site !== null &&
      hasOneSite(members) &&
      h('div', { class: 'qsite' }, placeMark(first.site, context.store.state)),
  ]
}

/** Creates the row of a query in an open group. The statement is repeated only if it differs from the first query. */
function memberRow({ index, query }: NumberedQuery, { first, members }: QueryGroup, drawing: Drawing): HTMLElement {
  const share = querySpan(query, drawing.total).length
  return h(
    'tr',
    { class: query.error === null ? 'qm' : 'qm bad' },
    h('td', { class: 'qn' }, index + 1),
    h(
      'td',
      null,
      query.text !== first.text && compactText(query.kind, query.text),
      queryFacts(hasOneSite(members) ? { ...query, site: null } : query, false, drawing),
    ),
    h('td', { class: 'r num' }, outcome(query.rows, query.status)),
    h('td', { class: 'r num' }, timeCell(durationText(query), share)),
  )
}

function outcome(rows: number | null, status: number | null): Child {
  if (status !== null) return statusMark(status)
  return rows === null ? h('span', { class: 'dim' }, '–') : formatCount(rows, 'row')
}

function timeCell(text: string, share: number): Child {
  return [
    text,
    h('small', null, percent(share)),
    h('div', { class: 'sh', 'aria-hidden': 'true' }, h('i', { css: { '--w': `${share * 100}%` } })),
  ]
}
