/** Comparison of a request with an earlier request to the same endpoint. */
import type { RequestSummary } from '../../../../src/devconsole/wire/request-types.js'
import { fill, h, type Child } from '../../dom/h.js'
import { emptyMessage, pairs, section, textButton } from '../../dom/parts.js'
import { table } from '../../dom/table.js'
import { formatAddress } from '../../pure/address.js'
import { candidatesFor, compareSummaries, findOriginal, type Delta } from '../../pure/compare.js'
import { formatBytes, clock, ms } from '../../pure/format.js'
import type { PanelSource } from './panel-source.js'

/** Compares with the original of a replay, the last successful request, or a pinned request. */
export function comparePanel({ summary, context }: PanelSource): Child {
  const { records } = context.store.state
  const { previous, pinned } = candidatesFor(summary, records)
  const original = findOriginal(summary, records)
  const choices: (readonly [string, RequestSummary])[] = []
  if (original !== null) choices.push(['Original', original])
  if (previous !== null) choices.push(['Previous', previous])
  for (const record of pinned) choices.push([`Pinned ${clock(record.time)[0]}`, record])
  const [first] = choices
  if (first === undefined) return emptyMessage('No earlier call of this endpoint went well, and none is pinned.')
  const box = h('div', { class: 'stack' })
  const show = (index: number) => {
    const [, other] = choices[index] ?? first
    for (const [position, button] of buttons.entries()) button.setAttribute('aria-pressed', String(position === index))
    fill(box, comparison(other, summary))
  }
  const buttons = choices.map(([label], index) => textButton(label, () => show(index), ''))
  const bar = h('div', { class: 'seg', role: 'group', 'aria-label': 'Compare with' }, buttons)
  show(0)
  return [choices.length > 1 && h('div', { class: 'acts' }, bar), box]
}

function comparison(before: RequestSummary, after: RequestSummary): Child {
  const link = h('a', { class: 'link mono', href: formatAddress({ id: before.id }) }, before.id)
  const title = comparisonTitle(before, after)
  const [statusBefore, statusAfter] = [before['http.response.status_code'], after['http.response.status_code']]
  return [
    section(title, link, deltaTable(compareSummaries(before, after))),
    section(
      'Differences',
      null,
      pairs([
        ['Status', statusBefore === statusAfter ? `same, ${statusAfter}` : `${statusBefore}, then ${statusAfter}`],
        ['Service calls', `${before['dev.db']}, then ${after['dev.db']}`],
        ['Queries', queryCounts(before, after)],
        ['Response size', sizes(before, after)],
        ['Query', before['url.query'] === after['url.query'] ? 'same' : 'another'],
      ]),
    ),
  ]
}

/** Returns `null` if neither request sent queries. */
function queryCounts(before: RequestSummary, after: RequestSummary): string | null {
  const [first, second] = [before['dev.queries'], after['dev.queries']]
  return first + second === 0 ? null : `${first}, then ${second}`
}

function comparisonTitle(before: RequestSummary, after: RequestSummary): string {
  if (before.id === after['dev.replayOf']) return 'Against the request that was replayed'
  return before['dev.pinned'] ? 'Against a pinned call' : 'Against the previous successful call'
}

function sizes(before: RequestSummary, after: RequestSummary): string {
  return `${formatBytes(before['http.response.body.size'])}, then ${formatBytes(after['http.response.body.size'])}`
}

function deltaTable(deltas: readonly Delta[]): HTMLElement {
  const rows = deltas.map(({ name, before, after, isWorse }) => {
    const change = Math.abs(after - before)
    const text = change < 0.005 ? 'same' : `${after > before ? '+' : '−'}${ms(change)}`
    return [name, ms(before), ms(after), isWorse ? h('span', { class: 's5' }, text) : text]
  })
  return table(['Phase', 'Before', 'This call', 'Change'], rows, true)
}
