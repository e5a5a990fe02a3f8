/** Routes view: list of routes, and the selected endpoint. */
import type { RouteInfo } from '../../../src/devconsole/wire/view-types.js'
import { keepFocus } from '../dom/focus.js'
import { fill, h } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { emptyState, searchField } from '../dom/parts.js'
import { formatAddress, type Address } from '../pure/address.js'
import { isSame } from '../pure/same.js'
import type { JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import { buildForm } from '../pure/try-form.js'
import type { ViewContext, View } from './context.js'
import { findOperation, routeDetail } from './route-detail.js'
import { RouteTree } from './route-tree.js'
import { TryIt, type TrySource } from './try-it.js'
import { clamp } from '../pure/geometry.js'

/** Placeholder for the document until it is read. */
const NO_DOCUMENT: JsonRecord = {}

export class RoutesView implements View {
  readonly element: HTMLElement
  readonly #context: ViewContext
  readonly #input: HTMLInputElement
  readonly #focus: () => void
  readonly #tree = new RouteTree()
  readonly #detail: HTMLElement
  readonly #split: HTMLElement
  /** Link to the list. Only its URL changes with the filter, so the detail is not drawn again. */
  readonly #back: HTMLAnchorElement = h('a', { class: 'btn only-n' }, icon('back'), 'All routes')
  readonly #openapi: HTMLAnchorElement
  #form: TryIt | null = null
  /** Values from which the form was created. */
  #formSources: readonly unknown[] = []
  #fields = ''
  #shown: readonly unknown[] = []
  #treeSources: readonly unknown[] = []

  constructor(context: ViewContext) {
    this.#context = context
    const field = searchField('Filter routes', 'Filter by path, class, or decorator', {
      input: () => context.go({ ...context.address(), q: this.#input.value }, 'replace'),
    })
    this.#input = field.input
    this.#focus = field.focus
    this.#detail = h('div', { class: 'rd', tabindex: '0', role: 'region', 'aria-label': 'Endpoint' })
    this.#split = h('div', { class: 'rsplit' }, this.#tree.element, this.#detail)
    this.#openapi = h(
      'a',
      { class: 'btn', target: '_blank', rel: 'noreferrer', hidden: true },
      icon('download'),
      h('span', { class: 'txt' }, 'openapi.json'),
    )
    const bar = h('div', { class: 'bar' }, field.element, this.#openapi)
    this.element = h('div', { class: 'main-in' }, bar, this.#split)
    void context.feed.refreshMetrics()
  }

  update(state: State, address: Address): void {
    if (this.#input.value !== address.q) this.#input.value = address.q
    this.#showTree(address)
    this.#back.href = formatAddress({ view: 'routes', q: address.q })
    this.#openapi.hidden = state.settings.openapi === null
    if (state.settings.openapi !== null) this.#openapi.href = new URL(state.settings.openapi, location.origin).href
    const routes = this.#routes()
    const selected = routes.find((route) => address.id === null || route.id === address.id)
    this.#split.classList.toggle('open', address.id !== null)
    if (selected !== undefined) this.#showDetail(selected, state)
    else if (routes.length > 0) this.#showUnknown(address)
  }

  #showUnknown({ id, q }: Address): void {
    this.#shown = []
    const back = h('a', { class: 'btn', href: formatAddress({ view: 'routes', q }) }, 'All routes')
    fill(this.#detail, emptyState(`There is no endpoint "${id}".`, back))
  }

  #showDetail(route: RouteInfo, state: State): void {
    const openapi = this.#context.shelf.openapi()
    const document = openapi.kind === 'ready' ? openapi.value : NO_DOCUMENT
    const isReading = openapi.kind === 'loading'
    const draft = isReading ? null : this.#context.draft
    const form = this.#formFor({ context: this.#context, route, document, draft })
    const next = [route, document, isReading, form, state.endpoints, state.app?.root, state.settings.editor]
    if (!isSame(next, this.#shown)) {
      const isOther = this.#shown[0] !== route
      this.#shown = next
      keepFocus(this.#detail, () =>
        fill(this.#detail, routeDetail({ route, document, state, isReading, back: this.#back }, form.element)),
      )
      if (isOther) this.#detail.scrollTop = 0
    }
    if (isReading || (draft === null && this.#context.focusedForm !== route.id)) return
    this.#context.draft = null
    this.#context.focusedForm = null
    form.focus()
  }

  /** Returns the current form, with the values that the user entered, as long as a new form would have the same fields. */
  #formFor(source: TrySource & { readonly route: RouteInfo }): TryIt {
    const { route, document, draft } = source
    const currentForm = this.#form
    const { versionHeader } = this.#context.store.state.settings
    const next = [route, document, versionHeader]
    if (currentForm !== null && draft === null && isSame(next, this.#formSources)) return currentForm
    this.#formSources = next
    const form = buildForm({ ...route, versionHeader }, findOperation(route, document), null)
    const fields = JSON.stringify([route.id, form])
    if (currentForm !== null && draft === null && fields === this.#fields) return currentForm
    this.#fields = fields
    this.#form = new TryIt(source)
    if (currentForm?.route === route.id && draft === null) this.#form.keepTyped(currentForm)
    return this.#form
  }

  command(command: Command): boolean {
    if (command === 'close' && this.#context.address().id !== null)
      this.#context.go({ ...this.#context.address(), id: null })
    else if (command === 'next' || command === 'previous') this.#step(command === 'next' ? 1 : -1)
    else if (command === 'filter') this.#focus()
    else return false
    return true
  }

  #routes(): readonly RouteInfo[] {
    const routes = this.#context.shelf.routes()
    return routes.kind === 'ready' ? routes.value.routes : []
  }

  /** Selects the next endpoint that matches the filter, in the order of the list. */
  #step(by: number): void {
    const { rows } = this.#tree
    const index = rows.findIndex(({ route }) => route.id === this.#context.address().id)
    const next = rows[clamp(index + by, 0, rows.length - 1)]
    if (next === undefined) return
    this.#context.go({ ...this.#context.address(), id: next.route.id }, 'replace')
    this.#tree.followFocus()
  }

  #showTree(address: Address): void {
    const routes = this.#context.shelf.routes()
    const { endpoints } = this.#context.store.state
    const next = [routes, endpoints, address.id, address.q]
    if (isSame(next, this.#treeSources)) return
    this.#treeSources = next
    if (routes.kind === 'loading') this.#tree.showMessage('Reading the routes …')
    else if (routes.kind === 'failed') this.#tree.showMessage(`The routes could not be read. ${routes.error.message}.`)
    else this.#tree.show(routes.value, endpoints, address)
  }
}
