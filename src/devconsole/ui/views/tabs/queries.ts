/** The queries of a request: how much of its time they took, which are slow, and which are repeated. */
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
import type { Query } from '../../../wire/request-types.js'
import { placeText } from '../../pure/editor.js'
import { placeMark } from '../place.js'
import { compactText, paramList, wholeText } from '../query-parts.js'
import type { RecordSource } from './panel-source.js'

/** Statements that are shown before "Show all". */
const MAX_GROUPS = 50

/** Number of characters that fit into three lines. */
const MAX_TEXT_LENGTH = 180

/** Different parameters that a group shows while it is closed. */
const MAX_PARAMS = 5

const COLUMNS: readonly SortColumn<QuerySort>[] = [
  ['order', '#', 'qn', true],
  ['query', 'Query', '', true],
  ['rows', 'Result', 'r', false],
  ['time', 'Time', 'r', false],
]

/** Order and open rows of each record. They stay when the panel is drawn again. */
const states = new WeakMap<object, TableState>()

interface TableState {
  sorting: Sorting<QuerySort>
  readonly open: Set<number>
  isWhole: boolean
}

/** What rows are drawn with. */
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
  const rest =
    record.queriesMore === 0 ? null : emptyMessage(`${int(record.queriesMore)} more were counted and not kept.`)
  const note = record.queries.length === 1 ? null : h('span', { class: 'num' }, `longest ${ms(longest)}`)
  const title = summarizeQueries(summary, record)
  return [section(title, note, timeline(record.queries, total), queryTable(source, total), rest)]
}

function timeline(queries: readonly Query[], total: number): HTMLElement {
  const pieces = queries.map((query) => {
    const { start, length } = querySpan(query, total)
    const colour = query.error === null ? 'var(--p-query)' : 'var(--g-bad)'
    return h('span', { css: { '--x': `${start * 100}%`, '--w': `${length * 100}%`, '--c': colour } })
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
    const shown = state.isWhole ? sorted : sorted.slice(0, MAX_GROUPS)
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
      shown.map((group) => groupRows(group, { ...source, total, state, draw: redraw })),
    )
    more.hidden = shown.length === sorted.length
    fill(more, `${formatCount(sorted.length - shown.length, 'more statement')} not shown.`, textButton('Show all', all))
  }
  const all = () => {
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

/** Kind, target, service call, and number of queries. */
function headLine({ first, index, members, isRepeated }: QueryGroup, { record }: Drawing): HTMLElement {
  const calls = members.flatMap(({ query }) => (query.call === null ? [] : (record.calls[query.call]?.name ?? [])))
  const origin = [...(first.target === null ? [] : [first.target]), ...new Set(calls)]
  const copy = () => void copyText(first.text, `the text of query ${index + 1}`)
  return h(
    'div',
    { class: 'qh' },
    members.length > 1 ? h('b', { class: 'num' }, `${members.length} ×`) : null,
    h('span', { class: 'tag' }, first.kind),
    isRepeated ? h('span', { class: 'tag note', title: 'Looks like one query per row' }, 'N+1') : null,
    h('span', { class: 'qv' }, origin.join(', ')),
    iconButton('copy', `Copy the text of query ${index + 1}`, { class: 'btn icon ghost', on: { click: copy } }),
  )
}

/** Three lines of the text, and a button for the rest. */
function clampedText({ first, index }: QueryGroup, { state, draw }: Drawing): Child {
  const show = () => {
    state.open.add(index)
    draw()
  }
  const isLong = first.text.length > MAX_TEXT_LENGTH
  return [compactText(first.kind, first.text), isLong ? textButton('Show all', show, 'link') : null]
}

function queryFacts(query: Query, isWhole: boolean, { context }: Drawing): Child {
  const { params, error, site } = query
  return [
    params === null ? null : h('div', { class: isWhole ? 'qp whole' : 'qp' }, isWhole ? paramList(params) : params),
    error === null ? null : h('p', { class: 'err' }, error),
    site === null ? null : h('div', { class: 'qsite' }, placeMark(site, context.store.state)),
  ]
}

/** Whether all queries of a group were sent from the same line. */
function hasOneSite(members: readonly NumberedQuery[]): boolean {
  return new Set(members.map(({ query }) => query.site && placeText(query.site))).size === 1
}

/** Describes the parameters of a group, and the number of its errors. */
function groupFacts({ first, params, members, errors }: QueryGroup, { context }: Drawing): Child {
  const [only] = params
  const rest = params.length - MAX_PARAMS
  const text =
    params.length === 1
      ? ['always with the same parameters: ', h('code', null, only)]
      : [
          `${int(params.length)} different parameters: `,
          h('code', null, params.slice(0, MAX_PARAMS).join(' · ')),
          rest > 0 ? ` and ${int(rest)} more` : null,
        ]
  return [
    params.length === 0 ? null : h('div', { class: 'qp' }, text),
    errors === 0 ? null : h('p', { class: 'err' }, `${int(errors)} of ${int(members.length)} failed`),
    first.site !== null &&
      hasOneSite(members) &&
      h('div', { class: 'qsite' }, placeMark(first.site, context.store.state)),
  ]
}

/** A query of an open group. Its text is shown only if it differs from the first one. */
function memberRow({ index, query }: NumberedQuery, { first, members }: QueryGroup, drawing: Drawing): HTMLElement {
  const share = querySpan(query, drawing.total).length
  return h(
    'tr',
    { class: query.error === null ? 'qm' : 'qm bad' },
    h('td', { class: 'qn' }, index + 1),
    h(
      'td',
      null,
      query.text === first.text ? null : compactText(query.kind, query.text),
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
