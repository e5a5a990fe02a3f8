/**
 * List of requests. Only the rows in view are created. New requests are added while the list is scrolled to the top. Elsewhere, no row
 * moves, and a button shows the number of new requests.
 */
import { fill, h, placeChildren, setAttribute } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { textButton } from '../dom/parts.js'
import type { Address } from '../pure/address.js'
import { visibleRows } from '../pure/json-lines.js'
import type { ListItem, SortableColumn } from '../pure/list.js'
import { COLUMNS, gapRow, openClickedRow, listRow } from './row.js'

const SPARE_ROWS = 12
const TOP = 4
/** Maximum number of new rows that are highlighted. With more rows, the animation costs more than the rows. */
const MAX_HIGHLIGHTED = 8

interface Row {
  readonly item: ListItem
  readonly element: HTMLTableRowElement
}

export class RequestList {
  readonly element: HTMLElement
  readonly #scroller: HTMLElement
  readonly #body: HTMLElement
  readonly #table: HTMLElement
  readonly #pill: HTMLButtonElement
  readonly #heads: readonly HTMLElement[]
  readonly #before: HTMLTableRowElement = gapRow()
  readonly #after: HTMLTableRowElement = gapRow()
  #rows = new Map<string, Row>()
  /** Keys of new rows, which are highlighted once. */
  #fresh = new Set<string>()
  #shown: readonly ListItem[] = []
  #newest: readonly ListItem[] = []
  #address: Address
  #rowHeight = 30
  /** Scroll position and height at the last event. Reading them from the page at each draw would force a layout. */
  #top = 0
  #height = 0

