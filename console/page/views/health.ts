/** Health view: access to the page, the process, the cost of the console, and the configuration. */
import type { Health } from '../../../src/devconsole/wire/view-types.js'
import { fill, h, type Child } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { card, emptyState, factPairs, pageElement } from '../dom/parts.js'
import { api, ApiError } from '../live/api.js'
import type { View } from './context.js'

const REFRESH_MS = 2_000

export class HealthView implements View {
  readonly element: HTMLElement
  readonly #cards: HTMLElement = h('div', null)
  readonly #timer: ReturnType<typeof setInterval>
  #shown = ''

  constructor() {
    this.element = pageElement('Health', this.#cards)
    this.#timer = setInterval(() => void this.#read(), REFRESH_MS)
    void this.#read()
  }

  update(): void {
    // The feed contains no data of this view.
  }

  dispose(): void {
    clearInterval(this.#timer)
  }

  async #read(): Promise<void> {
    try {
      const health = await api.health()
      // Drawing only changes preserves a selection of text.
      const text = JSON.stringify(health)
      if (text !== this.#shown) fill(this.#cards, healthCards(health))
      this.#shown = text
    } catch (error) {
      this.#shown = ''
      if (error instanceof ApiError) fill(this.#cards, emptyState(`Health could not be read. ${error.message}.`))
    }
  }
}

function healthCards(health: Health): HTMLElement {
  return h(
    'div',
    { class: 'cards' },
    padCard('Who can see this page', null, guards(health)),
    padCard('Process', null, factPairs(health.process)),
    padCard('Console cost', 'measured in this process', factPairs(health.cost)),
    padCard('Configuration', 'as the app sees it', factPairs(health.options, 'wire')),
  )
}

function padCard(title: string, note: string | null, content: Child): HTMLElement {
  return card('w6', title, note, h('div', { class: 'pad' }, content))
}

function guards({ guards }: Health): HTMLElement {
  const items = guards.map(({ ok, title, detail }) =>
    h(
      'li',
      null,
      h(
        'span',
        { class: ok ? 'y' : 'w' },
        icon(ok ? 'check' : 'problems'),
        h('span', { class: 'vh' }, ok ? 'good: ' : 'note: '),
      ),
      h('div', null, title, h('p', null, detail)),
    ),
  )
  return h('ul', { class: 'chk' }, items)
}
