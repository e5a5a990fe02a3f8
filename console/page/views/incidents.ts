/** Problems view: the incidents of the app, most severe first. */
import type { Incident } from '../../../src/devconsole/wire/feed-types.js'
import { fill, h } from '../dom/h.js'
import { icon, type IconName } from '../dom/icons.js'
import { keepFocus } from '../dom/focus.js'
import { emptyState, pageElement } from '../dom/parts.js'
import { formatAddress } from '../pure/address.js'
import { span } from '../../../src/devconsole/wire/span.js'
import { int, ms } from '../pure/format.js'
import { selectTrend } from '../pure/trend.js'
import { trackIncidents, type Standing, type TrackedIncident } from '../pure/runs.js'
import { isSame } from '../pure/same.js'
import type { State } from '../pure/state.js'
import type { View, ViewContext } from './context.js'
import { RunReport, standingText } from './run-report.js'
import { sparkline } from './sparkline.js'
import { serverNow } from '../pure/server-clock.js'

type Look = readonly [className: 'bad' | 'warn' | 'note', icon: IconName]

const LOOKS: Readonly<Record<Incident['kind'], Look>> = {
  exception: ['bad', 'problems'],
  mismatch: ['bad', 'routes'],
  version: ['warn', 'routes'],
  silent: ['bad', 'clock'],
  slow: ['warn', 'clock'],
  invalid: ['warn', 'edit'],
  stall: ['warn', 'performance'],
  large: ['warn', 'download'],
  burst: ['warn', 'replay'],
  repeated: ['note', 'database'],
}

/** Severities in descending order. Within a severity, the most recent incident is first. */
const SEVERITIES: readonly Look[0][] = ['bad', 'warn', 'note']

const REFRESH_MS = 5_000

function getLook({ kind }: Incident): Look {
  return LOOKS[kind] ?? LOOKS.slow
}

export class ProblemsView implements View {
  readonly element: HTMLElement
  readonly #context: ViewContext
  readonly #report: RunReport
  readonly #list: HTMLElement = h('ul', { class: 'prob' })
  readonly #empty: HTMLElement
  #shown: readonly TrackedIncident[] = []
  #drawn = 0
  #hadEarlierRun = false

