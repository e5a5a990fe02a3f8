/** Logs view: log lines with a link to their request, and filters by level and text. */
import type { LogLine, RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { fill, h } from '../dom/h.js'
import { emptyState, searchField, textButton } from '../dom/parts.js'
import { formatAddress, type Address } from '../pure/address.js'
import { clock } from '../pure/format.js'
import { matchesLogFilter, LEVELS, type LevelChoice } from '../pure/log-filter.js'
import { isSame } from '../pure/same.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import type { ViewContext, View } from './context.js'
import { logLine } from './log-line.js'

/** Number of lines in the list. The button below the list adds as many. */
const PAGE = 300
const TOP = 4

export class LogsView implements View {
  readonly element: HTMLElement
  readonly #context: ViewContext
  readonly #input: HTMLInputElement
  readonly #focus: () => void
  readonly #levels: ReadonlyMap<LevelChoice, HTMLElement>
  readonly #list: HTMLElement = h('ol', { 'aria-label': 'Log lines, newest first' })
  readonly #box: HTMLElement = h('div', { class: 'lg', tabindex: '0', role: 'region', 'aria-label': 'Log' }, this.#list)
  readonly #more: HTMLElement = h('div', { class: 'empty' })
  #level: LevelChoice = 'all'
  #q = ''
  #count = PAGE
  #drawn: readonly unknown[] = []
  #isWaiting = false

  constructor(context: ViewContext) {
    this.#context = context
    const input = () => this.#go({ q: this.#input.value })
    const field = searchField('Filter logs', 'message, field, handler, or path', { input })
    this.#input = field.input
    this.#focus = field.focus
    this.#levels = new Map(LEVELS.map(([level, label]) => [level, this.#levelButton(level, label)]))
    const levels = h('div', { class: 'seg', role: 'group', 'aria-label': 'Level' }, [...this.#levels.values()])
    this.#box.append(this.#more)
    this.#box.addEventListener('scroll', () => this.#handleScroll(), { passive: true })
    this.element = h(
      'div',
      { class: 'main-in' },
      h('h2', { class: 'vh' }, 'Logs'),
      h('div', { class: 'bar' }, field.element, levels),
      this.#box,
    )
    context.feed.optionalEvents.set(['log', 'open'])
    // The snapshot has the lines that the feed did not send before.
    void context.feed.refresh()
  }

  update(state: State, { q, level }: Address): void {
    const choice = LEVELS.find(([name]) => name === level)?.[0] ?? 'all'
    if (this.#input.value !== q) this.#input.value = q
    if (choice !== this.#level || q !== this.#q) {
      this.#level = choice
      this.#q = q
      this.#redraw()
    }
    // While the user reads older lines, they must not move.
    this.#isWaiting = this.#box.scrollTop > TOP
    if (!this.#isWaiting) this.#draw(state)
  }

  command(command: Command): boolean {
    if (command !== 'filter') return false
    this.#focus()
    return true
  }

  dispose(): void {
    this.#context.feed.optionalEvents.set(['open'])
  }

  #levelButton(level: LevelChoice, label: string): HTMLElement {
    return textButton(label, () => this.#go({ level: level === 'all' ? '' : level }), '')
  }

  #go(to: Pick<Partial<Address>, 'q' | 'level'>): void {
    this.#context.go({ ...this.#context.address(), ...to }, 'replace')
  }

  #handleScroll(): void {
    if (this.#isWaiting && this.#box.scrollTop <= TOP) this.#draw(this.#context.store.state)
  }

  #redraw(): void {
    this.#count = PAGE
    this.#draw(this.#context.store.state)
  }

  #draw(state: State): void {
    const text = this.#q.trim().toLowerCase()
    const next = [state.logs, state.records, text, this.#level, this.#count]
    if (isSame(next, this.#drawn)) return
    this.#drawn = next
    for (const [level, element] of this.#levels) element.setAttribute('aria-pressed', String(level === this.#level))
    const byId = new Map(state.records.map((record) => [record.id, record]))
    const findRequest = (line: LogLine) => (line.request === null ? undefined : byId.get(line.request))
    const matches = state.logs.filter((line) => matchesLogFilter(line, findRequest(line), { level: this.#level, text }))
    fill(
      this.#list,
      matches.slice(0, this.#count).map((line) => lineView(line, findRequest(line))),
    )
    fill(this.#more, this.#footer(matches.length, state.logs.length))
  }

  #footer(found: number, total: number): HTMLElement | null {
    if (total === 0) return emptyState('No log lines yet. What your app logs appears here, each line with its request.')
    if (found === 0) return emptyState('No line matches.')
    if (found <= this.#count) return null
    const click = () => {
      this.#count += PAGE
      this.#draw(this.#context.store.state)
    }
    return textButton(`Show more of ${found} lines`, click)
  }
}

function lineView(line: LogLine, request: RequestSummary | undefined): HTMLElement {
  const time = clock(line.time).join('')
  if (line.request === null) return logLine(line, time, null)
  const href = formatAddress({ id: line.request, tab: 'logs' })
  const text =
    request === undefined
      ? line.request
      : `${request['http.request.method']} ${request['http.route'] ?? request['url.path']}`
  return logLine(line, time, h('a', { href, title: 'Open the request of this line' }, text))
}
