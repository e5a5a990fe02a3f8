/** The view of problems: groups of equal problems, most severe first. */
import type { Incident } from '../../wire/feed-types.js'
import { fill, h } from '../dom/h.js'
import { icon, type IconName } from '../dom/icons.js'
import { keepFocus } from '../dom/focus.js'
import { emptyState, pageElement } from '../dom/parts.js'
import { formatAddress } from '../pure/address.js'
import { span } from '../../wire/span.js'
import { int } from '../pure/format.js'
import type { State } from '../pure/state.js'
import type { View } from './context.js'
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

/** Most severe first. Within a severity, the most recent group is first. */
const SEVERITY: readonly Look[0][] = ['bad', 'warn', 'note']

const REFRESH_MS = 5_000

function severity(problem: Incident): number {
  return SEVERITY.indexOf(getLook(problem)[0])
}

function getLook({ kind }: Incident): Look {
  return LOOKS[kind] ?? LOOKS.slow
}

export class ProblemsView implements View {
  readonly element: HTMLElement
  readonly #list: HTMLElement = h('ul', { class: 'prob' })
  readonly #empty: HTMLElement
  #shown: readonly Incident[] | null = null
  #drawn = 0
  #order: readonly string[] = []

  constructor() {
    this.#empty = emptyState('No problems found. Errors, slow endpoints, invalid input and repeated calls appear here.')
    this.element = pageElement('Problems', this.#list, this.#empty)
  }

  update({ problems, boot }: State): void {
    // A group must not move away from the pointer, nor lose the focus.
    if (this.#list.matches(':hover') || this.#list.contains(document.activeElement)) return this.#refresh(problems)
    const isStale = Date.now() - this.#drawn > REFRESH_MS
    if (problems === this.#shown && !isStale) return
    this.#shown = problems
    this.#drawn = Date.now()
    this.#empty.hidden = problems.length > 0 || boot === ''
    this.#draw(problems.toSorted((a, b) => severity(a) - severity(b) || b.last - a.last))
  }

  #draw(problems: readonly Incident[]): void {
    this.#order = problems.map(({ key }) => key)
    fill(this.#list, problems.map(problemView))
  }

  /** Replaces groups that have changed, in their places; new ones come last. */
  #refresh(problems: readonly Incident[]): void {
    for (const [index, key] of this.#order.entries()) {
      const next = problems.find((problem) => problem.key === key)
      const before = this.#shown?.find((problem) => problem.key === key)
      if (next === undefined || next === before) continue
      const element = this.#list.children[index]
      if (element !== undefined) keepFocus(element, () => element.replaceChildren(...problemView(next).childNodes))
    }
    const known = new Set(this.#order)
    const fresh = problems.filter(({ key }) => !known.has(key))
    this.#list.append(...fresh.map(problemView))
    this.#order = [...this.#order, ...fresh.map(({ key }) => key)]
    this.#shown = problems
    this.#empty.hidden = true
  }
}

function problemView(problem: Incident): HTMLElement {
  const [className, name] = getLook(problem)
  const title = problem.title.map((text, index) => (index % 2 === 1 ? h('code', null, text) : text))
  const now = serverNow()
  const times = [`first ${span(now - problem.first)} ago`, `last ${span(now - problem.last)} ago`]
  const unit = problem.count === 1 ? problem.unit.replace(/s$/, '') : problem.unit
  const facts = [...(problem.count > 1 ? times : times.slice(1)), ...problem.facts]
  const link =
    problem.query === '' ? null : h('a', { class: 'link', href: formatAddress({ q: problem.query }) }, 'Show requests')
  return h(
    'li',
    { class: `pb ${className}` },
    h('span', { class: 'ic' }, icon(name)),
    h('div', null, h('h3', null, title), h('p', null, problem.detail)),
    sparkline(problem.trend, '--c'),
    h('div', { class: 'n' }, h('b', null, int(problem.count)), h('span', null, unit)),
    h(
      'div',
      { class: 'meta' },
      facts.map((text) => h('span', null, text)),
      link,
    ),
  )
}