  constructor(context: ViewContext) {
    this.#context = context
    this.#report = new RunReport(context)
    this.#empty = emptyState('No problems found. Errors, slow endpoints, invalid input and repeated calls appear here.')
    this.element = pageElement('Problems', this.#report.element, this.#list, this.#empty)
    // At the time of the event, the list still has the pointer or the focus.
    const updateNext = () => requestAnimationFrame(() => this.update(this.#context.store.state))
    this.#list.addEventListener('pointerleave', updateNext)
    this.#list.addEventListener('focusout', updateNext)
  }

  update(state: State): void {
    const incidents = trackIncidents(state)
    this.#report.update(state, incidents)
    this.#empty.hidden = incidents.length > 0 || state.boot === ''
    this.#readFigures(state)
    // An incident must not move away from the pointer or lose the focus.
    if (this.#list.matches(':hover') || this.#list.contains(document.activeElement)) return this.#refresh(incidents)
    const sorted = incidents.toSorted((a, b) => rank(a) - rank(b) || b.incident.last - a.incident.last)
    const isStale = Date.now() - this.#drawn > REFRESH_MS
    if (!isStale && isSame(sorted.map(drawnPart), this.#shown.map(drawnPart))) return
    this.#drawn = Date.now()
    this.#shown = sorted
    fill(
      this.#list,
      sorted.map((tracked) => this.#view(tracked)),
    )
  }

  #view(tracked: TrackedIncident): HTMLElement {
    return problemView(tracked, this.#context.store.state.processes[0]?.started ?? 0)
  }

  /** Reads the metrics once after a restart, to compare both runs. */
  #readFigures({ runs }: State): void {
    const hasEarlierRun = runs.length > 0
    if (hasEarlierRun && !this.#hadEarlierRun) void this.#context.feed.refreshMetrics()
    this.#hadEarlierRun = hasEarlierRun
  }

  /** Draws changed incidents again without moving them. New incidents are last. */
  #refresh(incidents: readonly TrackedIncident[]): void {
    const listed = this.#shown.map((before, index) => {
      const next = incidents.find(({ incident }) => incident.key === before.incident.key)
      if (next === undefined || drawnPart(next) === drawnPart(before)) return before
      const element = this.#list.children[index]
      if (element !== undefined) keepFocus(element, () => element.replaceChildren(...this.#view(next).childNodes))
      return next
    })
    const listedKeys = new Set(listed.map(({ incident }) => incident.key))
    const fresh = incidents.filter(({ incident }) => !listedKeys.has(incident.key))
    this.#list.append(...fresh.map((tracked) => this.#view(tracked)))
    this.#shown = [...listed, ...fresh]
  }
}

/** Incidents that are gone come last. */
function rank({ incident, standing }: TrackedIncident): number {
  return SEVERITIES.indexOf(getLook(incident)[0]) + (standing?.kind === 'gone' ? SEVERITIES.length : 0)
}

/** Returns a string that changes when the incident must be drawn again. */
function drawnPart({ incident, standing, before, after }: TrackedIncident): string {
  const { key, count, last, detail } = incident
  return JSON.stringify([key, count, last, detail, standing, before, after])
}

function problemView({ incident: problem, standing, before, after }: TrackedIncident, started: number): HTMLElement {
  const [className, name] = getLook(problem)
  const title = problem.title.map((text, index) => (index % 2 === 1 ? h('code', null, text) : text))
  const now = serverNow()
  const values = selectTrend(problem.trend, now - Math.min(started, problem.first))
  const times = [`first ${span(now - problem.first)} ago`, `last ${span(now - problem.last)} ago`]
  const unit = problem.count === 1 ? problem.unit.replace(/s$/, '') : problem.unit
  const facts = [...(problem.count > 1 ? times : times.slice(1)), ...problem.facts]
  const state = standing && h('span', { class: `tag ${STANDING_CLASSES[standing.kind]}` }, standingText(standing))
  const medians = standing === null ? null : medianText(before, after)
  return h(
    'li',
    { class: `pb ${className}${standing?.kind === 'gone' ? ' gone' : ''}` },
    h('span', { class: 'ic' }, icon(name)),
    h('div', null, h('h3', null, title, ' ', state), h('p', null, problem.detail)),
    values.length === 0 ? h('span', { class: 'spark' }) : sparkline(values, '--c'),
    h('div', { class: 'n' }, h('b', null, int(problem.count)), h('span', null, unit)),
    h(
      'div',
      { class: 'meta' },
      [...facts, ...(medians === null ? [] : [medians])].map((text) => h('span', null, text)),
      requestsLink(problem, standing),
    ),
  )
}

const STANDING_CLASSES: Readonly<Record<Standing['kind'], string>> = {
  gone: 'ok',
  unrequested: '',
  still: 'bad',
  new: 'info',
}

function medianText(before: number | null, after: number | null): string | null {
  if (before === null) return after === null ? null : `median ${ms(after)}`
  return `median ${ms(before)} before, ${after === null ? 'no requests after' : `${ms(after)} after`}`
}

/** An incident of an earlier run links to its newest request, because its other requests may not be stored. */
function requestsLink({ query, sample }: Incident, standing: Standing | null): HTMLElement | null {
  const isEarlier = standing?.kind === 'gone' || standing?.kind === 'unrequested'
  if (isEarlier)
    return sample === null ? null : h('a', { class: 'link', href: formatAddress({ id: sample }) }, 'Show the request')
  return query === '' ? null : h('a', { class: 'link', href: formatAddress({ q: query }) }, 'Show requests')
}
