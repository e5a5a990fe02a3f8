/** List of routes: classes and their endpoints. Only the rows in view are created, because an app can have thousands. */
import type { EndpointStats } from '../../../src/devconsole/wire/feed-types.js'
import type { RouteInfo, RouteList } from '../../../src/devconsole/wire/view-types.js'
import { fill, h, placeChildren, setAttribute } from '../dom/h.js'
import { emptyState, methodMark } from '../dom/parts.js'
import { formatAddress, type Address } from '../pure/address.js'
import { int, ms } from '../pure/format.js'
import { quantile, mergeCounts } from '../pure/histogram.js'
import { groupByClass, routeSearch, rowOffsets, rowsInView, type RouteRow } from '../pure/route-rows.js'
import { isSame } from '../pure/same.js'

const SPARE_ROWS = 12

interface ShownRow {
  readonly sources: readonly unknown[]
  readonly element: HTMLElement
}

export class RouteTree {
  readonly element: HTMLElement = h('nav', { class: 'tree', 'aria-label': 'Routes', tabindex: '-1' })
  readonly #list: HTMLElement = h('ul', { role: 'list' })
  #routes: RouteList | null = null
  #search = routeSearch([])
  #rows: readonly RouteRow[] = []
  #offsets: readonly number[] = [0]
  #shown = new Map<RouteInfo, ShownRow>()
  #endpoints: readonly EndpointStats[] = []
  #stats: ReadonlyMap<string, EndpointStats> = new Map()
  #q = ''
  #current: string | null = null
  /** Id of the endpoint to scroll to. The list scrolls when its height is known. */
  #target: string | null = null
  #heights = { row: 29, heading: 33 }
  /** Offset of the first row in the scrolled area, after warnings. */
  #start = 0
  /** Scroll position and height at the last event. Reading them from the page at each draw would force a layout. */
  #top = 0
  #height = 0

