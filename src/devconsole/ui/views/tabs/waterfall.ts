/** The waterfall: one line for each phase and the calls inside of it. */
import { PHASES, type RequestRecord, type RequestSummary } from '../../../wire/request-types.js'
import { h } from '../../dom/h.js'
import { secondaryText, emptyMessage } from '../../dom/parts.js'
import { ms, percent } from '../../pure/format.js'
import { PHASE_NAMES, buildWaterfall, type WaterfallRow } from '../../pure/waterfall.js'

export function waterfall(summary: RequestSummary, record: RequestRecord | null, isFull: boolean): HTMLElement {
  if (summary['dev.phases'].length === 0) return emptyMessage('No phases were taken: too many requests at once')
  return h('ul', { class: 'wf' }, buildWaterfall(summary, record?.calls ?? null, isFull).map(waterfallRow))
}

function waterfallRow(row: WaterfallRow): HTMLElement {
  const isCall = row.kind === 'call'
  const colour = `var(--p-${row.kind})`
  const mark = isCall ? null : h('i', { css: { '--c': colour } })
  const pieces = row.pieces.map(({ start, length }) =>
    h('span', { css: { '--x': `${start * 100}%`, '--w': `${length * 100}%`, '--c': colour } }),
  )
  const share = row.duration === null ? '' : percent(row.share)
  const value = row.duration === null ? secondaryText(skippedPhases(row)) : ms(row.duration)
  return h(
    'li',
    { class: isCall ? 'n' : null },
    h('div', { class: 'lb', title: row.name }, mark, h('span', null, row.name)),
    h('div', { class: 'tr', 'aria-hidden': 'true' }, pieces),
    h('div', { class: 'v' }, value, h('em', null, share)),
  )
}

function skippedPhases(row: WaterfallRow): string {
  return row.kind === 'readBody' ? 'no body' : 'skipped'
}

/** Draws the phases as one bar. */
export function waterfallBar(phases: readonly number[]): HTMLElement {
  const ran = PHASES.map((phase, index) => ({ phase, duration: phases[index] ?? 0 })).filter((it) => it.duration > 0)
  const label = ran.map(({ phase, duration }) => `${PHASE_NAMES[phase]} ${ms(duration)}`).join(', ')
  const pieces = ran.map(({ phase, duration }) =>
    h('span', {
      title: `${PHASE_NAMES[phase]} ${ms(duration)}`,
      css: { '--f': String(duration), '--c': `var(--p-${phase})` },
    }),
  )
  return h('div', { class: 'phasebar', role: 'img', 'aria-label': label || 'No phase was measured' }, pieces)
}
