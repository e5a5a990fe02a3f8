/** Report of changes since the last run: a sentence, a button that replays failing requests, and the results. */
import { keepFocus } from '../dom/focus.js'
import { fill, h, type Child } from '../dom/h.js'
import { button, methodMark, secondaryText, statusMark } from '../dom/parts.js'
import { table } from '../dom/table.js'
import { formatAddress } from '../pure/address.js'
import { clock, formatCount, ms } from '../pure/format.js'
import {
  compareReplay,
  earlierRuns,
  failingRequests,
  findReplay,
  type ReplayResult,
  type Standing,
  type TrackedIncident,
} from '../pure/runs.js'
import type { State } from '../pure/state.js'
import type { ViewContext } from './context.js'
import { readReruns, rerunAll, type Rerun } from './rerun.js'

const RESULTS: Readonly<Record<ReplayResult, readonly [text: string, className: string]>> = {
  fixed: ['fixed', 'ok'],
  same: ['still there', 'bad'],
  other: ['fails in another way', 'warn'],
}

export class RunReport {
  readonly element: HTMLElement = h('section', { class: 'runs', 'aria-label': 'Since the restart', hidden: true })
  readonly #context: ViewContext
  #shown = ''

  constructor(context: ViewContext) {
    this.#context = context
  }

  update(state: State, incidents: readonly TrackedIncident[]): void {
    const { reruns, isRunning } = readReruns()
    const failing = failingRequests(state)
    const isHidden = earlierRuns(state).length === 0 && failing.length === 0 && reruns.length === 0
    this.element.hidden = isHidden
    if (isHidden) return
    const text = reportText(state, incidents)
    const rows = reruns.map((rerun) => resultRow(rerun, state))
    const json = JSON.stringify([text, isRunning, failing.length, rows.map(({ key }) => key)])
    if (json === this.#shown) return
    this.#shown = json
    const replay = button('replay', `Replay the ${formatCount(failing.length, 'failing request')}`, {
      class: 'btn primary',
      disabled: isRunning || failing.length === 0,
      on: { click: () => void rerunAll(this.#context, failingRequests(this.#context.store.state)) },
    })
    const results = rows.length > 0 && resultTable(rows)
    keepFocus(this.element, () => fill(this.element, h('div', { class: 'line' }, h('p', null, text), replay), results))
  }
}

/** Formats `Since the restart of 14:03: 1 gone, 2 not requested since.` */
function reportText(state: State, incidents: readonly TrackedIncident[]): string {
  const counts = new Map<Standing['kind'], number>()
  for (const { standing } of incidents) {
    if (standing !== null) counts.set(standing.kind, (counts.get(standing.kind) ?? 0) + 1)
  }
  const parts = (['new', 'still', 'unrequested', 'gone'] as const).flatMap((kind) => {
    const count = counts.get(kind)
    return count === undefined ? [] : [`${count} ${STANDINGS[kind]}`]
  })
  const restart = `Since the restart of ${timeOfDay(state.boots.get(state.boot) ?? 0)}`
  return `${restart}: ${parts.length === 0 ? 'no problems' : parts.join(', ')}.`
}

const STANDINGS: Readonly<Record<Standing['kind'], string>> = {
  gone: 'gone',
  unrequested: 'not requested since',
  still: 'still there',
  new: 'new',
}

export function standingText(standing: Standing): string {
  return standing.kind === 'gone' ? `gone since the restart of ${timeOfDay(standing.since)}` : STANDINGS[standing.kind]
}

function timeOfDay(time: number): string {
  return clock(time)[0].slice(0, 5)
}

interface ResultRow {
  /** A string that changes when the row must be drawn again. */
  readonly key: string
  readonly cells: readonly Child[]
}

function resultTable(rows: readonly ResultRow[]): HTMLElement {
  const heads = ['Request', 'Before', 'After', 'Result', '']
  const results = table(
    heads,
    rows.map(({ cells }) => cells),
  )
  return h('div', { class: 'results' }, results)
}

function resultRow({ before, response, note }: Rerun, state: State): ResultRow {
  const after = findReplay(state, before.id)
  const request = [methodMark(before['http.request.method']), ' ', before['url.path']]
  const original = [
    h('a', { class: 'link', href: formatAddress({ id: before.id }) }, request),
    timing(before['http.response.status_code'], before['dev.duration']),
  ]
  if (response === null) return { key: `${before.id} ${note}`, cells: [...original, secondaryText(note), '', ''] }
  if (after === null) {
    const cells = [...original, timing(response.status, response.duration), secondaryText('…'), '']
    return { key: `${before.id} ${response.status}`, cells }
  }
  const [text, className] = RESULTS[compareReplay(before, after)]
  const open = timing(after['http.response.status_code'], after['dev.duration'], formatAddress({ id: after.id }))
  const compare = h('a', { class: 'link', href: formatAddress({ id: after.id, tab: 'compare' }) }, 'Compare')
  return {
    key: `${before.id} ${after.id}`,
    cells: [...original, open, h('span', { class: `tag ${className}` }, text), compare],
  }
}

function timing(status: number, duration: number, href: string | null = null): HTMLElement {
  const text = ms(duration)
  return h(
    'span',
    { class: 'num' },
    statusMark(status),
    ' ',
    href === null ? text : h('a', { class: 'link', href }, text),
  )
}
