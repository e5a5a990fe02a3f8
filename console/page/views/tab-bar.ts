/** Tab bar (ARIA Authoring Practices Guide): the Tab key reaches the selected tab, and arrow keys select the others. */
import { h, setAttribute } from '../dom/h.js'

export interface Tab {
  readonly id: string
  readonly label: string
  /** Number after the label; `null` without one. */
  readonly count: number | null
  /** Class of the number: `warn`, `bad` or empty. */
  readonly className: string
}

export class TabBar {
  readonly element: HTMLElement
  readonly #choose: (id: string) => void
  #tabs: readonly Tab[] = []
  #buttons = new Map<string, HTMLElement>()

  constructor(label: string, choose: (id: string) => void) {
    this.#choose = choose
    const on = { keydown: (event: KeyboardEvent) => this.#handleKey(event) }
    this.element = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label, on })
  }

  show(tabs: readonly Tab[], current: string): void {
    if (JSON.stringify(tabs) !== JSON.stringify(this.#tabs)) this.#build(tabs)
    for (const [id, button] of this.#buttons) {
      button.setAttribute('aria-selected', String(id === current))
      setAttribute(button, 'tabindex', id === current ? '0' : '-1')
      if (id === current) button.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
  }

  #build(tabs: readonly Tab[]): void {
    this.#tabs = tabs
    this.#buttons = new Map(
      tabs.map(({ id, label, count, className }) => {
        const attributes = { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': 'panel' }
        const number = count !== null && h('small', { class: className }, count)
        return [id, h('button', { ...attributes, on: { click: () => this.#choose(id) } }, label, number)]
      }),
    )
    this.element.replaceChildren(...this.#buttons.values())
  }

  #handleKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }
    const ids = [...this.#buttons.keys()]
    const index = ids.findIndex((id) => this.#buttons.get(id) === document.activeElement)
    const ends: Readonly<Record<string, number>> = { Home: 0, End: ids.length - 1 }
    const next = ends[event.key] ?? (index + (steps[event.key] ?? NaN) + ids.length) % ids.length
    const id = ids[next]
    if (id === undefined) return
    event.preventDefault()
    this.#choose(id)
    this.#buttons.get(id)?.focus()
  }
}
