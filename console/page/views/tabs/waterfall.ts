/** Waterfall: a row for each phase, and rows of service calls and queries below the handler. */
import { PHASES } from '../../../../src/devconsole/wire/request-types.js'
import { keepFocus } from '../../dom/focus.js'
import { fill, h, type Child } from '../../dom/h.js'
import { secondaryText, emptyMessage, textButton } from '../../dom/parts.js'
import { listCallRows, type CallRow, type NestedRow } from '../../pure/call-rows.js'
import { int, ms, percent } from '../../pure/format.js'
import { isOfFile } from '../../pure/runs.js'
import { PHASE_NAMES, buildWaterfall, type WaterfallRow } from '../../pure/waterfall.js'
import { callDetails, queryDetails } from '../query-parts.js'
import type { PanelSource } from './panel-source.js'

/** Maximum number of rows of calls and queries before "Show all". */
const MAX_ROWS = 50

/** Open rows of each record, which stay open when the tab is drawn again. */
const states = new WeakMap<object, RowState>()

type Item = WaterfallRow | NestedRow

interface RowState {
  readonly open: Set<string>
  isWhole: boolean
}

/** Creates the waterfall. With `isFull`, each call and each query has a row. */
export function waterfall(source: PanelSource, isFull: boolean): HTMLElement {
  const { summary, record } = source
  if (summary['dev.phases'].length === 0)
    return emptyMessage(
      isOfFile(summary) ? 'The file contains no phases.' : 'No phases were taken: too many requests at once',
    )
  const state = (record && states.get(record)) ?? { open: new Set<string>(), isWhole: false }
  if (record !== null) states.set(record, state)
  const rows = buildWaterfall(summary, record, isFull)
  const list = h('ul', { class: 'wf' })
  const more = h('p', { class: 'more' })
  const draw = () => {
    const items = rows.flatMap((row): readonly Item[] => ('key' in row ? listCallRows([row], state.open) : [row]))
    const isNested = (item: Item): item is NestedRow => 'depth' in item
    const hidden = new Set(state.isWhole ? [] : items.filter(isNested).slice(MAX_ROWS))
    const listed = items.filter((item) => !isNested(item) || !hidden.has(item))
    fill(
      list,
      listed.map((item) => (isNested(item) ? callRow(item, { source, state, draw: redraw }) : phaseRow(item))),
    )
    more.hidden = hidden.size === 0
    fill(more, `${int(hidden.size)} more rows are not shown.`, textButton('Show all', showAll))
  }
  const box = h('div', null, list, more)
  const redraw = () => keepFocus(box, draw)
  const showAll = () => {
    state.isWhole = true
    redraw()
  }
  draw()
  return box
}

function phaseRow(row: WaterfallRow): HTMLElement {
  const color = `var(--p-${row.kind})`
  const value = row.duration === null ? secondaryText(skipReason(row)) : ms(row.duration)
  return h(
    'li',
    null,
    h('div', { class: 'lb', title: row.name }, h('i', { css: { '--c': color } }), h('span', null, row.name)),
    track(row.pieces, color),
    h('div', { class: 'v' }, value, h('em', null, row.duration === null ? '' : percent(row.share))),
  )
}

interface Drawing {
  readonly source: PanelSource
  readonly state: RowState
  readonly draw: () => void
}

function callRow({ row, depth }: NestedRow, drawing: Drawing): HTMLElement {
  const { open } = drawing.state
  const isOpen = open.has(row.key)
  const toggle = () => {
    if (!open.delete(row.key)) open.add(row.key)
    drawing.draw()
  }
  const duration = row.duration === null ? secondaryText('still running') : ms(row.duration)
  const attributes = { type: 'button', title: row.name, 'aria-expanded': String(isOpen), on: { click: toggle } }
  return h(
    'li',
    { class: row.kind === 'query' ? 'n sent' : 'n', css: { '--d': String(depth) } },
    h('div', { class: 'lb' }, h('button', attributes, h('span', null, row.name))),
    track(row.pieces, row.hasError ? 'var(--g-bad)' : `var(--p-${row.kind})`),
    h('div', { class: row.hasError ? 'v bad' : 'v' }, duration, h('em', null, percent(row.share))),
    isOpen && row.members.length === 0 && h('div', { class: 'wd' }, details(row, drawing.source)),
  )
}

function details({ call, query }: CallRow, { summary, context }: PanelSource): Child {
  const total = Math.max(summary['dev.duration'], 1e-6)
  if (query !== null) return queryDetails(query, total, context.store.state)
  return call && callDetails(call, total, context.store.state)
}

function track(pieces: WaterfallRow['pieces'], color: string): HTMLElement {
  return h(
    'div',
    { class: 'tr', 'aria-hidden': 'true' },
    pieces.map(({ start, length }) =>
      h('span', { css: { '--x': `${start * 100}%`, '--w': `${length * 100}%`, '--c': color } }),
    ),
  )
}

function skipReason(row: WaterfallRow): string {
  return row.kind === 'readBody' ? 'no body' : 'skipped'
}

/** Creates a bar with a piece for each phase. */
export function waterfallBar(phases: readonly number[]): HTMLElement {
  const ran = PHASES.map((phase, index) => ({ phase, duration: phases[index] ?? 0 })).filter(
    ({ duration }) => duration > 0,
  )
  const label = ran.map(({ phase, duration }) => `${PHASE_NAMES[phase]} ${ms(duration)}`).join(', ')
  const pieces = ran.map(({ phase, duration }) =>
    h('span', {
      title: `${PHASE_NAMES[phase]} ${ms(duration)}`,
      css: { '--f': String(duration), '--c': `var(--p-${phase})` },
    }),
  )
  return h('div', { class: 'phasebar', role: 'img', 'aria-label': label || 'No phase was measured' }, pieces)
}
