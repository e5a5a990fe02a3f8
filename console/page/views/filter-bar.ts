/** Bar above the list of requests: filter, quick filters with counts, HAR download, opening a file, and clearing. */
import { parseFilter, type FilterError } from '../../../src/devconsole/wire/filter.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { fill, h, setAttribute } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { button, iconButton, searchField, textButton } from '../dom/parts.js'
import { harLink } from '../live/api.js'
import { QUICK_FILTERS } from '../pure/list.js'
import { serverNow } from '../pure/server-clock.js'
import { suggestTerms } from '../pure/suggest.js'

const EXAMPLE = 'status:5xx  -method:GET  dur:>200ms  path:/invoices*  is:n+1'

const FILE_TITLE = 'Open a HAR file or a JSON record'

interface FilterBarActions {
  /** Called when the user enters or chooses a filter. */
  readonly filter: (q: string) => void
  readonly clear: () => void
  readonly chooseFile: () => void
}

export class FilterBar {
  readonly element: HTMLElement
  /** Focuses the filter. */
  readonly focus: () => void
  readonly #input: HTMLInputElement
  readonly #error: HTMLElement = h('p', { class: 'field-err', id: 'filter-error', role: 'status', hidden: true })
  readonly #suggestions: HTMLElement = h('div', { class: 'suggest', role: 'group', 'aria-label': 'Suggestions' })
  readonly #actions: FilterBarActions
  #suggested = ''
  readonly #quick: readonly { readonly q: string; readonly element: HTMLElement; readonly count: HTMLElement }[]
  readonly #har: HTMLAnchorElement

  constructor(actions: FilterBarActions) {
    this.#actions = actions
    const field = searchField('Filter requests', EXAMPLE, { input: () => actions.filter(this.#input.value) })
    field.element.addEventListener('keydown', (event) => this.#handleKey(event))
    this.#input = field.input
    this.focus = field.focus
    this.#input.setAttribute('aria-describedby', 'filter-error')
    field.element.append(h('div', { class: 'field-pop' }, this.#error, this.#suggestions))
    this.#quick = QUICK_FILTERS.map(([label, q, className]) => {
      const count = h('small', null)
      const choose = () => actions.filter(this.#input.value === q ? '' : q)
      const attributes = { type: 'button', 'aria-pressed': 'false', on: { click: choose } }
      return { q, count, element: h('button', attributes, h('span', { class: className }, label), count) }
    })
    const title = 'Download the requests shown as an HTTP archive, without secrets'
    this.#har = h('a', { class: 'btn', download: true, title }, icon('download'), h('span', { class: 'txt' }, 'HAR'))
    this.#har.setAttribute('aria-label', `HAR: ${title}`)
    const elements = this.#quick.map(({ element }) => element)
    this.element = h(
      'div',
      { class: 'bar full' },
      field.element,
      h('div', { class: 'seg', role: 'group', 'aria-label': 'Quick filters' }, elements),
      this.#har,
      button('folder', 'Open', {
        'aria-label': FILE_TITLE,
        title: `${FILE_TITLE} (o)`,
        on: { click: actions.chooseFile },
      }),
      iconButton('trash', 'Clear the list (Shift X)', { on: { click: actions.clear } }),
    )
  }

  update(q: string, records: readonly RequestSummary[]): void {
    if (this.#input.value !== q) this.#input.value = q
    this.#showErrors(parseFilter(q, serverNow()).errors)
    this.#har.href = harLink(q)
    this.#suggest(q, records)
    for (const { q: quickFilter, element, count } of this.#quick) {
      element.setAttribute('aria-pressed', String(quickFilter === q.trim()))
      const { matches } = parseFilter(quickFilter)
      fill(count, records.filter((summary) => matches({ summary })).length)
    }
  }

  /** Draws suggestions only if they have changed, so that a focused suggestion keeps the focus. */
  #suggest(q: string, records: readonly RequestSummary[]): void {
    const suggestions = suggestTerms(q, records)
    const json = JSON.stringify(suggestions)
    if (json === this.#suggested) return
    this.#suggested = json
    const choose = (filter: string) => () => {
      this.#actions.filter(filter)
      this.#input.focus()
    }
    const buttons = suggestions.map(({ text, hint, q }) =>
      textButton([text, ' ', h('small', null, hint)], choose(q), ''),
    )
    fill(this.#suggestions, buttons)
  }

  /** Arrows move between the field and its suggestions. Escape returns to the field. */
  #handleKey(event: KeyboardEvent): void {
    const places = [this.#input, ...this.#suggestions.children]
    const place = places.findIndex((element) => element === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const next = step && places[place + step]
    if (next instanceof HTMLElement) {
      event.preventDefault()
      next.focus()
    }
    if (event.key !== 'Escape') return
    event.stopPropagation()
    if (place > 0) this.#input.focus()
    else if (this.#input.value === '') this.#input.blur()
    else this.#actions.filter('')
  }

  #showErrors(errors: readonly FilterError[]): void {
    const text = errors.map((error) => error.message).join('. ')
    setAttribute(this.#input, 'aria-invalid', errors.length > 0 ? 'true' : null)
    this.#error.hidden = errors.length === 0
    if (this.#error.textContent !== text) this.#error.textContent = text
  }
}