  constructor(address: Address, open: (id: string) => void, sort: (column: SortableColumn) => void) {
    this.#address = address
    this.#body = h('tbody', null)
    const heads = COLUMNS.map((column) => {
      const { label, headClass, sortValue } = column
      const content = sortValue === undefined ? label : textButton(label, () => sort(column), '')
      return h('th', { scope: 'col', class: headClass }, content)
    })
    this.#heads = heads
    const caption = h('caption', { class: 'vh' }, 'Recorded requests, newest first')
    this.#table = h('table', { class: 'rt' }, caption, h('thead', null, h('tr', null, heads)), this.#body)
    this.#scroller = h('div', { class: 'scroll', tabindex: '-1' }, this.#table)
    this.#scroller.addEventListener('scroll', () => this.#handleScroll(), { passive: true })
    this.#body.addEventListener('click', (event) => openClickedRow(event, open))
    this.#pill = h('button', { type: 'button', class: 'pill-new', hidden: true, on: { click: () => this.toTop() } })
    this.element = h('div', { class: 'scroll-box' }, this.#scroller, this.#pill)
    new ResizeObserver(() => this.#handleResize()).observe(this.#scroller)
  }

  show(items: readonly ListItem[], address: Address, isOther: boolean): void {
    if (isOther || linkBase(address) !== linkBase(this.#address)) this.#rows = new Map()
    this.#address = address
    this.#newest = items
    this.#showSort(address.sort)
    if (isOther) this.#scrollTo(0)
    if (isOther || this.#top < TOP || items.length === 0) this.#accept(isOther)
    else this.#refreshInPlace()
    this.#draw()
    this.#showPill()
  }

  #showSort(sort: string): void {
    const direction = sort.startsWith('-') ? 'descending' : 'ascending'
    for (const [index, head] of this.#heads.entries()) {
      const column = COLUMNS[index]
      const isSorted = column?.sortValue !== undefined && column.label === sort.replace('-', '')
      setAttribute(head, 'aria-sort', isSorted ? direction : null)
    }
  }

  /** Scrolls to the newest requests. */
  toTop(): void {
    this.#scrollTo(0)
    this.#accept(false)
    this.#draw()
    this.#showPill()
    this.#scroller.focus()
  }

  /** Scrolls to the selected row. */
  reveal(): void {
    const index = this.#shown.findIndex((item) => item.key === this.#address.id)
    if (index === -1) return
    const head = this.#table.querySelector('thead')?.clientHeight ?? 0
    const top = index * this.#rowHeight
    const bottom = top + this.#rowHeight + head
    if (top < this.#top) this.#scrollTo(top)
    else if (bottom > this.#top + this.#height) this.#scrollTo(bottom - this.#height)
    this.#draw()
  }

  /** Focuses the link of a row. If the row is not in view, focuses the list. */
  focusRow(id: string): void {
    const link = this.#rows.get(id)?.element.querySelector('a') ?? this.#scroller
    link.focus({ preventScroll: true })
  }

  #accept(isOther: boolean): void {
    const shownKeys = new Set((isOther ? this.#newest : this.#shown).map((item) => item.key))
    this.#fresh = new Set(this.#newest.map((item) => item.key).filter((key) => !shownKeys.has(key)))
    this.#shown = this.#newest
  }

  /** Updates visible rows, for example their pins. Rows of deleted records stay until the list is scrolled to the top. */
  #refreshInPlace(): void {
    const newest = new Map(this.#newest.map((item) => [item.key, item]))
    this.#shown = this.#shown.map((item) => newest.get(item.key) ?? item)
  }

  #scrollTo(top: number): void {
    this.#scroller.scrollTop = top
    this.#top = top
  }

  #handleResize(): void {
    this.#height = this.#scroller.clientHeight
    this.#draw()
    const height = this.#rows.values().next().value?.element.getBoundingClientRect().height ?? 0
    if (height > 0) this.#rowHeight = height
    this.#draw()
  }

  #handleScroll(): void {
    this.#top = this.#scroller.scrollTop
    if (this.#top < TOP && this.#shown !== this.#newest) this.#accept(false)
    this.#draw()
    this.#showPill()
  }

  #showPill(): void {
    const visibleIds = new Set(this.#shown.map((item) => item.key))
    const fresh = this.#newest.filter((item) => item.kind === 'record' && !visibleIds.has(item.key)).length
    this.#pill.hidden = fresh === 0
    fill(this.#pill, icon('up'), `${fresh} new`)
  }

  #draw(): void {
    const scroll = { top: this.#top, height: this.#height, row: this.#rowHeight }
    const { first, end } = visibleRows(scroll, this.#shown.length, SPARE_ROWS)
    const rows = new Map<string, Row>()
    for (const item of this.#shown.slice(first, end)) rows.set(item.key, this.#rowFor(item))
    const focusedId = this.#focusedId()
    placeChildren(this.#body, [this.#before, ...[...rows.values()].map((row) => row.element), this.#after])
    this.#rows = rows
    // The row with the focus was created again, or it is out of view.
    if (focusedId !== null && this.#focusedId() === null) this.focusRow(focusedId)
    this.#fresh.clear()
    this.#before.style.setProperty('--h', `${first * this.#rowHeight}px`)
    this.#after.style.setProperty('--h', `${(this.#shown.length - end) * this.#rowHeight}px`)
    this.#table.setAttribute('aria-rowcount', String(this.#shown.length + 1))
  }

  /** Id of the row that has the focus. */
  #focusedId(): string | null {
    const focused = document.activeElement
    const row = focused !== null && this.#body.contains(focused) ? focused.closest('tr') : null
    return row?.dataset['id'] ?? null
  }

  #rowFor(item: ListItem): Row {
    const old = this.#rows.get(item.key)
    const isSame = old !== undefined && isEqual(old.item, item)
    const row = isSame ? old : { item, element: listRow(item, this.#address) }
    const isSelected = item.key === this.#address.id
    row.element.classList.toggle('sel', isSelected)
    setAttribute(row.element.querySelector('a') ?? row.element, 'aria-current', isSelected ? 'true' : null)
    if (this.#fresh.size <= MAX_HIGHLIGHTED && this.#fresh.has(item.key)) row.element.classList.add('new')
    return row
  }
}

/** Returns the parts of the address that are in the links of all rows. */
function linkBase({ tab, q, sort }: Address): string {
  return `${tab} ${q} ${sort}`
}

function isEqual(a: ListItem, b: ListItem): boolean {
  return a.kind === 'record' && b.kind === 'record' ? a.record === b.record && a.isOld === b.isOld : a.kind === b.kind
}