  constructor() {
    this.element.addEventListener('scroll', () => this.#handleScroll(), { passive: true })
    this.element.addEventListener('focusin', () => this.#handleFocus())
    new ResizeObserver(() => this.#handleResize()).observe(this.element)
  }

  /** Endpoints that match the filter, in the order of the list. */
  get rows(): readonly RouteRow[] {
    return this.#rows
  }

  showMessage(text: string): void {
    this.#routes = null
    this.#rows = []
    fill(this.element, emptyState(text))
  }

  show(list: RouteList, endpoints: readonly EndpointStats[], { id, q }: Address): void {
    const isFirst = this.#routes === null
    if (list !== this.#routes || q !== this.#q) this.#filter(list, q)
    if (endpoints !== this.#endpoints) {
      this.#endpoints = endpoints
      this.#stats = new Map(endpoints.map((stats) => [statsKey(stats.handler, stats.method), stats]))
    }
    if (id !== null && (id !== this.#current || isFirst)) this.#target = id
    this.#current = id ?? list.routes[0]?.id ?? null
    this.#draw()
    this.#reveal()
  }

  /** Moves the focus to the current endpoint if it is in the list. */
  followFocus(): void {
    if (!this.element.contains(document.activeElement)) return
    this.#focus(this.#rows.find(({ route }) => route.id === this.#current)?.route)
  }

  #filter(list: RouteList, q: string): void {
    const isRead = list !== this.#routes
    const isOther = q !== this.#q
    if (isRead) this.#search = routeSearch(list.routes)
    this.#routes = list
    this.#q = q
    this.#rows = groupByClass(this.#search(q))
    this.#offsets = rowOffsets(this.#rows, this.#heights)
    const isEmpty = this.#rows.length === 0
    const message = list.routes.length === 0 ? 'The app has no routes.' : 'No route matches.'
    if (isEmpty || isRead || !this.#list.isConnected)
      fill(this.element, list.warnings.map(warning), isEmpty ? emptyState(message) : this.#list)
    if (isRead || isOther) this.#scrollTo(isOther ? 0 : this.#top)
    if (isRead) this.#measure()
  }

  #handleScroll(): void {
    this.#top = this.element.scrollTop
    this.#draw()
  }

  /** Draws more rows if the first or the last one has the focus. A `scroll` event would come after the next key. */
  #handleFocus(): void {
    const routes = [...this.#shown.keys()]
    const focused = this.#focusedRoute()
    if (focused === null || (focused !== routes[0] && focused !== routes.at(-1))) return
    this.#target = focused.id
    this.#reveal()
  }

  /** In a narrow window, the endpoint hides the list, which then loses its scroll position. */
  #handleResize(): void {
    const wasHidden = this.#height === 0
    this.#height = this.element.clientHeight
    if (this.#height === 0) return
    this.#draw()
    this.#measure()
    // The height of the rows may have changed.
    if (wasHidden) this.#scrollTo(this.#top)
    else this.#draw()
    this.#reveal()
  }

  #measure(): void {
    const heading = this.#list.querySelector('h2')?.getBoundingClientRect().height ?? 0
    const row = this.#list.querySelector('a')?.getBoundingClientRect().height ?? 0
    if (row > 0 && heading > 0) this.#heights = { row, heading }
    this.#offsets = rowOffsets(this.#rows, this.#heights)
    const top = this.#list.getBoundingClientRect().top - this.element.getBoundingClientRect().top
    this.#start = top + this.element.scrollTop
  }

  #reveal(): void {
    if (this.#target === null || this.#height === 0) return
    const index = this.#rows.findIndex(({ route }) => route.id === this.#target)
    this.#target = null
    if (index === -1) return
    const start = this.#start + (this.#offsets[index] ?? 0)
    const end = this.#start + (this.#offsets[index + 1] ?? 0)
    const distance = Math.max(this.#top - start, end - this.#top - this.#height)
    if (distance <= 0) return
    if (distance > this.#height) this.#scrollTo(start - this.#height / 2)
    else this.#scrollTo(start < this.#top ? start : end - this.#height)
  }

  /** Draws before it scrolls, because the height of the list depends on the drawn rows. */
  #scrollTo(top: number): void {
    this.#top = Math.max(0, top)
    this.#draw()
    this.element.scrollTop = this.#top
  }

  #draw(): void {
    const scroll = { top: this.#top - this.#start, height: this.#height }
    const { first, end } = rowsInView(this.#offsets, scroll, SPARE_ROWS)
    const focused = this.#focusedRoute()
    const rows = this.#rows.slice(first, end)
    this.#shown = new Map(rows.map((row, index) => [row.route, this.#rowFor(row, first + index)]))
    placeChildren(
      this.#list,
      [...this.#shown.values()].map(({ element }) => element),
    )
    const total = this.#offsets.at(-1) ?? 0
    this.#list.style.setProperty('--before', `${this.#offsets[first] ?? 0}px`)
    this.#list.style.setProperty('--after', `${total - (this.#offsets[end] ?? 0)}px`)
    // The row with the focus was created again, or it is out of view. With the focus on the list, keys still scroll.
    if (focused !== null && this.#focusedRoute() === null) this.#focus(focused)
  }

  #focusedRoute(): RouteInfo | null {
    const { activeElement } = document
    if (activeElement === null || !this.#list.contains(activeElement)) return null
    return [...this.#shown].find(([, { element }]) => element.contains(activeElement))?.[0] ?? null
  }

  #focus(route: RouteInfo | undefined): void {
    const link = route === undefined ? undefined : this.#shown.get(route)?.element.querySelector('a')
    const target = link ?? this.element
    target.focus({ preventScroll: true })
  }

  #rowFor(row: RouteRow, index: number): ShownRow {
    const { route, isFirst } = row
    const stats = this.#stats.get(statsKey(route.id, route.method))
    const isCurrent = route.id === this.#current
    const sources = [isFirst, isCurrent, stats, this.#q]
    const old = this.#shown.get(route)
    const isCached = old !== undefined && isSame(old.sources, sources)
    const shownRow = isCached ? old : { sources, element: routeRow(row, stats, { isCurrent, q: this.#q }) }
    setAttribute(shownRow.element, 'aria-posinset', index + 1)
    setAttribute(shownRow.element, 'aria-setsize', this.#rows.length)
    return shownRow
  }
}

function statsKey(handler: string | null, method: string): string {
  return `${handler} ${method}`
}

function warning(text: string): HTMLElement {
  return h('p', { class: 'call warn' }, text)
}

function routeRow(
  { route, isFirst }: RouteRow,
  stats: EndpointStats | undefined,
  { isCurrent, q }: { readonly isCurrent: boolean; readonly q: string },
): HTMLElement {
  const median = stats === undefined ? null : quantile(mergeCounts([stats.durations]), 0.5)
  const figures = stats === undefined || median === null ? '' : `${int(stats.calls)} · ${ms(median)}`
  const link = h(
    'a',
    { href: formatAddress({ view: 'routes', id: route.id, q }), 'aria-current': isCurrent ? 'true' : null },
    methodMark(route.method),
    h('span', { class: 'pth', title: route.template }, route.template),
    h('small', { title: 'Calls and median' }, figures),
  )
  return h('li', null, isFirst && classHeading(route), link)
}

function classHeading({ class: name, place }: RouteInfo): HTMLElement {
  const file = place?.file.split(/[/\\]/).at(-1) ?? ''
  return h('h2', { title: name }, h('span', null, name), h('span', { class: 'mono' }, file))
}
