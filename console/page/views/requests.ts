/** Requests view: filter bar, strip, list and detail. */
import { parseFilter, type Filter } from '../../../src/devconsole/wire/filter.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type { Chart } from '../dom/chart.js'
import { fill, h } from '../dom/h.js'
import { say } from '../dom/notice.js'
import { emptyState, textButton } from '../dom/parts.js'
import { RecordSearch } from '../live/record-search.js'
import type { Address } from '../pure/address.js'
import { describeRequest, formatCount } from '../pure/format.js'
import {
  buildItems,
  filterRequests,
  isRunning,
  newestFirst,
  nextSort,
  sortRequests,
  type SortableColumn,
} from '../pure/list.js'
import { closeFile } from '../pure/reduce.js'
import { isOfFile } from '../pure/runs.js'
import type { Command } from '../pure/shortcuts.js'
import type { State } from '../pure/state.js'
import { clearAll } from './actions.js'
import type { View } from './context.js'
import type { RequestsContext } from './second-script-types.js'
import { Detail } from './detail.js'
import { FilterBar } from './filter-bar.js'
import { RequestList } from './request-list.js'
import { COLUMNS } from './row.js'
import { stripChart, type StripData } from './strip.js'
import { clamp } from '../pure/geometry.js'
import { serverNow } from '../pure/server-clock.js'

const STRIP_MS = 1_000

