/** The view of routes: the tree of classes, and the endpoint chosen. */
import type { EndpointStats } from '../../wire/feed-types.js'
import type { RouteInfo } from '../../wire/view-types.js'
import { keepFocus } from '../dom/focus.js'
import { fill, h } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { emptyState, methodMark, searchField } from '../dom/parts.js'
import { formatAddress, type Address } from '../pure/address.js'
import { int, ms } from '../pure/format.js'
import { quantile, mergeCounts } from '../pure/histogram.js'
import { isSame } from '../pure/same.js'
import type { JsonRecord } from '../../wire/json-schema.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import { buildForm } from '../pure/try-form.js'
import type { ViewContext, View } from './context.js'
import { findOperation, routeDetail } from './route-detail.js'
import { TryIt, type TrySource } from './try-it.js'
import { clamp } from '../pure/geometry.js'

/** Stands for a document that was not read. */
const NOT_READ: JsonRecord = {}

export class RoutesView implements View {
  readonly element: HTMLElement
  readonly #context: ViewContext
  readonly #input: HTMLInputElement
  readonly #tree: HTMLElement = h('nav', { class: 'tree', 'aria-label': 'Routes' })
  readonly #detail: HTMLElement
  readonly #split: HTMLElement
  readonly #openapi: HTMLAnchorElement
  #form: TryIt | null = null
  /** Where the form comes from, and what it was made of. */
  #formOf: readonly unknown[] = []
  #fields = ''
  #shown: readonly unknown[] = []
  #treeOf: readonly unknown[] = []

  constructor(context: ViewContext) {
    this.#context = context
    const field = searchField('Filter routes', 'Filter by path, class, or decorator', {
      input: () => context.go({ ...context.address(), q: this.#input.value }, 'replace'),
    })
    this.#input = field.input
    this.#detail = h('div', { class: 'rd', tabindex: '0', role: 'region', 'aria-label': 'Endpoint' })
    this.#split = h('div', { class: 'rsplit' }, this.#tree, this.#detail)
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
    this.#showTree()
    this.#openapi.hidden = state.settings.openapi === null
    if (state.settings.openapi !== null) this.#openapi.href = new URL(state.settings.openapi, location.origin).href
    const routes = this.#routes()
    const chosen = routes.find((route) => address.id === null || route.id === address.id)
    this.#split.classList.toggle('open', address.id !== null)
    if (chosen !== undefined) this.#showDetail(chosen, state)
    else if (routes.length > 0) this.#showUnknown(address)
  }

  #showUnknown({ id, q }: Address): void {
    this.#shown = []
    const back = h('a', { class: 'btn', href: formatAddress({ view: 'routes', q }) }, 'All routes')
    fill(this.#detail, emptyState(`There is no endpoint "${id}".`, back))
  }

  #showDetail(route: RouteInfo, state: State): void {
    const openapi = this.#context.shelf.openapi()
    const document = openapi.kind === 'ready' ? openapi.value : NOT_READ
    const isReading = openapi.kind === 'loading'
    const draft = isReading ? null : this.#context.draft
    const form = this.#formFor({ context: this.#context, route, document, draft })
    const next = [route, document, isReading, form, state.endpoints, state.app?.root, state.settings.editor]
    if (isSame(next, this.#shown)) return
    const isOther = this.#shown[0] !== route
    this.#shown = next
    keepFocus(this.#detail, () => fill(this.#detail, routeDetail({ route, document, state, isReading }, form.element)))
    if (isOther) this.#detail.scrollTop = 0
    if (draft === null) return
    this.#context.draft = null
    form.focus()
  }

  /** The form stays, with what was typed into it, as long as another would have the same fields. */
  #formFor(source: TrySource & { readonly route: RouteInfo }): TryIt {
    const { route, document, draft } = source
    const currentForm = this.#form
    const { versionHeader } = this.#context.store.state.settings
    const next = [route, document, versionHeader]
    if (currentForm !== null && draft === null && isSame(next, this.#formOf)) return currentForm
    this.#formOf = next
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
    else if (command === 'filter') {
      this.#input.focus()
      this.#input.select()
    } else return false
    return true
  }

  #routes(): readonly RouteInfo[] {
    const routes = this.#context.shelf.routes()
    return routes.kind === 'ready' ? routes.value.routes : []
  }

  #step(by: number): void {
    const routes = this.#routes()
    const index = routes.findIndex((route) => route.id === this.#context.address().id)
    const next = routes[clamp(index + by, 0, routes.length - 1)]
    if (next !== undefined) this.#context.go({ ...this.#context.address(), id: next.id }, 'replace')
  }

  #showTree(): void {
    const routes = this.#context.shelf.routes()
    const { endpoints } = this.#context.store.state
    const next = [routes, endpoints, this.#context.address().id, this.#input.value]
    if (isSame(next, this.#treeOf)) return
    this.#treeOf = next
    if (routes.kind === 'loading') fill(this.#tree, emptyState('Reading the routes …'))
    else if (routes.kind === 'failed')
      fill(this.#tree, emptyState(`The routes could not be read. ${routes.error.message}.`))
    else fill(this.#tree, routes.value.warnings.map(warning), this.#groups(routes.value.routes, endpoints))
  }

  #groups(routes: readonly RouteInfo[], endpoints: readonly EndpointStats[]): readonly HTMLElement[] {
    const { q } = this.#context.address()
    const text = q.trim().toLowerCase()
    const matches = routes.filter((route) => routeSearchText(route).includes(text))
    if (matches.length === 0) return [emptyState(routes.length === 0 ? 'The app has no routes.' : 'No route matches.')]
    const current = this.#context.address().id ?? routes[0]?.id
    const stats = new Map(endpoints.map((it) => [`${it.handler} ${it.method}`, it]))
    return [...new Set(matches.map((route) => route.class))].flatMap((name) => {
      const classRoutes = matches.filter((route) => route.class === name)
      const links = classRoutes.map((route) =>
        routeLink(route, stats.get(`${route.id} ${route.method}`), { isCurrent: route.id === current, q }),
      )
      return [classHeading(classRoutes[0], name), ...links]
    })
  }
}

function warning(text: string): HTMLElement {
  return h('p', { class: 'call warn' }, text)
}

function routeSearchText({ id, method, template, decorators, class: name }: RouteInfo): string {
  return [id, method, template, name, ...decorators].join(' ').toLowerCase()
}

function classHeading(first: RouteInfo | undefined, name: string): HTMLElement {
  const file = first?.place?.file.split(/[/\\]/).at(-1) ?? ''
  return h('h2', null, name, h('span', { class: 'mono' }, file))
}

function routeLink(
  route: RouteInfo,
  stats: EndpointStats | undefined,
  { isCurrent, q }: { readonly isCurrent: boolean; readonly q: string },
): HTMLElement {
  const median = stats === undefined ? null : quantile(mergeCounts([stats.durations]), 0.5)
  const figures = stats === undefined || median === null ? '' : `${int(stats.calls)} · ${ms(median)}`
  return h(
    'a',
    { href: formatAddress({ view: 'routes', id: route.id, q }), 'aria-current': isCurrent ? 'true' : null },
    methodMark(route.method),
    h('span', { class: 'pth', title: route.template }, route.template),
    h('small', { title: 'calls and median' }, figures),
  )
}