export class RequestsView implements View {
  readonly element: HTMLElement
  readonly #context: RequestsContext
  readonly #bar: FilterBar
  readonly #list: RequestList
  readonly #detail: Detail
  readonly #split: HTMLElement
  readonly #flood: HTMLElement = h('p', { class: 'flood', hidden: true })
  readonly #file: HTMLElement = h('div', {
    class: 'banner note',
    role: 'note',
    'aria-label': 'Open file',
    hidden: true,
  })
  readonly #empty: HTMLElement = h('div', { hidden: true })
  readonly #strip: Chart
  readonly #timer: ReturnType<typeof setInterval>
  #filter: Filter = parseFilter('')
  readonly #search: RecordSearch
  #q: string | null = null
  #matching: readonly RequestSummary[] = []
  #address: Address
  #stoppedAt: number | null = null
  #drawn = 0
  #isStripEmpty = true
  #openFile: State['file'] = null

  constructor(context: RequestsContext) {
    this.#context = context
    this.#search = new RecordSearch(context.store, context.shelf)
    this.#address = context.address()
    const open = (id: string) => context.go({ ...this.#address, id })
    this.#bar = new FilterBar({
      filter: (q) => context.go({ ...this.#address, q }, 'replace'),
      clear: () => void clearAll(context),
      chooseFile: context.chooseFile,
    })
    const sort = (column: SortableColumn) =>
      context.go({ ...this.#address, sort: nextSort(column, this.#address.sort) }, 'replace')
    this.#list = new RequestList(this.#address, open, sort)
    this.#strip = stripChart(() => this.#stripData(), open)
    this.#detail = new Detail(context)
    const pane = { class: 'pane list', 'aria-label': 'Requests' }
    const list = h('section', pane, this.#strip.element, this.#flood, this.#file, this.#empty, this.#list.element)
    this.#split = h('div', { class: 'split' }, list, this.#detail.element)
    this.element = h('div', { class: 'main-in' }, this.#bar.element, this.#split)
    this.#timer = setInterval(() => this.#drawStrip(), STRIP_MS)
  }

  update(state: State, address: Address): void {
    const isOtherList = this.#q !== address.q || this.#address.sort !== address.sort
    const isMoved = this.#address.id !== address.id || isOtherList
    this.#address = address
    this.#stoppedAt = state.paused ? (this.#stoppedAt ?? serverNow()) : null
    if (isOtherList) this.#setFilter(address.q)
    const matching = this.#match(state)
    const sorted = sortRequests(matching, address.sort, COLUMNS)
    this.#matching = sorted ?? newestFirst(matching)
    this.#bar.update(address.q, state.records)
    this.#list.show(buildItems(this.#matching, state, sorted !== null), address, isOtherList)
    this.#showFlood(state)
    this.#showFile(state)
    this.#showEmpty(state)
    this.#split.classList.toggle('open', address.id !== null)
    this.#detail.update(state, address)
    if (isMoved) this.#list.reveal()
    if (isMoved || this.#isStripStale(state)) this.#drawStrip()
  }

  #isStripStale({ records }: State): boolean {
    return (this.#isStripEmpty && records.length > 0) || Date.now() - this.#drawn > STRIP_MS / 3
  }

  command(command: Command): boolean {
    if (command === 'filter') this.#bar.focus()
    else if (command === 'next') this.#step(1)
    else if (command === 'previous') this.#step(-1)
    else if (command === 'open') this.#detail.focus()
    else if (command === 'close') this.#close()
    else return this.#detail.command(command)
    return true
  }

  dispose(): void {
    clearInterval(this.#timer)
  }

  #match(state: State): readonly RequestSummary[] {
    const { matches, isEmpty, needsRecord } = this.#filter
    if (!needsRecord) return filterRequests(state, matches, isEmpty)
    const ids = this.#search.ids(this.#q ?? '', matches)
    return state.records.filter((summary) => {
      const record = this.#context.shelf.findInFile(summary.id)
      return record === undefined ? ids.has(summary.id) : matches({ summary, record })
    })
  }

  #setFilter(q: string): void {
    const isNew = q !== '' && (this.#q ?? '') === ''
    this.#filter = parseFilter(q, serverNow())
    this.#q = q
    // A filter also searches log lines.
    this.#context.feed.optionalEvents.set(q === '' ? ['open'] : ['log', 'open'])
    if (isNew) void this.#context.feed.refresh()
  }

  #step(by: number): void {
    const records = this.#matching.filter((record) => !isRunning(record))
    const index = records.findIndex((record) => record.id === this.#address.id)
    const next = records[clamp(index + by, 0, records.length - 1)]
    const how = this.#address.id === null ? 'push' : 'replace'
    if (next === undefined) return
    this.#context.go({ ...this.#address, id: next.id }, how)
    say(describeRequest(next))
  }

  #close(): void {
    const { id } = this.#address
    if (id === null) return
    this.#context.go({ ...this.#address, id: null, tab: '' })
    requestAnimationFrame(() => this.#list.focusRow(id))
  }

  #stripData(): StripData {
    const now = this.#stoppedAt ?? serverNow()
    const matching = new Set(this.#matching.map((record) => record.id))
    return { records: this.#context.store.state.records, matching, selected: this.#address.id, now }
  }

  #drawStrip(): void {
    this.#drawn = Date.now()
    this.#isStripEmpty = this.#context.store.state.records.length === 0
    this.#strip.draw()
  }

  #showFlood({ buffer: { skipped } }: State): void {
    const text = `${formatCount(skipped, 'more request')} counted, but not stored: too many came at once.`
    this.#flood.hidden = skipped === 0
    if (this.#flood.textContent !== text) this.#flood.textContent = text
  }

  #showFile({ file, records }: State): void {
    if (file === this.#openFile) return
    this.#openFile = file
    this.#file.hidden = file === null
    if (file === null) return
    const count = formatCount(records.filter(({ boot }) => boot === file.boot).length, 'request')
    const text = `${count} from ${file.name}, read-only. ${file.note ?? ''}`.trimEnd()
    fill(
      this.#file,
      h('span', null, text),
      textButton('Close the file', () => this.#closeFile()),
    )
  }

  #closeFile(): void {
    const { id, q, tab, ...rest } = this.#address
    this.#context.shelf.open([])
    this.#context.store.update(closeFile)
    this.#context.go({
      ...rest,
      ...(id !== null && isOfFile({ boot: id }) ? { id: null, tab: '' } : { id, tab }),
      q: /^id:file-\d+$/.test(q) ? '' : q,
    })
    this.#bar.focus()
  }

  #showEmpty(state: State): void {
    const isNothing = this.#matching.length === 0
    this.#empty.hidden = !isNothing
    this.#list.element.hidden = isNothing
    if (!isNothing) return
    const q = this.#address.q
    if (state.records.length > 0)
      fill(
        this.#empty,
        noMatch(q, () => this.#context.go({ ...this.#address, q: '' })),
      )
    else if (state.link === 'lost')
      fill(this.#empty, emptyState('The app does not respond. Start it again and its requests appear here.'))
    else if (state.boot !== '') fill(this.#empty, nothingYet())
  }
}

function noMatch(q: string, clear: () => void): HTMLElement {
  return emptyState(`No request matches ${q}.`, textButton('Clear the filter', clear))
}

function nothingYet(): HTMLElement {
  const text = 'Nothing recorded yet. Send a request to your API and it appears here.'
  return emptyState(text, h('div', { class: 'code' }, `curl ${location.origin}/`))
}
